"""Nothing of a student's acts on the page that shows it."""

import pytest
from nbformat.v4 import new_output

from autograder.sanitize import clean_data, clean_html, clean_output, clean_text

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)></svg>",
    '<a href="javascript:alert(1)">x</a>',
    "<iframe src='x'></iframe>",
    "<p onclick='alert(1)'>x</p>",
    "<style>p { color: red }</style>",
    "<scr<script>ipt>alert(1)</script>",
    "<details ontoggle=alert(1) open>x</details>",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_element_or_attribute_that_acts_is_left(attack):
    cleaned = clean_html(attack)
    for element in ("<script", "<svg", "<iframe", "<style"):
        assert element not in cleaned
    shown = [part.split(">")[0] for part in cleaned.split("<")[1:]]
    assert not [part for part in shown if " on" in part or "javascript" in part or "src" in part]
    assert clean_text(attack) == cleaned
    assert clean_data({"text/html": attack}) == {"text/html": cleaned}


def test_text_without_html_and_tables_stay_as_they_are():
    assert clean_text("a < b & c, `x[0]`") == "a < b & c, `x[0]`"
    table = "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>"
    assert clean_html(table) == table
    assert clean_text("<details><summary>Why</summary>so</details>").startswith("<details>")


def test_outputs_keep_text_and_pictures_and_lose_everything_else():
    data = {
        "text/plain": "<script>",
        "image/png": "iVBORw0KGgo=\n",
        "image/jpeg": '"><script>',
        "image/svg+xml": "<svg/>",
        "application/javascript": "alert(1)",
        "text/latex": "$x$",
        "application/vnd.x+json": {"a": 1},
    }
    output = clean_output(new_output("display_data", data, metadata={"image/png": {"width": 1}}))
    assert dict(output.data) == {"text/plain": "<script>", "image/png": "iVBORw0KGgo=\n"}
    assert not output.metadata
