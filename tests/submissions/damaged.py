"""Recipes that break a perfect submission as editors, tools and people do.

Each recipe gets a folder with one solved notebook (or all seven), damages it and says what the
result deserves. The solved notebook is made from the current lesson, so recipes name cells by
identifier and never by their text or number.
"""

from __future__ import annotations

import contextlib
import copy
import gzip
import json
import os
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import nbformat
from support.attacks import DOT

from autograder.lesson.model import Lesson

NOT_GRADABLE: Literal["not gradable"] = "not gradable"

TABLE, FORWARD, BACKWARD = "1_position_table", "2_forward_broadcast", "3_backward_slice_add"
CHECK, LIMIT, EXERCISES = "4_gradient_check", "5_block_size_limit", "6_exercises"

Expect = Literal["full", "not gradable"] | Mapping[str, float | str]
"""All points, none and a reason, or all points but those of the questions named."""

Cell = dict[str, Any]
"""A cell as it stands in the file."""


@dataclass(frozen=True)
class Handed:
    """What a student is about to hand in."""

    folder: Path
    lesson: Lesson
    notebook: str

    @property
    def file(self) -> Path:
        """The notebook that is damaged."""
        return self.folder / f"{self.notebook}.ipynb"

    @contextlib.contextmanager
    def edit(self, file: Path | None = None) -> Iterator[Notebook]:
        """Read the notebook's file, let the ``with`` block change it and write it again."""
        path = file or self.file
        notebook = Notebook(json.loads(path.read_text(encoding="utf-8")))
        yield notebook
        path.write_text(notebook.text(), encoding="utf-8")

    def blank(self, name: str = "") -> str:
        """Return a notebook as it was handed out."""
        return str(nbformat.writes(self.lesson.notebook(name or self.notebook).blank))


class Notebook:
    """A notebook's JSON, with its cells found by identifier."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    @property
    def cells(self) -> list[Cell]:
        """The cells, from top to bottom."""
        cells: list[Cell] = self.content["cells"]
        return cells

    @cells.setter
    def cells(self, cells: list[Cell]) -> None:
        self.content["cells"] = cells

    def index(self, identifier: str) -> int:
        """Return the place of the first cell with this nbgrader or cell identifier."""
        for i, cell in enumerate(self.cells):
            if identifier in (cell["metadata"].get("nbgrader", {}).get("grade_id"), cell.get("id")):
                return i
        raise KeyError(identifier)

    def __getitem__(self, identifier: str) -> Cell:
        return self.cells[self.index(identifier)]

    def insert(self, place: int, source: str, **fields: Any) -> Cell:
        """Insert a code cell of the student's."""
        cell: Cell = {
            "cell_type": "code",
            "execution_count": None,
            "id": f"new-{len(self.cells)}",
            "metadata": {},
            "outputs": [],
            "source": source,
            **fields,
        }
        self.cells.insert(place, cell)
        return cell

    def managed(self) -> list[Cell]:
        """Return the cells that nbgrader manages."""
        return [cell for cell in self.cells if "nbgrader" in cell["metadata"]]

    def text(self) -> str:
        """Return the notebook as it stands in a file."""
        return json.dumps(self.content, indent=1, ensure_ascii=False) + "\n"


def source(cell: Cell) -> str:
    """Return a cell's text."""
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])


def stub(handed: Handed, identifier: str) -> str:
    """Return the text of an answer cell as it was handed out."""
    blank = Notebook(json.loads(handed.blank()))
    return source(blank[identifier])


def strip(cell: Cell) -> None:
    """Remove all metadata and the identifier of a cell."""
    cell["metadata"] = {}
    cell["id"] = f"{zlib.crc32(source(cell).encode()):08x}"


@dataclass(frozen=True)
class Recipe:
    """One kind of damage."""

    name: str
    expect: Expect
    why: str
    notebook: str | None
    """Which notebook is handed in; None for all seven."""
    student: str | None
    damage: Callable[[Handed], object]


RECIPES: list[Recipe] = []


def damage(
    *, expect: Expect, why: str, notebook: str | None = FORWARD, student: str | None = None
) -> Callable[[Callable[[Handed], None]], Callable[[Handed], None]]:
    """Register the decorated function as a recipe with its own name."""

    def register(function: Callable[[Handed], None]) -> Callable[[Handed], None]:
        add(function.__name__, function, expect, why, notebook, student)
        return function

    return register


def add(
    name: str,
    function: Callable[[Handed], object],
    expect: Expect,
    why: str,
    notebook: str | None = FORWARD,
    student: str | None = None,
) -> None:
    """Register a recipe."""
    RECIPES.append(Recipe(name, expect, why, notebook, student, function))


# Copied cells ---------------------------------------------------------------------------------


@damage(expect="full", why="a blank copy below the answer is no answer")
def copied_blank_after(handed: Handed) -> None:
    with handed.edit() as nb:
        twin = copy.deepcopy(nb["add_positions"]) | {"source": stub(handed, "add_positions")}
        nb.cells.insert(nb.index("add_positions") + 1, twin)


@damage(expect="full", why="a blank copy above the answer is no answer")
def copied_blank_before(handed: Handed) -> None:
    with handed.edit() as nb:
        twin = copy.deepcopy(nb["add_positions"]) | {"source": stub(handed, "add_positions")}
        nb.cells.insert(nb.index("add_positions"), twin)


@damage(expect="full", why="a blank copy at the very end, under an identifier of its own")
def copied_blank_at_the_end(handed: Handed) -> None:
    with handed.edit() as nb:
        twin = copy.deepcopy(nb["add_positions"]) | {"source": stub(handed, "add_positions")}
        nb.cells.append(twin | {"id": "pasted"})


@damage(expect="full", why="the same answer twice is the same answer", notebook=LIMIT)
def copied_answer_twice(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.cells.insert(nb.index("embed_positions"), copy.deepcopy(nb["embed_positions"]))


@damage(expect="full", why="a first attempt was kept above the answer, in a copied cell")
def copied_with_old_attempt_above(handed: Handed) -> None:
    with handed.edit() as nb:
        twin = copy.deepcopy(nb["add_positions"])
        twin["source"] = "def add_positions(token_emb, P):\n    return token_emb + P\n"
        nb.cells.insert(nb.index("add_positions"), twin)


@damage(expect="full", why="a copied answer cell holds the next answer", notebook=LIMIT)
def copied_to_hold_the_next_answer(handed: Handed) -> None:
    with handed.edit() as nb:
        twin = copy.deepcopy(nb["position_vector"]) | {"id": "copy"}
        twin["source"] = source(nb["embed_positions"])
        nb["embed_positions"]["source"] = stub(handed, "embed_positions")
        nb.cells.insert(nb.index("embed_positions"), twin)


@damage(expect="full", why="the whole notebook was pasted below itself", notebook=BACKWARD)
def copied_all_cells(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.cells += copy.deepcopy(nb.cells)


@damage(expect="full", why="locked and graded cells were copied", notebook=CHECK)
def copied_setup_and_check(handed: Handed) -> None:
    with handed.edit() as nb:
        for name in ("setup", "from_before", "max_relative_error_check"):
            nb.cells.insert(nb.index(name) + 1, copy.deepcopy(nb[name]))


# Split cells ----------------------------------------------------------------------------------


def _split(nb: Notebook, name: str, mark: str, **fields: Any) -> None:
    """Split a cell before the last line that contains ``mark``."""
    lines = source(nb[name]).split("\n")
    at = max(i for i, line in enumerate(lines) if mark in line)
    nb[name]["source"] = "\n".join(lines[:at])
    nb.insert(nb.index(name) + 1, "\n".join(lines[at:]), **fields)


@damage(expect="full", why="a split inside the function leaves an indented second half")
def split_inside_function(handed: Handed) -> None:
    with handed.edit() as nb:
        _split(nb, "add_positions", "    return ")


@damage(expect="full", why="a split just below the docstring", notebook=LIMIT)
def split_below_docstring(handed: Handed) -> None:
    with handed.edit() as nb:
        _split(nb, "position_vector", "    block_size = P.shape[0]")


@damage(expect="full", why="both halves of the split carry the same metadata", notebook=BACKWARD)
def split_with_copied_metadata(handed: Handed) -> None:
    with handed.edit() as nb:
        meta = copy.deepcopy(nb["positional_backward"]["metadata"])
        _split(nb, "positional_backward", "    dP[:T]", metadata=meta)


@damage(expect="full", why="split twice, the metadata on the last part only", notebook=BACKWARD)
def split_in_three(handed: Handed) -> None:
    with handed.edit() as nb:
        meta = nb["positional_backward"]["metadata"]
        _split(nb, "positional_backward", "    dP[:T]")
        _split(nb, "positional_backward", "    dP = ")
        at = nb.index("positional_backward")
        nb.cells[at]["metadata"], nb.cells[at + 2]["metadata"] = {}, meta
        nb.cells[at]["id"] = "first-part"


@damage(expect="full", why="a split between a helper and the function that uses it")
def split_between_functions(handed: Handed) -> None:
    with handed.edit() as nb:
        nb["add_positions"]["source"] = (
            "def rows_in_use(token_emb, P):\n    return P[: token_emb.shape[1]]\n\n\n"
            "def add_positions(token_emb, P):\n    return token_emb + rows_in_use(token_emb, P)\n"
        )
        _split(nb, "add_positions", "def add_positions")


@damage(expect="full", why="a split between the lines of an answer of values", notebook=EXERCISES)
def split_values(handed: Handed) -> None:
    with handed.edit() as nb:
        _split(nb, "exercise1", "rows_equal =")


@damage(expect="full", why="a check that was split is the lesson's again")
def split_check(handed: Handed) -> None:
    with handed.edit() as nb:
        _split(nb, "add_positions_check", "assert ")


# Merged cells ---------------------------------------------------------------------------------


def _merge(nb: Notebook, first: str, last: str, keep: str | None) -> None:
    """Merge the cells from ``first`` to ``last`` into the one called ``keep``, or a new one."""
    start, stop = nb.index(first), nb.index(last) + 1
    cells = [cell for cell in nb.cells[start:stop] if cell["cell_type"] == "code"]
    merged = copy.deepcopy(nb[keep] if keep else cells[0])
    merged["source"] = "\n\n".join(source(cell) for cell in cells)
    if keep is None:
        strip(merged)
    nb.cells[start:stop] = [merged]


@damage(expect="full", why="the check was merged into the answer cell")
def merged_with_check(handed: Handed) -> None:
    with handed.edit() as nb:
        _merge(nb, "add_positions", "add_positions_check", "add_positions")


@damage(expect="full", why="the answer was merged into its check cell", notebook=LIMIT)
def merged_into_check(handed: Handed) -> None:
    with handed.edit() as nb:
        _merge(nb, "position_vector", "position_vector_check", "position_vector_check")


@damage(expect="full", why="answer and check are one cell without metadata", notebook=BACKWARD)
def merged_and_stripped(handed: Handed) -> None:
    with handed.edit() as nb:
        _merge(nb, "positional_backward", "positional_backward_check", None)


@damage(expect="full", why="the cells from the setup to the answer became the setup cell")
def merged_upward_into_setup(handed: Handed) -> None:
    with handed.edit() as nb:
        _merge(nb, "setup", "predicted_shape", "setup")


@damage(expect="full", why="the cells from the setup to the answer became the answer cell")
def merged_setup_into_answer(handed: Handed) -> None:
    with handed.edit() as nb:
        _merge(nb, "setup", "predicted_shape", "predicted_shape")


@damage(expect="full", why="two answers and the check between them are one cell", notebook=TABLE)
def merged_two_answers(handed: Handed) -> None:
    with handed.edit() as nb:
        _merge(nb, "make_position_table", "parameter_count", "make_position_table")


@damage(expect="full", why="an answer was merged with the check before it", notebook=LIMIT)
def merged_with_check_before(handed: Handed) -> None:
    with handed.edit() as nb:
        _merge(nb, "position_vector_check", "embed_positions", "position_vector_check")


@damage(expect="full", why="the prose above was merged into the answer cell, whose code is whole")
def merged_with_prose(handed: Handed) -> None:
    with handed.edit() as nb:
        at = nb.index("add_positions")
        assert nb.cells[at - 1]["cell_type"] == "markdown"
        nb.cells[at]["source"] = source(nb.cells[at - 1]) + "\n\n" + source(nb.cells[at])
        del nb.cells[at - 1]


# Deleted and moved cells ----------------------------------------------------------------------


@damage(expect={"add_positions": 0}, why="a deleted answer is no answer; the other one counts")
def deleted_answer(handed: Handed) -> None:
    with handed.edit() as nb:
        del nb.cells[nb.index("add_positions")]


@damage(expect={"exercise3_reason": 0}, why="a deleted written answer is none", notebook=EXERCISES)
def deleted_written_answer(handed: Handed) -> None:
    with handed.edit() as nb:
        del nb.cells[nb.index("exercise3_reason")]


@damage(expect="full", why="checks are the lesson's in any case", notebook=LIMIT)
def deleted_checks(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.cells = [c for c in nb.cells if not c["metadata"].get("nbgrader", {}).get("grade")]


@damage(expect="full", why="locked cells are the lesson's", notebook=EXERCISES)
def deleted_locked_cells(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.cells = [c for c in nb.cells if not c["metadata"].get("nbgrader", {}).get("locked")]


@damage(expect="full", why="only the answers were handed in", notebook=CHECK)
def deleted_all_but_answers(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.cells = [c for c in nb.cells if c["metadata"].get("nbgrader", {}).get("solution")]


@damage(expect="full", why="only the answers were handed in, without any metadata", notebook=LIMIT)
def deleted_all_but_bare_answers(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.cells = [c for c in nb.cells if c["metadata"].get("nbgrader", {}).get("solution")]
        for cell in nb.cells:
            strip(cell)


@damage(expect="full", why="the answer stands at the end, below its check", notebook=BACKWARD)
def moved_answer_to_the_end(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.cells.append(nb.cells.pop(nb.index("positional_backward")))


@damage(expect="full", why="cells in reverse order are put back", notebook=LIMIT)
def moved_all_cells(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.cells.reverse()


@damage(expect="full", why="a helper of the student's moved below the answer that uses it")
def moved_helper_below(handed: Handed) -> None:
    with handed.edit() as nb:
        nb["add_positions"]["source"] = (
            "def add_positions(token_emb, P):\n    return token_emb + rows_in_use(token_emb, P)\n"
        )
        helper = "def rows_in_use(token_emb, P):\n    return P[: token_emb.shape[1]]\n"
        nb.insert(nb.index("add_positions") + 1, helper)


# Retyped cells --------------------------------------------------------------------------------


@damage(expect="full", why="an answer cell turned into Markdown holds the answer still")
def retyped_answer_markdown(handed: Handed) -> None:
    with handed.edit() as nb:
        cell = nb["add_positions"]
        cell["cell_type"] = "markdown"
        del cell["outputs"], cell["execution_count"]


@damage(expect="full", why="an answer in a raw cell is still the answer", notebook=LIMIT)
def retyped_answer_raw(handed: Handed) -> None:
    with handed.edit() as nb:
        cell = nb["sinusoidal_position"]
        cell["cell_type"] = "raw"
        del cell["outputs"], cell["execution_count"]


@damage(expect="full", why="retyped and back: metadata and id are gone", notebook=CHECK)
def retyped_and_back(handed: Handed) -> None:
    with handed.edit() as nb:
        strip(nb["numerical_gradient"])


@damage(expect="full", why="graded and locked cells turned into Markdown", notebook=BACKWARD)
def retyped_locked_cells(handed: Handed) -> None:
    with handed.edit() as nb:
        for name in ("setup", "from_before", "positional_backward_check"):
            nb[name]["cell_type"] = "markdown"
            nb[name].pop("outputs", None)


@damage(expect="full", why="a written answer in a code cell", notebook=EXERCISES)
def retyped_written_answer(handed: Handed) -> None:
    with handed.edit() as nb:
        fields: dict[str, Any] = {"cell_type": "code", "outputs": [], "execution_count": None}
        nb["exercise3_reason"].update(fields)


@damage(expect="full", why="the written answer stands in two cells", notebook=EXERCISES)
def split_written_answer(handed: Handed) -> None:
    with handed.edit() as nb:
        _split(nb, "exercise3_reason", "", cell_type="markdown", metadata={})


@damage(expect="full", why="the written answer lost its mark", notebook=EXERCISES)
def stripped_written_answer(handed: Handed) -> None:
    with handed.edit() as nb:
        strip(nb["exercise3_reason"])


@damage(expect="full", why="the written answer stands in a cell below its own", notebook=EXERCISES)
def written_answer_in_a_cell_below(handed: Handed) -> None:
    with handed.edit() as nb:
        _move_written_answer(handed, nb, nb.index("exercise3_reason") + 1, "The table ends.")


@damage(expect="full", why="the written answer was typed into the question", notebook=EXERCISES)
def written_answer_in_the_question(handed: Handed) -> None:
    with handed.edit() as nb:
        nb["exercise3_reason"]["source"] = stub(handed, "exercise3_reason")
        nb["exercise3_prompt"]["source"] = (
            source(nb["exercise3_prompt"]) + "\n\nThe table ends, the formula does not."
        )


@damage(expect="full", why="the written answer is a comment in a code cell", notebook=EXERCISES)
def written_answer_as_a_comment(handed: Handed) -> None:
    with handed.edit() as nb:
        place = nb.index("exercise3_reason") + 1
        _move_written_answer(handed, nb, place, "# The table\n# ends.", cell_type="code")


@damage(expect="full", why="the written answer is prose in a code cell", notebook=EXERCISES)
def written_answer_as_broken_code(handed: Handed) -> None:
    with handed.edit() as nb:
        place = nb.index("exercise3_reason")
        text = "The table's last row is block_size - 1!"
        _move_written_answer(handed, nb, place, text, cell_type="code")


@damage(expect="full", why="the written answer is a drawing, attached", notebook=EXERCISES)
def written_answer_is_a_picture(handed: Handed) -> None:
    with handed.edit() as nb:
        cell = nb["exercise3_reason"]
        cell["source"] = stub(handed, "exercise3_reason")
        cell["attachments"] = {"drawn.png": {"image/png": DOT}}


@damage(expect="full", why="a note to oneself beside a stripped written answer", notebook=EXERCISES)
def written_answer_with_a_stray_text(handed: Handed) -> None:
    with handed.edit() as nb:
        strip(nb["exercise3_reason"])
        nb.insert(nb.index("exercise3_prompt") + 1, "To do: ask.", cell_type="markdown")


def _move_written_answer(
    handed: Handed, nb: Notebook, place: int, text: str, cell_type: str = "markdown"
) -> None:
    nb["exercise3_reason"]["source"] = stub(handed, "exercise3_reason")
    nb.insert(place, text, cell_type=cell_type)


# Answers that only IPython understands --------------------------------------------------------


def _in_ipython(before: str, after: str = "", indent: str = "") -> Callable[[Handed], None]:
    """Return a recipe: the answer between other lines, without metadata, its blank cell kept."""

    def recipe(handed: Handed) -> None:
        with handed.edit() as nb:
            answer = nb["add_positions"]
            text = source(answer)
            place = nb.index("add_positions")
            answer["source"] = stub(handed, "add_positions")
            inside = "\n".join(indent + line for line in text.split("\n"))
            nb.insert(place, f"{before}{inside}{after}")

    return recipe


for _name, (_before, _after, _indent) in {
    "time": ("%time x = 3\n", "", ""),
    "whole_cell_timed": ("%%time\n", "", ""),
    "command": ("!pip --version\n", "", ""),
    "question": ("", "\n\nadd_positions?", ""),
    "try": ("try:\n", "\nexcept NameError:\n    pass", "    "),
    "if": ("if True:\n", "", "    "),
    "with": ("import contextlib\nwith contextlib.nullcontext():\n", "", "    "),
    "for": ("for _ in range(1):\n", "", "    "),
}.items():
    add(
        f"answer_in_ipython_{_name}",
        _in_ipython(_before, _after, _indent),
        "full",
        "the answer stands in a cell of its own, above its blank one, in IPython",
    )


@damage(expect="full", why="the answer is imported from a module handed in beside the notebook")
def answer_imported(handed: Handed) -> None:
    with handed.edit() as nb:
        answer = nb["add_positions"]
        (handed.folder / "mine.py").write_text(source(answer), encoding="utf-8")
        answer["source"] = "from mine import add_positions"
        strip(answer)


@damage(
    expect={"add_positions": NOT_GRADABLE},
    why="the answer may come from a file that a magic runs, and its cell is blank",
)
def answer_run_from_a_file(handed: Handed) -> None:
    with handed.edit() as nb:
        answer = nb["add_positions"]
        (handed.folder / "mine.py").write_text(source(answer), encoding="utf-8")
        answer["source"] = stub(handed, "add_positions")
        nb.insert(nb.index("add_positions"), "%run mine.py")


# Files other than the notebook ----------------------------------------------------------------


@damage(expect="full", why="all notebooks in one zip archive", notebook=None)
def one_archive(handed: Handed) -> None:
    with zipfile.ZipFile(handed.folder / "homework.zip", "w") as archive:
        for file in sorted(handed.folder.glob("*.ipynb")):
            archive.write(file, f"homework/{file.name}")
            file.unlink()


@damage(expect=NOT_GRADABLE, why="the notebook was handed in as a PDF")
def printed(handed: Handed) -> None:
    handed.file.with_suffix(".pdf").write_bytes(b"%PDF-1.7")
    handed.file.unlink()


@damage(expect="full", why="the notebook is called a text")
def called_a_text(handed: Handed) -> None:
    handed.file.rename(handed.folder / f"{handed.file.name}.txt")


@damage(expect="full", why="the copy is fuller than the file with the right name", notebook=CHECK)
def fuller_copy(handed: Handed) -> None:
    copy_ = handed.folder / f"{CHECK}-Copy1.ipynb"
    shutil.copyfile(handed.file, copy_)
    with handed.edit() as nb:
        nb["bug_hunt"]["source"] = stub(handed, "bug_hunt")


@damage(expect=NOT_GRADABLE, why="each of two copies has an answer the other lacks", notebook=CHECK)
def copies_that_complete_each_other(handed: Handed) -> None:
    copy_ = handed.folder / f"{CHECK}-Copy1.ipynb"
    shutil.copyfile(handed.file, copy_)
    for file, blank in ((handed.file, "bug_hunt"), (copy_, "numerical_gradient")):
        with handed.edit(file) as nb:
            nb[blank]["source"] = stub(handed, blank)


# Edited graded and locked cells ---------------------------------------------------------------


@damage(expect="full", why="the asserts were taken out of a check; the answer is right")
def edited_check(handed: Handed) -> None:
    with handed.edit() as nb:
        nb["add_positions_check"]["source"] = "print('all good')\n"


@damage(expect={"add_positions": 0}, why="an emptied check does not make a wrong answer right")
def edited_check_of_wrong_answer(handed: Handed) -> None:
    with handed.edit() as nb:
        nb["add_positions_check"]["source"] = ""
        nb["add_positions"]["source"] = "def add_positions(token_emb, P):\n    return token_emb\n"


@damage(expect="full", why="the setup was played with; the lesson's counts", notebook=EXERCISES)
def edited_setup(handed: Handed) -> None:
    with handed.edit() as nb:
        text = source(nb["setup"])
        nb["setup"]["source"] = text.replace("block_size, C = 8, 4", "block_size, C = 16, 2")


@damage(expect="full", why="the answer uses an import that was added to the setup cell")
def edited_setup_with_import(handed: Handed) -> None:
    with handed.edit() as nb:
        nb["setup"]["source"] = source(nb["setup"]) + "\nfrom functools import partial\n"
        nb["add_positions"]["source"] = (
            "def add_positions(token_emb, P):\n"
            "    add = partial(np.add, token_emb)\n"
            "    return add(P[: token_emb.shape[1]])\n"
        )


@damage(expect="full", why="the answer was written into the check cell, its own cell left blank")
def answer_in_check_cell(handed: Handed) -> None:
    with handed.edit() as nb:
        answer = source(nb["add_positions"])
        nb["add_positions"]["source"] = stub(handed, "add_positions")
        nb["add_positions_check"]["source"] = answer + "\n" + source(nb["add_positions_check"])


@damage(expect="full", why="the check cell's text was replaced by the answer", notebook=LIMIT)
def answer_in_place_of_check(handed: Handed) -> None:
    with handed.edit() as nb:
        nb["sinusoidal_position_check"]["source"] = source(nb["sinusoidal_position"])
        nb["sinusoidal_position"]["source"] = stub(handed, "sinusoidal_position")


@damage(expect="full", why="the answer was written into the setup cell, its own cell left blank")
def answer_in_setup_cell(handed: Handed) -> None:
    with handed.edit() as nb:
        nb["setup"]["source"] = source(nb["setup"]) + "\n\n" + source(nb["add_positions"])
        nb["add_positions"]["source"] = stub(handed, "add_positions")


@damage(expect="full", why="the answer stands in a new cell, not its own", notebook=BACKWARD)
def answer_in_new_cell(handed: Handed) -> None:
    with handed.edit() as nb:
        answer = source(nb["positional_backward"])
        nb["positional_backward"]["source"] = stub(handed, "positional_backward")
        nb.insert(nb.index("positional_backward") + 1, answer)


@damage(expect="full", why="the answer stands in a new cell and the answer cell was emptied")
def answer_in_new_cell_above(handed: Handed) -> None:
    with handed.edit() as nb:
        answer = source(nb["add_positions"])
        nb["add_positions"]["source"] = ""
        nb.insert(nb.index("add_positions"), answer)


@damage(expect="full", why="a value was entered in a new cell, not its own", notebook=BACKWARD)
def value_in_new_cell(handed: Handed) -> None:
    with handed.edit() as nb:
        answer = source(nb["hand_gradient"])
        nb["hand_gradient"]["source"] = stub(handed, "hand_gradient")
        nb.insert(nb.index("hand_gradient") + 1, answer)


# Metadata -------------------------------------------------------------------------------------


@damage(expect="full", why="one answer cell lost its metadata and identifier")
def stripped_answer(handed: Handed) -> None:
    with handed.edit() as nb:
        strip(nb["add_positions"])


@damage(expect="full", why="an answer of one value lost its metadata and identifier")
def stripped_value(handed: Handed) -> None:
    with handed.edit() as nb:
        strip(nb["predicted_shape"])


@damage(expect="full", why="the check cells lost their metadata", notebook=LIMIT)
def stripped_checks(handed: Handed) -> None:
    with handed.edit() as nb:
        for cell in nb.cells:
            if cell["metadata"].get("nbgrader", {}).get("grade"):
                strip(cell)


@damage(expect="full", why="all cells lost their metadata; identifiers remain", notebook=CHECK)
def stripped_all_metadata(handed: Handed) -> None:
    with handed.edit() as nb:
        for cell in nb.cells:
            cell["metadata"] = {}


@damage(expect="full", why="all cells lost metadata and identifiers", notebook=EXERCISES)
def stripped_everything(handed: Handed) -> None:
    with handed.edit() as nb:
        for cell in nb.cells:
            strip(cell)
        nb.content["metadata"] = {}


@damage(expect="full", why="points in the metadata are the lesson's alone")
def altered_points(handed: Handed) -> None:
    with handed.edit() as nb:
        nb["add_positions_check"]["metadata"]["nbgrader"]["points"] = 4000
        nb["predicted_shape_check"]["metadata"]["nbgrader"]["points"] = -3


@damage(expect={"add_positions": 0}, why="more points in the metadata make no answer right")
def altered_points_of_wrong_answer(handed: Handed) -> None:
    with handed.edit() as nb:
        nb["add_positions"]["source"] = "def add_positions(token_emb, P):\n    return token_emb\n"
        nb["add_positions"]["metadata"]["nbgrader"] |= {"grade": True, "points": 4}
        nb["add_positions_check"]["metadata"]["nbgrader"] |= {"grade": False}


@damage(expect="full", why="grade, solution and locked flags are the lesson's", notebook=LIMIT)
def altered_flags(handed: Handed) -> None:
    with handed.edit() as nb:
        for cell in nb.managed():
            meta = cell["metadata"]["nbgrader"]
            for flag in ("grade", "solution", "locked", "task"):
                meta[flag] = not meta[flag]


@damage(expect="full", why="renamed answers are recognized by what they define", notebook=BACKWARD)
def altered_names(handed: Handed) -> None:
    with handed.edit() as nb:
        for number, cell in enumerate(nb.managed()):
            cell["metadata"]["nbgrader"]["grade_id"] = f"cell-{number}"
            cell["id"] = f"cell-{number}"


@damage(expect="full", why="two answers wear each other's names", notebook=LIMIT)
def altered_names_swapped(handed: Handed) -> None:
    with handed.edit() as nb:
        one, other = nb["position_vector"], nb["embed_positions"]
        one["metadata"], other["metadata"] = other["metadata"], one["metadata"]
        one["id"], other["id"] = other["id"], one["id"]


@damage(expect="full", why="metadata of wrong types says nothing", notebook=BACKWARD)
def altered_types(handed: Handed) -> None:
    wrong: list[Any] = [None, [], 7, "yes", {"grade_id": 7}, {"points": "five", "grade": "no"}]
    with handed.edit() as nb:
        for number, cell in enumerate(nb.managed()):
            cell["metadata"]["nbgrader"] = wrong[number % len(wrong)]
        nb.cells[0]["metadata"] = None
        nb.content["metadata"] = ["not", "a", "mapping"]


def _altered_schema(version: Any) -> Callable[[Handed], None]:
    def schema(handed: Handed) -> None:
        with handed.edit() as nb:
            for cell in nb.managed():
                meta = cell["metadata"]["nbgrader"]
                meta["schema_version"] = version
                meta.pop("task")
                if version in (0, 1):
                    meta.pop("points", None)

    return schema


for _version in (0, 1, 2, 99, "3"):
    add(
        f"altered_schema_{_version}",
        _altered_schema(_version),
        "full",
        f"schema version {_version!r} of the metadata is read, not obeyed",
    )


@damage(expect="full", why="all cells have the same identifier", notebook=CHECK)
def duplicate_cell_ids(handed: Handed) -> None:
    with handed.edit() as nb:
        for cell in nb.cells:
            cell["id"] = "cell"


@damage(expect="full", why="cells without identifiers, as in nbformat 4.4", notebook=LIMIT)
def no_cell_ids(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.content["nbformat_minor"] = 4
        for cell in nb.cells:
            del cell["id"]


# Other editors and formats --------------------------------------------------------------------


@damage(expect="full", why="Colab has ids in its own metadata only", notebook=BACKWARD)
def colab(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.content |= {"nbformat_minor": 0}
        nb.content["metadata"] = {
            "colab": {"name": "3_backward.ipynb", "provenance": [], "toc_visible": True},
            "kernelspec": {"name": "python3", "display_name": "Python 3"},
            "accelerator": "GPU",
            "widgets": {"application/vnd.jupyter.widget-state+json": {"a1": {"state": {}}}},
        }
        for number, cell in enumerate(nb.cells):
            cell.pop("id")
            cell["metadata"] = {
                "id": f"xK{number:010d}",
                "colab": {"base_uri": "https://x.invalid"},
            }
            if cell["cell_type"] == "code":
                cell["execution_count"] = number
                cell["outputs"] = [
                    {"output_type": "stream", "name": "stdout", "text": ["Mounted at /content\n"]}
                ]


@damage(expect="full", why="VS Code adds its own metadata and cell languages", notebook=LIMIT)
def vscode(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.content["metadata"] = {
            "kernelspec": {"display_name": ".venv (3.11.9)", "name": "python3"},
            "language_info": {"name": "python", "pygments_lexer": "ipython3", "version": "3.11.9"},
        }
        for number, cell in enumerate(nb.cells):
            cell["id"] = f"{number:08x}"
            cell["metadata"] = {"vscode": {"languageId": "python"}} if number % 2 else {}


def _kernel(name: str, display: str, language: str) -> Callable[[Handed], None]:
    def kernel(handed: Handed) -> None:
        with handed.edit() as nb:
            nb.content["metadata"] = {
                "kernelspec": {"display_name": display, "language": language, "name": name},
                "language_info": {"name": language, "file_extension": ".r"},
            }

    return kernel


add(
    "kernel_conda",
    _kernel("conda-env-ml-py", "Python [conda env:ml]", "python"),
    "full",
    "a kernel that this machine lacks",
)
add("kernel_r", _kernel("ir", "R", "R"), "full", "an R kernel by mistake; the answers are Python")
add("kernel_path", _kernel("../../bin/sh", "sh", "bash"), "full", "a kernel name that is a path")


@damage(expect="full", why="nbformat 3: worksheets, inputs, prompt numbers", notebook=BACKWARD)
def nbformat_3(handed: Handed) -> None:
    with handed.edit() as nb:
        cells = []
        for number, cell in enumerate(nb.cells):
            if cell["cell_type"] == "code":
                cells.append(
                    {
                        "cell_type": "code",
                        "collapsed": False,
                        "input": source(cell),
                        "language": "python",
                        "metadata": cell["metadata"],
                        "outputs": [],
                        "prompt_number": number,
                    }
                )
            else:
                cells.append(
                    {"cell_type": "markdown", "metadata": cell["metadata"], "source": source(cell)}
                )
        nb.content.clear()
        nb.content |= {
            "metadata": {"name": "3_backward", "signature": "sha256:0"},
            "nbformat": 3,
            "nbformat_minor": 0,
            "worksheets": [{"cells": cells, "metadata": {}}],
        }


@damage(expect="full", why="a newer minor version with fields that nobody knows", notebook=TABLE)
def nbformat_newer(handed: Handed) -> None:
    with handed.edit() as nb:
        nb.content |= {"nbformat_minor": 9, "history": [{"by": "editor"}], "locale": "fr"}
        for cell in nb.cells:
            cell["pinned"] = True


@damage(expect="full", why="no version at all")
def nbformat_missing(handed: Handed) -> None:
    with handed.edit() as nb:
        del nb.content["nbformat"], nb.content["nbformat_minor"]


@damage(expect="full", why="sources as lists and as strings; no spaces in the JSON")
def compact_json(handed: Handed) -> None:
    content = json.loads(handed.file.read_text(encoding="utf-8"))
    for number, cell in enumerate(content["cells"]):
        text = source(cell)
        cell["source"] = text.splitlines(keepends=True) if number % 2 else text
    handed.file.write_text(json.dumps(content, separators=(",", ":")), encoding="utf-8")


@damage(expect="full", why="outputs and counts that no notebook may hold", notebook=CHECK)
def broken_outputs(handed: Handed) -> None:
    with handed.edit() as nb:
        for cell in nb.cells:
            if cell["cell_type"] == "code":
                cell["execution_count"] = "In [*]"
                cell["outputs"] = [{"output_type": "pyout", "data": 7}, None, "text"]


@damage(expect="full", why="cells without source, of unknown type, or no cells at all in the list")
def broken_cells(handed: Handed) -> None:
    with handed.edit() as nb:
        nb["add_positions"].pop("outputs")
        odd: list[Any] = [None, 3, {"cell_type": "code"}, {"cell_type": "chart", "source": 5}]
        nb.cells[:0] = odd


@damage(expect="full", why="half of an emoji, as a broken clipboard leaves it")
def lone_surrogate(handed: Handed) -> None:
    with handed.edit() as nb:
        nb["add_positions"]["source"] = source(nb["add_positions"]) + "\n# done SMILE\n"
    text = handed.file.read_text(encoding="utf-8").replace("SMILE", "\\ud83d")
    handed.file.write_text(text, encoding="utf-8")


def _encoded(name: str, *, comment: str = "") -> Callable[[Handed], None]:
    def encoded(handed: Handed) -> None:
        if comment:
            with handed.edit() as nb:
                nb["add_positions"]["source"] = f"# {comment}\n" + source(nb["add_positions"])
        text = handed.file.read_text(encoding="utf-8")
        handed.file.write_bytes(text.encode(name))

    return encoded


_ACCENTS = "déjà vu, façade, größer als nötig"
add("encoding_bom", _encoded("utf-8-sig"), "full", "a byte-order mark")
add("encoding_utf16", _encoded("utf-16"), "full", "UTF-16 with its mark, as from Notepad")
add("encoding_utf16_bare", _encoded("utf-16-be"), "full", "UTF-16 without a mark")
add("encoding_latin1", _encoded("latin-1", comment=_ACCENTS), "full", "Latin-1 with accents")
add("encoding_utf8_accents", _encoded("utf-8", comment=_ACCENTS), "full", "accents in UTF-8")


def _line_ends(end: str, *, inside: bool) -> Callable[[Handed], None]:
    def line_ends(handed: Handed) -> None:
        with handed.edit() as nb:
            if inside:
                for cell in nb.cells:
                    cell["source"] = source(cell).replace("\n", end)
        raw = handed.file.read_bytes().replace(b"\n", end.encode())
        handed.file.write_bytes(raw)

    return line_ends


add("line_ends_crlf", _line_ends("\r\n", inside=True), "full", "Windows line ends, in cells too")
add("line_ends_cr", _line_ends("\r", inside=True), "full", "old Mac line ends, in cells too")
add("line_ends_crlf_file", _line_ends("\r\n", inside=False), "full", "CRLF in the file")


# Files ----------------------------------------------------------------------------------------


def _renamed(name: str) -> Callable[[Handed], object]:
    return lambda handed: handed.file.rename(handed.folder / name)


for _number, _name in enumerate(
    (
        "Copy of 2_forward_broadcast (1).ipynb",
        "2_forward_broadcast-Copy1.ipynb",
        "2_forward_broadcast.ipynb.txt",
        "2_forward_broadcast.IPYNB",
        "2_Forward_Broadcast_final_v3.ipynb",
        "homework.ipynb",
        "Öffnen & [neu] 'x'.ipynb",
        "-rf.ipynb",
    )
):
    add(f"renamed_{_number + 1}", _renamed(_name), "full", f"recognized by its content: {_name}")


@damage(expect="full", why="a blank copy beside the answers")
def extra_blank_copy(handed: Handed) -> None:
    copy_file = handed.folder / "2_forward_broadcast-Copy1.ipynb"
    copy_file.write_text(handed.blank(), encoding="utf-8")


@damage(expect="full", why="an equal copy beside the original")
def extra_equal_copy(handed: Handed) -> None:
    shutil.copy(handed.file, handed.folder / "2_forward_broadcast (1).ipynb")


@damage(expect="full", why="a blank original and the answers in a copy")
def extra_blank_original(handed: Handed) -> None:
    handed.file.rename(handed.folder / "2_forward_broadcast-Copy1.ipynb")
    handed.file.write_text(handed.blank(), encoding="utf-8")


@damage(expect="full", why="an older copy differs; the file with the right name counts")
def extra_older_copy(handed: Handed) -> None:
    older = handed.folder / "2_forward_broadcast-Copy1.ipynb"
    shutil.copy(handed.file, older)
    with handed.edit(older) as nb:
        nb["add_positions"]["source"] = "def add_positions(token_emb, P):\n    return token_emb\n"


@damage(expect=NOT_GRADABLE, why="two different copies and no original: nobody knows which counts")
def extra_differing_copies(handed: Handed) -> None:
    first = handed.folder / "2_forward_broadcast (1).ipynb"
    shutil.copy(handed.file, first)
    with handed.edit(first) as nb:
        nb["add_positions"]["source"] = "def add_positions(token_emb, P):\n    return token_emb\n"
    handed.file.rename(handed.folder / "2_forward_broadcast (2).ipynb")


@damage(expect="full", why="two notebooks under each other's name", notebook=None)
def swapped_files(handed: Handed) -> None:
    one, other = handed.folder / f"{FORWARD}.ipynb", handed.folder / f"{BACKWARD}.ipynb"
    third = handed.folder / "x.ipynb"
    one.rename(third)
    other.rename(one)
    third.rename(other)


@damage(expect="full", why="a zip's folder with renamed notebooks", notebook=None)
def zip_folder(handed: Handed) -> None:
    inner = handed.folder / "my lesson 4 (final)" / "notebooks"
    litter = handed.folder / "__MACOSX" / "my lesson 4 (final)"
    inner.mkdir(parents=True)
    litter.mkdir(parents=True)
    for number, file in enumerate(sorted(handed.folder.glob("*.ipynb"))):
        file.rename(inner / f"part {number + 1}.ipynb")
        (litter / f"._part {number + 1}.ipynb").write_bytes(b"\0\5\26\7\0\2\0\0Mac OS X")
    (handed.folder / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")


@damage(expect="full", why="an old blank version among the checkpoints")
def checkpoints(handed: Handed) -> None:
    folder = handed.folder / ".ipynb_checkpoints"
    folder.mkdir()
    file = folder / "2_forward_broadcast-checkpoint.ipynb"
    file.write_text(handed.blank(), encoding="utf-8")


@damage(expect="full", why="files are named like modules that grading needs", notebook=LIMIT)
def module_names(handed: Handed) -> None:
    names = "numpy random json autograder IPython ipykernel matplotlib sitecustomize math ast zmq"
    for name in names.split():
        (handed.folder / f"{name}.py").write_text("raise RuntimeError('the wrong module')\n")
    (handed.folder / "numpy").mkdir()
    (handed.folder / "numpy" / "__init__.py").write_text("raise RuntimeError('the wrong one')\n")
    (handed.folder / "ipython_config.py").write_text("raise RuntimeError('the wrong one')\n")


@damage(expect="full", why="the answer reads a file that was handed in with it")
def data_file(handed: Handed) -> None:
    (handed.folder / "data").mkdir()
    (handed.folder / "data" / "axis.txt").write_text("1\n")
    with handed.edit() as nb:
        nb["add_positions"]["source"] = (
            "def add_positions(token_emb, P):\n"
            "    with open('data/axis.txt') as file:\n"
            "        axis = int(file.read())\n"
            "    return token_emb + P[: token_emb.shape[axis]]\n"
        )


@damage(expect="full", why="links, pipes, unreadable and huge files beside the notebook")
def special_files(handed: Handed) -> None:
    (handed.folder / "link.txt").symlink_to("/etc/hostname")
    (handed.folder / "loop").symlink_to(".")
    (handed.folder / "dangling.ipynb").symlink_to("nowhere.ipynb")
    if hasattr(os, "mkfifo"):
        os.mkfifo(handed.folder / "pipe.ipynb")
    (handed.folder / "secret.txt").write_text("nobody")
    (handed.folder / "secret.txt").chmod(0)
    with (handed.folder / "huge.bin").open("wb") as stream:
        stream.truncate(2**31)


@damage(expect="full", why="the notebook's own name is a link to another of the files")
def linked_original(handed: Handed) -> None:
    real = handed.folder / "work" / "answers.ipynb"
    real.parent.mkdir()
    handed.file.rename(real)
    handed.file.symlink_to(real.relative_to(handed.folder))


def _timestamp(content: bytes | None) -> Callable[[Handed], None]:
    def timestamp(handed: Handed) -> None:
        file = handed.folder / "timestamp.txt"
        file.unlink()
        if content is not None:
            file.write_bytes(content)

    return timestamp


for _name, _content in {
    "missing": None,
    "empty": b"",
    "garbage": b"yesterday, I think",
    "bytes": b"\xff\xfe\0\x81",
    "far_future": b"9999-12-31 23:59:59 Pacific/Kiritimati",
    "overflow": b"292278994-08-17 07:12:55 UTC",
}.items():
    add(f"timestamp_{_name}", _timestamp(_content), "full", f"a timestamp that is {_name}: on time")


@damage(expect="full", why="the timestamp is a folder")
def timestamp_folder(handed: Handed) -> None:
    (handed.folder / "timestamp.txt").unlink()
    (handed.folder / "timestamp.txt").mkdir()


def _replaced(make: Callable[[bytes], bytes]) -> Callable[[Handed], object]:
    return lambda handed: handed.file.write_bytes(make(handed.file.read_bytes()))


_CONFLICT = b"<<<<<<< HEAD\n%s=======\n%s>>>>>>> main\n"
_LOGIN = b"<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>...</body></html>"
for _name, _make, _why in (
    ("empty", lambda raw: b"", "an empty file"),
    ("blank", lambda raw: b"\n \n", "a file of blank lines"),
    ("zeros", lambda raw: bytes(len(raw)), "a file of zero bytes, as a full disk leaves it"),
    ("truncated", lambda raw: raw[: len(raw) // 2], "half a file"),
    ("conflict", lambda raw: _CONFLICT % (raw, raw), "merge conflict markers"),
    ("login_page", lambda raw: _LOGIN, "the login page of a website"),
    ("pdf", lambda raw: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n", "a renamed PDF"),
    ("gzip", lambda raw: gzip.compress(raw, mtime=0), "a compressed file"),
    ("json_list", lambda raw: b"[1, 2, 3]", "JSON, but a list"),
    ("json_settings", lambda raw: b'{"cells": "none", "theme": "dark"}', "JSON, but no notebook"),
    ("deep", lambda raw: b"[" * 10_000 + b"]" * 10_000, "10,000 levels of nesting"),
    ("deep_cells", lambda raw: b'{"cells":' + b"[" * 9_000 + b"]" * 9_000 + b"}", "deep cells"),
    ("no_cells", lambda raw: b'{"cells": [], "metadata": {}, "nbformat": 4}', "no cells at all"),
    ("twice", lambda raw: raw + raw, "the file's content twice"),
    ("infinite", lambda raw: raw[:-3] + b', "x": ' + b"9" * 5000 + b"}", "a number of 5000 digits"),
):
    add(f"unreadable_{_name}", _replaced(_make), NOT_GRADABLE, _why)


@damage(expect=NOT_GRADABLE, why="another course's notebook under the right name")
def foreign_notebook(handed: Handed) -> None:
    cell = nbformat.v4.new_code_cell("print('lesson 3')")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), handed.file)


@damage(expect=NOT_GRADABLE, why="exported pages and scripts are no notebooks")
def exported_instead(handed: Handed) -> None:
    text = "\n\n".join(
        cell.source
        for cell in handed.lesson.notebook(FORWARD).solved().cells
        if cell.cell_type == "code"
    )
    handed.file.unlink()
    (handed.folder / "2_forward_broadcast.py").write_text(text, encoding="utf-8")
    (handed.folder / "2_forward_broadcast.html").write_bytes(_LOGIN)


@damage(expect=NOT_GRADABLE, why="an empty folder was handed in")
def nothing_but_a_timestamp(handed: Handed) -> None:
    handed.file.unlink()


@damage(expect=NOT_GRADABLE, why="a folder stands where the notebook should")
def folder_for_notebook(handed: Handed) -> None:
    handed.file.unlink()
    handed.file.mkdir()


@damage(
    expect={"predicted_shape": NOT_GRADABLE, "add_positions": NOT_GRADABLE},
    why="one notebook of seven is broken beyond use, the others count",
    notebook=None,
)
def one_broken_of_seven(handed: Handed) -> None:
    (handed.folder / f"{FORWARD}.ipynb").write_bytes(_LOGIN)


# Text that pages show -------------------------------------------------------------------------

_SCRIPT = "<script>/* corpus-injection */</script>"


@damage(expect="full", why="scripts in the student's own prose; the page must not run them")
def prose_with_scripts(handed: Handed) -> None:
    with handed.edit() as nb:
        for text in (
            f"# Notes\n\n{_SCRIPT}",
            "<img src=x onerror='/* corpus-injection */'>",
            "[link](javascript:/*corpus-injection*/) <iframe srcdoc='corpus-injection'></iframe>",
        ):
            nb.insert(len(nb.cells), text, cell_type="markdown")


@damage(expect="full", why="prose that is nested deeper than a converter likes")
def prose_nested_deeply(handed: Handed) -> None:
    with handed.edit() as nb:
        for text in (">" * 5000 + " quoted", "[" * 5000, "*a **b " * 3000, "- " * 3000 + "x"):
            nb.insert(len(nb.cells), text, cell_type="markdown")


@damage(expect="full", why="a written answer that is a script", notebook=EXERCISES)
def written_answer_with_script(handed: Handed) -> None:
    with handed.edit() as nb:
        nb["exercise3_reason"]["source"] = f"The table ends. {_SCRIPT}"


@damage(expect="full", why="file names that are markup, in the notes on what was repaired")
def file_names_with_markup(handed: Handed) -> None:
    handed.file.rename(handed.folder / "<img src=x onerror=corpus-injection>.ipynb")
    (handed.folder / "[a](javascript:corpus-injection)").symlink_to("nowhere")


@damage(expect="full", why="old outputs with scripts are not shown", notebook=LIMIT)
def outputs_with_scripts(handed: Handed) -> None:
    with handed.edit() as nb:
        data = {"text/html": _SCRIPT, "application/javascript": "/* corpus-injection */"}
        output = {"output_type": "display_data", "metadata": {}, "data": data}
        for cell in nb.cells:
            if cell["cell_type"] == "code":
                cell["outputs"] = [output]


# Students' names ------------------------------------------------------------------------------


def _untouched(handed: Handed) -> None:
    """Hand in a perfect submission."""


for _name, _student in {
    "spaces": "with two  spaces",
    "quotes": 'it\'s "quoted" `here`',
    "accents": "élève-ñandú-Ωμέγα-学生",
    "brackets": "br[1]",
    "star": "star*and?question",
    "braces": "{student_id}{0}",
    "dash": "-rf",
    "long_dash": "--help",
    "percent": "100%s%(name)s%20",
    "dollar": "$HOME;$(id)&|<x>",
    "dots": "a..b...",
    "equals": "=1+2",
    "comma": "last, first",
    "long": "long-" * 40,
    "tab": "tab\tinside",
}.items():
    add(f"student_{_name}", _untouched, "full", f"called {_student[:20]!r}", student=_student)
