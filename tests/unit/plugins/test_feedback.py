"""The page that a graded notebook becomes."""

from __future__ import annotations

import sys
import time
import types

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbconvert.exporters import HTMLExporter
from support.lessons import code, markdown, notebook_of
from traitlets.config import Config

from autograder.plugins.feedback import (
    CellExporter,
    FeedbackExporter,
    _last_heading,
    install_formgrader,
    redact_hidden,
)
from autograder.sanitize.budget import Budget
from autograder.sanitize.markdown import clean_markdown

# A timer that rings in a finalizer is lost there, is reported, and rings again.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="


def page(
    *cells: nbformat.NotebookNode, notes: tuple[str, ...] = (), **metadata: object
) -> BeautifulSoup:
    node = notebook_of(*cells)
    node.metadata.update(metadata)
    exporter = FeedbackExporter(config=Config(FeedbackExporter=FeedbackExporter.options()))
    question = {"grade_id": "q", "name": "q", "points": "0 of 1", "short": r"$\href{x}{y}$"}
    resources = {
        "nbgrader": {"notebook": "1_double", "late_penalty": 0},
        "feedback": {"score": "3 of 3 points", "questions": [question], "notes": notes},
    }
    return BeautifulSoup(exporter.from_notebook_node(node, resources)[0], "html.parser")


def shown(kind: str, data: str, alt: str | None = None) -> nbformat.NotebookNode:
    cell = code("figure", "draw()")
    metadata = {} if alt is None else {kind: {"alt": alt}}
    cell.outputs = [nbformat.v4.new_output("display_data", {kind: data}, metadata=metadata)]
    return cell


def test_headings_of_the_notebook_stand_below_the_one_of_the_page():
    found = page(markdown("title", "# Title\n\n###### Deep"), markdown("raw", "<h2>Raw</h2>"))
    headings = [(tag.name, tag.contents[0]) for tag in found.find_all(["h1", "h2", "h3", "h6"])]
    assert headings == [
        ("h1", "1_double: 3 of 3 points"),
        ("h2", "Title"),
        ("h6", "Deep"),
        ("h3", "Raw"),
    ]


@pytest.mark.parametrize(
    ("cell", "alt"),
    [
        (shown("image/png", DOT, "a dot"), "a dot"),
        (shown("image/png", DOT), "a picture without a description"),
        (shown("text/html", "<img width='1' src='a.png'>"), "a picture without a description"),
        (markdown("picture", "![a line](a.png)"), "a line"),
    ],
)
def test_every_picture_has_a_text(cell, alt):
    [image] = page(cell).find_all("img")
    assert image["alt"] == alt


def test_code_is_highlighted_and_text_about_images_stays_as_it_is():
    found = page(code("c", 'print("<img src=1>")'))
    assert found.find("span", class_="nb").get_text() == "print"
    assert "<img src=1>" in found.get_text()
    assert found.find("img") is None


def test_widgets_are_left_out_whatever_the_notebook_says_of_them():
    kind = "application/vnd.jupyter.widget-view+json"
    cell = code("c", "slider")
    data = {kind: {"model_id": "a"}, "text/plain": "IntSlider()"}
    cell.outputs = [nbformat.v4.new_output("display_data", data)]
    found = page(cell, widgets={"application/vnd.jupyter.widget-state+json": {"state": {"a": {}}}})
    assert "IntSlider()" in found.get_text()
    assert not [tag for tag in found.find_all("script") if "widget" in str(tag.get("type"))]


@pytest.mark.parametrize("exporter", [FeedbackExporter, CellExporter])
def test_a_cell_that_fails_or_is_slow_costs_that_cell(exporter):
    node = notebook_of(
        markdown("first", "# First"),
        markdown("missing", "![x](attachment:gone.png) <b>"),
        markdown("slow", "[" * 60_000),
        code("colours", "    \n" * 20_000),
        markdown("last", "*last*"),
    )
    resources = {
        "nbgrader": {"notebook": "1_double", "late_penalty": 0},
        "feedback": {"score": "", "questions": [], "notes": []},
    }
    start = time.process_time()
    options = FeedbackExporter.options() if exporter is FeedbackExporter else {}
    config = Config({exporter.__name__: options or {"template_name": "classic"}})
    html, _ = exporter(config=config).from_notebook_node(node, resources)
    assert time.process_time() - start < 30
    found = BeautifulSoup(html, "html.parser")
    said = [tag.get_text() for tag in found.find_all("em") if "as it was typed" in tag.get_text()]
    assert [line.split(" (")[0] for line in said] == [
        "This text could not be formatted",
        "This text could not be formatted",
        "This code could not be formatted",
    ]
    assert "missing attachment: gone.png" in said[0]
    assert "![x](attachment:gone.png) <b>" in [tag.get_text() for tag in found("pre")]
    assert found.find("em", string="last") is not None


def test_texts_that_repeat_a_student_hold_no_formulas():
    found = page(markdown("t", "x"), notes=(r"a note on $\href{x}{y}$",))
    for text in ("a note on", r"$\href{x}{y}$"):
        [place] = list(found.find_all(string=lambda s, text=text: s.startswith(text)))
        assert place.find_parent(class_="tex2jax_ignore") is not None


def test_headings_are_found_beside_missing_pictures_and_not_at_any_price():
    text = "# Part $a$\n\n![x](attachment:gone.png)"
    assert _last_heading(text, Budget()) == ("Part-$a$", "Part $a$")
    assert _last_heading("# A", Budget(0)) is None  # nothing is left for this page


def test_hidden_lines_are_found_beside_a_character_number_that_is_too_long_to_read():
    output = nbformat.v4.new_output("stream", text="&#" + "9" * 5000 + ";\nsecret_line()")
    redact_hidden(output, {"secret_line()"})
    assert "secret" not in output.text


def test_formgrader_gets_the_exporter_when_it_is_loaded(monkeypatch):
    name = "nbgrader.server_extensions.formgrader.formgrader"
    module = types.ModuleType(name)
    module.HTMLExporter = HTMLExporter
    monkeypatch.setitem(sys.modules, name, module)
    install_formgrader()
    assert module.HTMLExporter is CellExporter
    monkeypatch.delitem(sys.modules, name)
    install_formgrader()
    assert name not in sys.modules


@pytest.mark.browser
def test_a_page_of_hostile_cells_asks_for_nothing_and_runs_nothing(tmp_path):
    from support.attacks import ACTIVE, REMOTE
    from support.browser import MATHJAX, started, window

    from autograder.sanitize.outputs import sanitize_output

    cells = [markdown("control", "<img src='http://control.example/x.png'>")]
    for i, attack in enumerate(
        a.replace("alert(1)", "document.title=`owned`") for a in REMOTE + ACTIVE
    ):
        cells.append(markdown(f"text-{i}", clean_markdown(attack)[0]))
        cell = code(f"code-{i}", "show()")
        html = nbformat.v4.new_output("display_data", {"text/html": attack})
        cell.outputs = [sanitize_output(html, 1000)]
        cells.append(cell)
    file = tmp_path / "page.html"
    file.write_text(str(page(*cells)), encoding="utf-8")
    with started() as browser, window(browser) as (view, traffic):
        view.goto(file.as_uri())
        view.wait_for_timeout(500)
        assert view.title() == "1_double"
        asked = [url for url in traffic.refused if not MATHJAX.search(url)]
    assert asked == ["http://control.example/x.png"]
