"""Nothing of a student's acts on the page that shows it, nor keeps the page waiting."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import threading
import time

import nbformat
import pytest
from bs4 import BeautifulSoup
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nbconvert.filters import strip_files_prefix
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat.v4 import new_output
from support.attacks import ACTIVE, DOT, REMOTE

from autograder.sanitize.budget import Budget, TooSlow
from autograder.sanitize.html import clean_html
from autograder.sanitize.markdown import TEXT_LIMIT, clean_markdown, literal
from autograder.sanitize.outputs import CUT, HTML_LIMIT, clean_data, sanitize_output
from autograder.sanitize.pictures import PICTURES_LIMIT
from autograder.sanitize.text import no_math, printable

# A timer that rings in a finalizer is lost there, is reported, and rings again.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

GIF = "R0lGODlhAQABAAAAACH5BAAAAAAALAAAAAABAAEAAAICTAEAOw=="
PICTURE = {"image/png": DOT}

COMMANDS = ("href", "url", "style", "class", "cssId", "require", "mmlToken", "includegraphics")


def rendered(text, attachments=None):
    """Return the page that nbconvert makes, as Formgrader's template does it."""
    renderer = IPythonRenderer(escape=False, attachments=attachments or {})
    return strip_files_prefix(MarkdownWithMath(renderer).render(text))


def problems(page):
    """Return what acts, loads or leaves on a page, found by another parser than the product's."""
    soup = BeautifulSoup(page, "html.parser")
    found = []
    for tag in soup.find_all(True):
        if tag.name in ("script", "style", "svg", "iframe", "object", "embed", "link", "base"):
            found.append(tag.name)
        if tag.name in ("meta", "form", "button", "video", "audio", "math", "textarea", "source"):
            found.append(tag.name)
        for name, value in tag.attrs.items():
            value = " ".join(value) if isinstance(value, list) else value
            bare = re.sub(r"[\x00-\x20]", "", value).lower()
            if name in ("src", "href"):
                good = (
                    re.match(r"data:image/(png|jpeg|gif);base64,", bare)
                    if name == "src"
                    else re.match(r"https?:|mailto:", bare) or ":" not in re.split("[/?#]", bare)[0]
                )
            elif name == "style":
                good = not re.search(r"url|position|\(|expression", bare)
            elif name == "class":
                good = not re.search(r"process|mermaid|nbgrader|score|comment", bare)
            else:
                good = name in (
                    *("align", "alt", "title", "id", "type", "checked", "disabled", "start"),
                    *("width", "height", "colspan", "rowspan", "scope", "open", "border", "color"),
                )
            if not good:
                found.append(f"{tag.name} {name}={value[:60]}")
    for tag in soup.find_all(["pre", "code"]):
        tag.decompose()
    found += re.findall(rf"\\(?:{'|'.join(COMMANDS)})\b", soup.get_text())
    return found


def seconds(work, *args):
    start = time.process_time()
    work(*args)
    return time.process_time() - start


# Text --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (os.fsdecode(b"caf\xe9"), r"caf\xe9"),
        ("half \ud800 a pair", r"half \ud800 a pair"),
        ("\udfff", r"\udfff"),
        ("nul \x00 and \x9b31m", r"nul \x00 and \x9b31m"),
    ],
)
def test_what_cannot_be_written_is_shown_as_an_escape(text, shown):
    assert printable(text) == printable(text, line=True) == shown


@pytest.mark.parametrize(
    "text", ["é, 日本, 👩\u200d🔬, می\u200cخواهم", r"a \n \x00 of one's own", ""]
)
def test_ordinary_text_is_printed_as_it_is(text):
    assert printable(text) == printable(text, line=True) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;owned\x07\x1b[2J", r"\x1b]0;owned\x07\x1b[2J"),
        ("s01\r\ns02\u2028s03\x85s04", r"s01\r\ns02\u2028s03\x85s04"),
        ("\u202egpj.exe\u2066\u200f\ufeff", r"\u202egpj.exe\u2066\u200f\ufeff"),
        ("\U000e0041\t", r"\U000e0041\t"),
    ],
)
def test_one_line_of_a_terminal_moves_and_hides_nothing(text, shown):
    assert printable(text, line=True) == shown


def test_text_of_several_lines_keeps_its_lines_and_colours():
    text = "a\n\tb \x1b[31mred\x1b[0m\r50%\b"
    assert printable(text) == text


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_can_be_written_and_one_for_a_line_has_one_line(text):
    printable(text).encode()
    line = printable(text, line=True)
    line.encode()
    assert len(line.splitlines()) <= 1
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", line)


def test_text_of_verdicts_holds_no_formulas():
    shown = BeautifulSoup(no_math(r"<b>$\href{javascript:x}{y}$"), "html.parser").span
    assert {"tex2jax_ignore", "mathjax_ignore"} <= set(shown["class"])
    assert shown.get_text() == r"<b>$\href{javascript:x}{y}$"


def test_what_any_writer_needs_loads_no_library():
    code = (
        "import sys, autograder.sanitize.text, autograder.results, autograder.verdict.words; "
        "print(sorted({'nh3', 'nbconvert', 'nbformat', 'pygments'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"


# Text cells --------------------------------------------------------------------------------------

ORDINARY = [
    "",
    "a < b & c > d, `x[0]`, \\$5, x_1 * y_2",
    "$a<b$, $$\n\\begin{align}a&=b\\\\ \\mathbf{c}&=\\frac{1}{2}\\end{align}\n$$ and \\\\(x\\\\)",
    "$\\newcommand{\\R}{\\mathbb{R}} x \\in \\R$",
    "# Title\n\n## Sub *it* `c`\n\n* a\n    1. b\n    3. c\n\n> said\n\n---\n\nx\n: def",
    "| a | b |\n|:--|--:|\n| 1 | 2 |",
    "```python\nx = '<script>'\n```\n\n    indented <img src=x>\n\n~~~\n`\\href{a}`\n~~~",
    "Use `\\href{javascript:x}` or `<script>`.",
    '[a](https://a.example/?b=1&c=2 "t") <https://b.example> [m](mailto:a@b.example) [n](#x)',
    "[r][1] https://auto.example [next](2_forward.ipynb)\n\n[1]: http://c.example",
    "- [ ] open\n- [x] done\n\n~~gone~~",
    "<b>b</b><br>H<sub>2</sub>O <span style='color: red'>r</span>\n<!-- note -->",
    "<details><summary>Why</summary>\n\n*so*\n\n</details>",
    "<table><tr><td align=center>1</td></tr></table>",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_text_stays_as_it_is(text):
    assert clean_markdown(text, {}) == (text, {}, [])


@pytest.mark.parametrize("text", REMOTE + ACTIVE)
def test_a_text_loads_runs_and_links_to_nothing(text):
    shown, attachments, notes = clean_markdown(f"Before.\n\n{text}\n\nAfter.", {})
    page = rendered(shown, attachments)
    assert problems(page) == []
    assert "Before." in page
    assert notes
    cleaned = clean_html(text)
    assert [p for p in problems(cleaned) if not p.startswith("\\")] == []


@pytest.mark.parametrize("text", ["<p>{}</p>", "{}"])
def test_no_heading_of_a_student_takes_an_id_of_the_page(text):
    heading = text.format("\n\n# add_positions_check\n\n<h1 id=statusmessage>s</h1>\n\n# Other\n\n")
    shown, _, _ = clean_markdown(heading, {}, taken={"add_positions_check"})
    page = BeautifulSoup(rendered(shown), "html.parser")
    assert page.find(id="Other") is not None
    assert page.find(id="add_positions_check") is None
    assert page.find(id="statusmessage") is None


FORMS = ["![x](attachment:{})", "![x][r]\n\n[r]: attachment:{}", "<img src='attachment:{}'>"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a.png", "a.png"),
        ("my dot.png", "my%20dot.png"),
        ("my%20dot.png", "my%20dot.png"),
        ("größe.png", "größe.png"),
        ("größe.png", "gr%C3%B6%C3%9Fe.png"),
    ],
)
def test_an_attached_picture_is_kept(form, name, written):
    shown, attachments, _ = clean_markdown(form.format(written), {name: PICTURE})
    page = BeautifulSoup(rendered(shown, attachments), "html.parser")
    assert page.img["src"] == f"data:image/png;base64,{DOT}"
    cell = nbformat.v4.new_markdown_cell(shown, attachments=attachments)
    nbformat.validate(nbformat.v4.new_notebook(cells=[cell]))


def test_a_text_with_its_pictures_stays_as_it_is():
    text = "See ![x](attachment:a.png), ![y](attachment:b.gif)"
    given = {"a.png": {"image/png": [DOT[:9] + "\n", DOT[9:]]}, "b.gif": {"image/gif": GIF}}
    shown, kept, notes = clean_markdown(text, given)
    assert (shown, notes) == (text, [])
    assert kept == {"a.png": PICTURE, "b.gif": {"image/gif": GIF}}


def test_a_picture_in_the_text_itself_is_attached_to_it():
    text = f"![x](data:image/png;base64,{DOT})\n\n![y][1]\n\n[1]: <data:image/gif;base64,{GIF}>"
    shown, kept, notes = clean_markdown(text)
    sources = [tag["src"] for tag in BeautifulSoup(rendered(shown, kept), "html.parser")("img")]
    assert sources == [f"data:image/png;base64,{DOT}", f"data:image/gif;base64,{GIF}"]
    assert notes == []


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "attachments",
    [
        {},
        None,
        [],
        "a.png",
        {"other.png": PICTURE},
        {"fig 1.png": None},
        {"fig 1.png": {}},
        {"fig 1.png": {"image/png": None}},
        {"fig 1.png": {"image/png": {"a": 1}}},
        {"fig 1.png": {"image/png": "PHN2Zy8+"}},
        {"fig 1.png": {"image/jpeg": DOT}},
        {"fig 1.png": {"image/png": DOT + '"><script>'}},
        {"fig 1.png": {"image/svg+xml": "PHN2Zy8+"}},
        {"fig 1.png": {"text/html": "PHNjcmlwdD4="}},
        {"fig 1.png": {"image/png": DOT[:-2] + "A" * PICTURES_LIMIT}},
        {1: PICTURE},
    ],
)
def test_a_picture_that_is_missing_or_none_is_said_in_its_place(form, attachments):
    shown, kept, notes = clean_markdown("Formula $x$. " + form.format("fig%201.png"), attachments)
    page = rendered(shown, kept)
    assert problems(page) == []
    assert re.search(r"\[picture fig 1.png (is missing|cannot be shown)\]", page)
    assert "$x$" in page
    assert any("picture fig 1.png" in note for note in notes)


def test_a_long_text_is_cut_with_a_note():
    shown, _, notes = clean_markdown("word " * TEXT_LIMIT)
    assert len(shown) < TEXT_LIMIT + 100
    assert shown.endswith("text cut here\n")
    assert notes == ["a text of 500,000 characters was cut after 100,000, the most that is shown"]


def test_many_notes_are_summed_up():
    _, _, notes = clean_markdown("".join(f"![x](http://e.example/{i})" for i in range(50)))
    assert len(notes) < 10
    assert "45 more" in notes[-1]


def test_lone_surrogates_and_control_characters_of_a_text_can_be_written():
    shown, _, _ = clean_markdown("a \ud800 b \x00 c")
    assert shown == r"a \ud800 b \x00 c"


SLOW = [
    "\\begin{a}",
    "\\begin{a}\n",
    "[",
    "![",
    "x[",
    "[a](",
    "[a]",
    "[a][b]",
    "\\[",
    "\\\\[",
    "\\\\(",
    "<![CDATA[",
    "<!--",
    "<?",
    "<a ",
    "<a b=",
    "<b>",
    "<div>\n",
    "*a **a ",
    "*a_ ",
    "> ",
    "\n> ",
    "- ",
    "\n- a",
    "1. ",
    "`",
    "``a",
    "$",
    "$a",
    "$$a",
    "|",
    "a|b\n-|-\n",
    "[a]: b\n",
    "# a\n",
    "a\n=\n",
    "~~",
    "```python\n    \n",
    "http://",
    "\n\n",
    "\\",
    "&#",
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", SLOW)
def test_no_text_keeps_the_grader_or_a_page_waiting(unit):
    text = unit * (225_000 // len(unit))
    shown = []
    assert seconds(lambda: shown.append(clean_markdown(text))) < 5
    assert seconds(rendered, *shown[0][:2]) < 5


@pytest.mark.parametrize("unit", ["\\begin{a}", "[", "<![CDATA["])
def test_a_text_that_takes_too_long_is_shown_as_it_was_typed(unit):
    text = unit * (100_000 // len(unit))
    shown = []
    budget = Budget(0.3, 0.3)
    assert seconds(lambda: shown.append(clean_markdown(text, budget=budget))) < 5
    source, _, [note] = shown[0]
    assert "too long" in note
    assert seconds(rendered, source) < 5
    assert BeautifulSoup(rendered(source), "html.parser").pre.get_text() == text


def test_many_slow_texts_take_no_longer_than_their_budget():
    budget = Budget(0.5, 0.1)
    text = "[" * 50_000
    assert seconds(lambda: [clean_markdown(text, budget=budget) for _ in range(100)]) < 10
    assert clean_markdown("a", budget=budget)[0] == literal("a")


def test_the_timer_is_gone_afterwards_even_if_the_work_catches_exceptions():
    def stubborn(text):
        while True:
            with contextlib.suppress(Exception):
                time.sleep(0)

    with pytest.raises(TooSlow):
        Budget(0.05).spend(stubborn, "")
    end = time.process_time() + 0.3  # three times the interval of the timer
    while time.process_time() < end:
        pass


def test_outside_the_main_thread_short_texts_are_rendered_and_long_ones_shown_as_typed():
    results = []

    def work():
        results.append(clean_markdown("*a*")[0])
        results.append(clean_markdown("[" * 50_000)[0])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert results == ["*a*", literal("[" * 50_000)]


PIECES = st.sampled_from(
    [
        *REMOTE,
        *ACTIVE,
        *SLOW,
        *("<table>", "<tr>", "<td>", "</td>", "<pre>", "</pre>", "<code>", "</code>", "<p>"),
        *("<li>", "<a href=x>", "</a>", "<b>", "</b>", "-->", "<!--", "'", '"', ">", "\n\n"),
        *("$", "\\href", "{javascript:x}", "`", "```\n", " ", "files/", "&lt;", "&#60;", "<"),
    ]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PIECES, max_size=8).map("".join) | st.text(st.characters(exclude_categories=())))
def test_whatever_is_written_nothing_acts(text):
    shown, kept, _ = clean_markdown(text, {"a.png": PICTURE}, budget=Budget(5))
    page = rendered(shown, kept)
    assert problems(page) == []
    page.encode()
    found = problems(clean_html(text))
    assert [p for p in found if not p.startswith("\\")] == []


# Outputs -----------------------------------------------------------------------------------------


def test_tables_stay_as_they_are_and_hold_no_formulas():
    table = (
        '<table border="1"><thead><tr style="text-align: right"><th>a</th></tr></thead>'
        '<tbody><tr><td colspan="2">$1$</td></tr></tbody></table>'
    )
    assert clean_html(table) == f'<div class="tex2jax_ignore mathjax_ignore">{table}</div>'
    frame = f"<div>\n<style scoped>\n.dataframe {{color: red}}\n</style>\n{table}</div>"
    assert "dataframe" not in clean_html(frame)
    assert table in clean_html(frame)


def test_outputs_keep_text_and_pictures_and_lose_everything_else():
    data = {
        "text/plain": "<script>",
        "image/png": DOT + "\n",
        "image/jpeg": '"><script>',
        "image/svg+xml": "<svg/>",
        "application/javascript": "alert(1)",
        "text/latex": "$x$",
        "text/markdown": "![](http://e.example)",
        "application/vnd.x+json": {"a": 1},
    }
    output = new_output("display_data", data, metadata={"image/png": {"width": 1}})
    shown = sanitize_output(output, 1000)
    assert dict(shown.data) == {"text/plain": "<script>", "image/png": DOT}
    assert not shown.metadata


def test_a_picture_in_an_output_is_what_it_says():
    assert clean_data({"image/png": GIF}, 1000) == {}
    assert clean_data({"image/jpeg": DOT}, 1000) == {}
    assert clean_data({"image/png": DOT + "A" * PICTURES_LIMIT}, 1000) == {}
    assert f'src="data:image/png;base64,{DOT}"' in clean_html(
        f'<img src="data:image/png;base64,{DOT}">'
    )


def test_large_html_is_shown_as_text_with_a_note():
    rows = "<tr><td>1</td><td>2</td><td>3</td></tr>\n" * 28_000
    output = new_output("display_data", {"text/html": f"<table>{rows}</table>", "text/plain": "t"})
    shown = []
    assert seconds(lambda: shown.append(sanitize_output(output, 100_000))) < 1
    assert dict(shown[0].data) == {
        "text/plain": "t\n[the HTML of this output (1.1 MB) is larger than 100 kB "
        "and is shown as text]"
    }


NESTED = [
    "<ul><li>",
    "<b>",
    "<div>",
    "<b title={i}>",
    "<b title={i}><p>",
    "<font color={i}>",
    "<a href={i}>",
    "<a><b><i><p>",
    "<p><b><div>",
    "<table><tr><td>",
    "<table><b>x",
    "<table>",
    "<dl><dd>",
    "<h1><div>",
    "<b><i></b></i>",
    "<a><p></a>",
    "<b title={i}><object></b></object>",
    "<td></p>",
    "</p>",
    "<",
    "<a ",
    "<a b='",
    '<a b="',
    "<a b=\" <a c='",
    "<!--",
    "<!-- -->",
    "<script>",
    "<style>a</style>",
    "<svg>",
    "&",
    "&#",
    "&lt",
    "\\",
    "\\href",
    "a=1 ",
]


@pytest.mark.parametrize("unit", NESTED)
def test_no_html_keeps_the_grader_waiting(unit):
    pieces = (unit.format(i=i) for i in range(HTML_LIMIT // len(unit)))
    page = "".join(pieces)[:HTML_LIMIT]
    shown = []
    assert seconds(lambda: shown.append(sanitize_output(_html(page), HTML_LIMIT))) < 5
    assert len(shown[0].data["text/html"]) < 70 * HTML_LIMIT


def _html(page):
    return new_output("display_data", {"text/html": page})


@given(
    st.lists(
        st.sampled_from(
            [f"<{e}{t}>" for e in ("", "/") for t in "b p td table a li h1 div".split()]
        ),
        max_size=60,
    ).map("".join)
)
def test_cleaned_html_stays_as_it_is_when_cleaned_again_and_closes_what_it_opens(page):
    inner = re.fullmatch(r"<div [^>]*>(.*)</div>", clean_html(page), re.DOTALL)[1]
    assert clean_html(inner)[43:-6] == inner
    for name in ("b", "table", "div", "a"):
        assert len(re.findall(rf"<{name}[ >]", inner)) == inner.count(f"</{name}>")


@pytest.mark.parametrize(
    "output",
    [
        {},
        {"output_type": 3},
        {"output_type": "stream"},
        {"output_type": "stream", "name": "x", "text": ["a", 1]},
        {"output_type": "stream", "name": {}, "text": {"a": 1}},
        {"output_type": "error", "ename": 1, "evalue": None, "traceback": "abc"},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": [1, None, "line"]},
        {"output_type": "display_data", "data": []},
        {"output_type": "display_data", "data": {"text/plain": {"a": 1}, "image/png": 5}},
        {"output_type": "execute_result", "data": {"text/html": ["<b>", "x"]}, "metadata": 4},
        {"output_type": "execute_result", "data": None, "execution_count": "7"},
        {"output_type": "display_data", "data": {"text/plain": "\ud800", "text/html": "\udce9"}},
        {"output_type": "stream", "text": "\ud800\x00\x1b[31m"},
        {"output_type": "display_data", "data": {"text/html": "&#" + "9" * 5000 + ";"}},
    ],
)
def test_an_output_of_any_form_becomes_a_valid_one_that_can_be_written(output):
    shown = sanitize_output(nbformat.from_dict(output), 1000)
    cell = nbformat.v4.new_code_cell("x", outputs=[shown])
    node = nbformat.v4.new_notebook(cells=[cell])
    nbformat.validate(node)
    nbformat.writes(node).encode()


def test_text_of_every_kind_is_cut():
    long = "abc\n" * 1000
    stream = sanitize_output(new_output("stream", text=long), 100)
    assert stream.text == long[:100] + CUT
    result = sanitize_output(new_output("execute_result", {"text/plain": long}), 100)
    assert result.data["text/plain"] == long[:100] + CUT
    error = new_output("error", ename=long, evalue=long, traceback=[long, "last " + long])
    error = sanitize_output(error, 100)
    assert error.ename == error.evalue == long[:100] + CUT
    assert error.traceback == [("last " + long)[:100] + CUT]
    assert sanitize_output(new_output("stream", text="a" * 100), 100).text == "a" * 100


def test_a_flood_of_terminal_escapes_loses_its_colours():
    shown = sanitize_output(new_output("stream", text="\x1b[31ma\x1b[0;1m" * 5_000), 100_000)
    assert "\x1b" not in shown.text
    assert shown.text.startswith("aaa")
