"""Nothing of a student's acts on the page that shows it."""

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_output

from autograder.sanitize import clean_data, clean_html, clean_output, clean_text, printable

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
