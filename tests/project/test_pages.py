"""The rules by which pages are read find what they are there for."""

from __future__ import annotations

import nbformat
import pytest
from support.pages import notebook_problems, page_problems

GOOD = """<!DOCTYPE html><html lang="en"><head><title>t</title>
<meta name="viewport" content="width=device-width"></head><body>
<h1>One</h1><h2 id="two">Two</h2><h3>Three</h3><h2>Two more</h2>
<img src="a.png" alt="a line that rises"><svg role="img" aria-label="bars"></svg>
<table><tr><th scope="col">Head</th></tr><tr><td>1</td></tr></table>
<a href="#two">two</a></body></html>"""


def test_a_good_page_has_no_problems():
    assert page_problems(GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (' lang="en"', "", "names no language"),
        ("<title>t</title>", "", "no title"),
        ('name="viewport"', 'name="author"', "narrow screens"),
        ("<h1>One</h1>", "", "0 headings of level 1"),
        ("<h2>Two more</h2>", "<h1>Two more</h1>", "2 headings of level 1"),
        ('<h2 id="two">Two</h2>', "", "'Three' of level 3 follows one of level 1"),
        ("Two more", " ", "a heading of level 2 is empty"),
        (' alt="a line that rises"', "", "a picture has no text"),
        ("a line that rises", " ", "a picture has no text"),
        (' aria-label="bars"', "", "a drawing has no text"),
        (">Head<", "> <", "a table has an empty header"),
        ('<th scope="col">Head</th>', "<td>Head</td>", "a table has no headers"),
        ('aria-label="bars"', 'aria-label="bars" id="two"', "2 elements have the id two"),
        (">two</a>", "></a>", "the link to #two has no text"),
    ],
)
def test_each_problem_of_a_page_is_found(old, new, problem):
    assert old in GOOD
    found = page_problems(GOOD.replace(old, new, 1))
    assert any(problem in one for one in found), found


def test_problems_of_a_notebook_are_found():
    figure = nbformat.v4.new_output("display_data", {"image/png": "AAAA"})
    node = nbformat.v4.new_notebook()
    node.cells = [
        nbformat.v4.new_markdown_cell("# Title\n\n### Too deep\n\n![](a.png)"),
        nbformat.v4.new_code_cell("draw()", id="draw", outputs=[figure]),
        nbformat.v4.new_markdown_cell("| | b |\n|---|---|\n| 1 | 2 |"),
    ]
    found = "\n".join(notebook_problems(node))
    for problem in ("a picture has no text", "cell draw has no text", "empty header", "of level 3"):
        assert problem in found
    figure.metadata["image/png"] = {"alt": "a line"}
    assert "draw" not in "\n".join(notebook_problems(node))
