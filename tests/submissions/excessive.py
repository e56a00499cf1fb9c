"""Recipes for submissions that are more than a grader can take: too large, too many, too odd.

Each gets a folder with one solved notebook, as those in `submissions.damaged`. None may take more
time or memory than a notebook's limit allows, nor cost anybody else anything.
"""

from __future__ import annotations

import base64
import copy
import json
import os
import random
import shutil
import socket
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from submissions.damaged import (
    CHECK,
    EXERCISES,
    FORWARD,
    NOT_GRADABLE,
    Expect,
    Handed,
    Notebook,
    Recipe,
    source,
    strip,
    stub,
)

RECIPES: list[Recipe] = []


def excess(
    *, expect: Expect, why: str, notebook: str = FORWARD, student: str | None = None
) -> Callable[[Callable[[Handed], None]], Callable[[Handed], None]]:
    """Register the decorated function as a recipe with its own name."""

    def register(function: Callable[[Handed], None]) -> Callable[[Handed], None]:
        RECIPES.append(Recipe(function.__name__, expect, why, notebook, student, function))
        return function

    return register


def add(name: str, function: Callable[[Handed], object], expect: Expect, why: str) -> None:
    """Register a recipe."""
    RECIPES.append(Recipe(name, expect, why, FORWARD, None, function))


# Links ----------------------------------------------------------------------------------------


def _replace_by_link(place: Path, target: Path) -> None:
    shutil.rmtree(place)
    place.symlink_to(target)


@excess(expect=NOT_GRADABLE, why="the folder is a link to the lesson with its solutions")
def link_for_the_assignment(handed: Handed) -> None:
    _replace_by_link(handed.folder, Path("../../lessons") / handed.folder.name)


@excess(expect=NOT_GRADABLE, why="the student's folder is a link to another student's")
def link_for_the_student(handed: Handed) -> None:
    student = handed.folder.parent
    other = student.with_name("another student's")
    other.mkdir()
    shutil.move(handed.folder, other / "elsewhere")
    _replace_by_link(student, Path(other.name))
    (other / "elsewhere").rename(other / handed.folder.name)


@excess(expect=NOT_GRADABLE, why="the notebook is a link to the lesson's")
def link_for_the_notebook(handed: Handed) -> None:
    handed.file.unlink()
    handed.file.symlink_to(Path("../../../lessons") / handed.folder.name / handed.file.name)


@excess(expect=NOT_GRADABLE, why="a folder below is a link to the lesson")
def link_below(handed: Handed) -> None:
    handed.file.unlink()
    (handed.folder / "work").symlink_to(Path("../../../lessons") / handed.folder.name)


@excess(expect=NOT_GRADABLE, why="the folder is a link that leads back to itself")
def link_in_a_circle(handed: Handed) -> None:
    _replace_by_link(handed.folder, Path(handed.folder.name))


@excess(expect=NOT_GRADABLE, why="a file stands where the folder should")
def file_for_the_folder(handed: Handed) -> None:
    shutil.rmtree(handed.folder)
    handed.folder.write_text("see my mail\n", encoding="utf-8")


@excess(expect="full", why="links in a circle, and to all of the system, beside the notebook")
def links_beside(handed: Handed) -> None:
    (handed.folder / "again").symlink_to(".")
    (handed.folder / "root").symlink_to("/")
    (handed.folder / "zero").symlink_to("/dev/zero")


# Timestamps and other files -------------------------------------------------------------------


def _timestamp(make: Callable[[Path], object]) -> Callable[[Handed], None]:
    def replace(handed: Handed) -> None:
        file = handed.folder / "timestamp.txt"
        file.unlink()
        make(file)

    return replace


for _name, _make, _why in (
    ("pipe", os.mkfifo, "a pipe that nobody writes into"),
    ("zero", lambda file: file.symlink_to("/dev/zero"), "a link to a device without end"),
    ("terminal", lambda file: file.symlink_to("/dev/tty"), "a link to the grader's terminal"),
    ("ones", lambda file: file.write_text("1." * 150_000), "300 kB that look like a date"),
    ("brackets", lambda file: file.write_text("(" * 90), "90 brackets"),
    ("far", lambda file: file.write_text("9999-12-31 23:59:59 -1200"), "beyond the last year"),
    ("huge", lambda file: file.write_bytes(b"2030-01-01 " * 2**22), "44 MB of dates"),
):
    add(f"timestamp_{_name}", _timestamp(_make), "full", f"the timestamp is {_why}")


@excess(expect="full", why="pipes and sockets lie beside the notebook")
def pipes_and_sockets(handed: Handed) -> None:
    os.mkfifo(handed.folder / "0_pipe")
    os.mkfifo(handed.folder / "0.ipynb")
    here = os.getcwd()
    try:
        os.chdir(handed.folder)  # the path of a socket must be short
        with socket.socket(socket.AF_UNIX) as one:
            one.bind("1.ipynb")
    finally:
        os.chdir(here)


@excess(expect="full", why="1,500 small files")
def many_files(handed: Handed) -> None:
    for number in range(1500):
        (handed.folder / f"data_{number}.txt").write_text(str(number), encoding="utf-8")


@excess(expect="full", why="folders in folders, deeper than a path may be long")
def deep_folders(handed: Handed) -> None:
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(handed.folder)
        for _ in range(400):
            os.mkdir("deeper-and-deeper")
            os.chdir("deeper-and-deeper")
    finally:
        os.fchdir(here)
        os.close(here)


@excess(expect="full", why="110 other notebooks, some of them large")
def many_notebooks(handed: Handed) -> None:
    text = json.dumps({"cells": [_text("x" * 200_000)], "nbformat": 4, "metadata": {}})
    for number in range(110):
        (handed.folder / f"other_{number}.ipynb").write_text(text, encoding="utf-8")


@excess(expect="full", why="names that are no UTF-8, in and beside folders")
def names_without_encoding(handed: Handed) -> None:
    folder = os.fsencode(handed.folder)
    os.mkdir(folder + b"/caf\xe9")
    for name in (b"/caf\xe9/r\xe9sum\xe9.txt", b"/\xff.ipynb", b"/\x1b[31mred\x1b[0m.txt"):
        with open(folder + name, "wb") as stream:
            stream.write(b"text")


@excess(expect="full", why="the notebook itself has a name that is no UTF-8")
def notebook_name_without_encoding(handed: Handed) -> None:
    handed.file.rename(os.fsdecode(os.fsencode(handed.folder) + b"/2_r\xe9ponse.ipynb"))


# Cells ----------------------------------------------------------------------------------------


def _text(text: str, kind: str = "markdown") -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": text}


def _words(generator: random.Random, length: int) -> str:
    letters = "etaoinshrdlu    "
    return "".join(generator.choice(letters) for _ in range(length))


def _stripped(nb: Notebook) -> None:
    for cell in nb.cells:
        strip(cell)


@excess(expect="full", why="100 text cells of 340 characters, and no metadata")
def many_texts(handed: Handed) -> None:
    generator = random.Random(1)
    with handed.edit() as nb:
        _stripped(nb)
        nb.cells += [_text(_words(generator, 340)) for _ in range(100)]


@excess(expect="full", why="900 text cells, each much like one of the lesson's")
def many_edited_texts(handed: Handed) -> None:
    generator = random.Random(2)
    with handed.edit() as nb:
        _stripped(nb)
        texts = [source(cell) for cell in nb.cells if cell["cell_type"] == "markdown"]
        for number in range(900):
            letters = list(texts[number % len(texts)])
            for at in generator.sample(range(len(letters)), len(letters) // 3):
                letters[at] = generator.choice("etaoin")
            nb.cells.append(_text("".join(letters)))


@excess(expect="full", why="600 text cells of the lesson, shuffled letter by letter")
def shuffled_texts(handed: Handed) -> None:
    generator = random.Random(3)
    with handed.edit() as nb:
        _stripped(nb)
        texts = [source(cell) for cell in nb.cells if cell["cell_type"] == "markdown"]
        for number in range(600):
            text = texts[number % len(texts)]
            nb.cells.append(_text("".join(generator.sample(text, len(text)))))


@excess(expect=NOT_GRADABLE, why="30,000 copies of an answer cell")
def answer_30000_times(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.cells += [nb["add_positions"]] * 30_000


@excess(expect="full", why="300 copies of an answer cell")
def answer_300_times(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.cells += [nb["add_positions"]] * 300


@excess(expect="full", why="500 copies of the stub, without metadata, before the answer")
def stub_500_times(handed: Handed) -> None:
    with handed.edit() as nb:
        twin = copy.deepcopy(nb["add_positions"]) | {"source": stub(handed, "add_positions")}
        strip(twin)
        nb.cells[0:0] = [twin] * 500


@excess(expect=NOT_GRADABLE, why="10,000 empty code cells")
def cells_10000(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.cells += [_text("pass", "code")] * 10_000


@excess(expect="full", why="500 indented cells, as if one function had been split")
def indented_cells(handed: Handed) -> None:
    with handed.edit() as nb:
        _stripped(nb)
        nb.cells += [_text(f"    x{i} = (\n", "code") for i in range(500)]


@excess(expect=NOT_GRADABLE, why="2 MB of code in one cell")
def large_code(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.insert(len(nb.cells), "x = [" + "0," * 1_000_000 + "]")


@excess(expect="full", why="a line of 300,000 brackets, which no parser takes")
def brackets(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.insert(len(nb.cells), "(" * 300_000)


@excess(expect="full", why="200,000 lines in the setup cell")
def long_setup(handed: Handed) -> None:
    with handed.edit() as nb:
        nb["setup"]["source"] = source(nb["setup"]) + "\n" * 200_000 + "a = 1\n" * 20_000


# Files ----------------------------------------------------------------------------------------


def _written(make: Callable[[], str]) -> Callable[[Handed], object]:
    return lambda handed: handed.file.write_text(make(), encoding="utf-8")


for _name, _make, _why in (
    ("empty_cells", lambda: '{"cells": [' + "{}," * 370_000 + "{}]}", "370,000 empty cells"),
    ("braces", lambda: '{"cells": [' + "{}," * 8_000_000 + "{}]}", "24 MB of empty cells"),
    ("lists", lambda: '{"cells": [], "x": [' + "[]," * 8_000_000 + "[]]}", "24 MB of lists"),
    ("old", lambda: '{"worksheets": [{"cells": [' + "{}," * 300_000 + "{}]}]}", "many old cells"),
    ("sheets", lambda: '{"worksheets": [' + "{}," * 300_000 + "{}]}", "300,000 old worksheets"),
    ("keys", lambda: json.dumps({"cells": [], **dict.fromkeys(map(str, range(10**6)))}), "keys"),
    ("wide", lambda: '{"cells": ["' + "\U0001f600" * 5_000_000 + '"]}', "20 MB of emoji"),
):
    add(f"file_{_name}", _written(_make), NOT_GRADABLE, f"a file with {_why}")


def _png(width: int) -> str:
    """Return a picture without much in it, as base64."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = (b"\0" + bytes(width)) * width
    header = struct.pack(">IIBBBBB", width, width, 8, 0, 0, 0, 0)
    parts = [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


@excess(expect="full", why="30 MB of old pictures in the outputs, which nobody reads")
def large_outputs(handed: Handed) -> None:
    data = {"image/png": "A" * 3_000_000}
    output = {"output_type": "display_data", "metadata": {}, "data": data}
    with handed.edit() as nb:
        cells = [cell for cell in nb.cells if cell["cell_type"] == "code"]
        for cell in cells:
            cell["outputs"] = [output] * (10 // len(cells) + 1)


# Outputs --------------------------------------------------------------------------------------


def _appended(*codes: str) -> Callable[[Handed], None]:
    def change(handed: Handed) -> None:
        with handed.edit() as nb:
            for code in codes:
                nb.insert(len(nb.cells), code)

    return change


_SHOW = "from IPython.display import HTML, display\n"
for _name, _codes, _why in (
    ("nested_lists", [_SHOW + "display(HTML('<ul><li>' * 15_000))"], "nested lists, 125 KB"),
    ("nested_bold", [_SHOW + "display(HTML('<b>' * 30_000))"], "nested bold text, 90 KB"),
    (
        "table",
        [
            _SHOW + "row = '<tr><td>1</td><td>22.5</td></tr>'\n"
            "display(HTML('<table>' + row * 28_000 + '</table>'))\n"
        ],
        "an ordinary table of 28,000 rows",
    ),
    ("many_prints", ["print('x' * 2_000_000)"] * 20, "2 MB from each of 20 cells"),
    (
        "many_pages",
        [_SHOW + "for i in range(40): display(HTML(f'<p>{i}</p>' * 2000))"] * 10,
        "400 pieces of HTML",
    ),
    ("surrogates", [r"print('\ud800 \udce9'); x = '\ud800'; x"], "half characters"),
    ("escapes", [r"print('\x1b]0;title\x07\x1b[2J\x1b[31m red' * 5000)"], "terminal escapes"),
    (
        "evidence",
        [
            "from IPython.display import publish_display_data\n"
            "for _ in range(20):\n"
            "    publish_display_data({'application/vnd.autograder.evidence+json': [[]] * 10**6})\n"
        ]
        * 5,
        "records from cells that are no checks",
    ),
    (
        "json",
        [
            "from IPython.display import publish_display_data\n"
            "for _ in range(4):\n"
            "    publish_display_data({'application/json': [[]] * 600_000, 'text/plain': 'x'})\n"
        ]
        * 5,
        "lists in outputs",
    ),
):
    add(f"output_{_name}", _appended(*_codes), "full", f"the output is {_why}")


# Texts ----------------------------------------------------------------------------------------


def _said(*texts: str) -> Callable[[Handed], None]:
    def change(handed: Handed) -> None:
        with handed.edit() as nb:
            for text in texts:
                nb.insert(len(nb.cells), text, cell_type="markdown")

    return change


for _name, _texts, _why in (
    ("begins", [r"\begin{a}" * 25_000], "225 kB of \\begin{a}"),
    ("many_begins", [r"\begin{a}" * 2_000] * 20, "20 cells of \\begin{a}"),
    ("lists", ["<ul><li>" * 15_000, "- " * 50_000], "nested lists"),
    ("links", ["[" * 50_000, "![" * 30_000, "[a](" * 20_000, "[a]: <" * 20_000], "half links"),
    ("marks", ["*a **b __c " * 10_000, "`" * 50_001, "~" * 50_000, "$" * 50_000], "half marks"),
    ("quotes", [">" * 50_000, "> " * 30_000 + "a", "<!--" * 20_000, "<" * 100_000], "quotes"),
    ("tables", ["|a" * 20_000 + "\n" + "|-" * 20_000 + "\n" + "|b" * 20_000], "wide tables"),
    ("notes", ["".join(f"[^{i}]: a\n\n" for i in range(5_000)) + "[^1] " * 5_000], "footnotes"),
    ("long", ["word " * 600_000], "3 MB of words"),
    ("href", [r"$\href{javascript:corpus-injection}{a}$ and $\style{a}{b}$"], "active formulas"),
    ("attached", ["![](attachment:none.png) ![a][b]\n\n[b]: attachment:no.png"], "lost pictures"),
):
    add(f"text_{_name}", _said(*_texts), "full", f"a text cell holds {_why}")


@excess(expect="full", why="pictures from other places, in every way to name one")
def remote_pictures(handed: Handed) -> None:
    _said(
        "![a](http://remote.invalid/a.png) ![b](/hub/logout) ![c](//remote.invalid/c.png)",
        "![d][e]\n\n[e]: http://remote.invalid/d.png\n\n![f]\n\n[f]: /hub/logout 'title'",
        "<img src='http://remote.invalid/g.png' srcset='http://remote.invalid/h.png'>",
        "<div style='background: url(http://remote.invalid/i.png)'>a</div>",
        "<link rel=stylesheet href='http://remote.invalid/j.css'><video poster='/hub/logout'>",
    )(handed)
    _appended(
        _SHOW + 'display(HTML(\'<img src="http://remote.invalid/k.png"><base href="/hub/">\'))',
        "from IPython.display import Image\nImage(url='http://remote.invalid/l.png')",
    )(handed)


@excess(expect="full", why="a picture attached to a written answer", notebook=EXERCISES)
def attached_picture(handed: Handed) -> None:
    with handed.edit() as nb:
        cell = nb["exercise3_reason"]
        cell["source"] = "My drawing: ![drawing](attachment:image.png)"
        cell["attachments"] = {"image.png": {"image/png": _png(8)}}


@excess(expect="full", why="attachments of every wrong form")
def odd_attachments(handed: Handed) -> None:
    odd: list[Any] = [[], {"a.png": []}, {"a.png": {"image/png": 3}}, {"a.png": {}}, "x"]
    odd += [{"a.png": {"image/svg+xml": "<svg onload='corpus-injection'/>"}}]
    odd += [{"a.png": {"image/png": "no base64!"}}, {"a.png": {"image/png": "A" * 8_000_000}}]
    with handed.edit() as nb:
        for attachments in odd:
            cell = nb.insert(len(nb.cells), "![x](attachment:a.png)", cell_type="markdown")
            cell["attachments"] = attachments


@excess(expect="full", why="the check's messages hold formulas that act", notebook=CHECK)
def formulas_in_messages(handed: Handed) -> None:
    _appended(r"raise ValueError(r'$\href{javascript:corpus-injection}{click}$')")(handed)


# Students' names ------------------------------------------------------------------------------


def _untouched(handed: Handed) -> None:
    """Hand in a perfect submission."""


for _name, _student in {
    "latin": os.fsdecode(b"caf\xe9"),
    "decomposed": "e\u0301le\u0300ve",
    "escape": "\x1b[31mred\x1b[0m",
    "lines": "two\nlines",
    "turned": "\u202etxt.exe",
    "bytes": os.fsdecode(b"\xff\xfe\x80"),
}.items():
    RECIPES.append(
        Recipe(f"student_{_name}", "full", "a folder's name", FORWARD, _student, _untouched)
    )
