"""The page that a graded notebook becomes."""

from __future__ import annotations

import nbformat
import pytest
from bs4 import BeautifulSoup
from conftest import code, markdown, notebook_of
from traitlets.config import Config

from autograder.feedback import FeedbackExporter

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="


def page(*cells: nbformat.NotebookNode, **metadata: object) -> BeautifulSoup:
    node = notebook_of(*cells)
    node.metadata.update(metadata)
    exporter = FeedbackExporter(config=Config(FeedbackExporter=FeedbackExporter.options()))
    resources = {
        "nbgrader": {"notebook": "1_double", "late_penalty": 0},
        "feedback": {"score": "3 of 3 points", "questions": [], "notes": []},
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
