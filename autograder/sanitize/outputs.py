"""Reduce the outputs of code cells to text, pictures and cleaned HTML (bounded process)."""

from __future__ import annotations

import re
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output

from autograder.sanitize.html import clean_html
from autograder.sanitize.pictures import read_picture
from autograder.sanitize.text import joined, printable

HTML_LIMIT = 100_000
"""Characters of an output's HTML up to which it is shown as HTML."""

ESCAPES = 5_000
"""Terminal escapes of an output that are kept; nbconvert copies what is left of it at each one."""

CUT = "\n… output cut here\n"

_ESCAPE = re.compile(r"\x1b(?:\[[^@-~\n]*+[@-~])?+")


def _cut(text: str, limit: int) -> str:
    """Return a text of at most ``limit`` characters and the note that it was cut."""
    shown = printable(text[: max(limit, 0)])
    if shown.count("\x1b") > ESCAPES:
        shown = _ESCAPE.sub("", shown)
    return shown if len(text) <= limit else shown + CUT


def clean_data(data: Any, limit: int) -> dict[str, str]:
    """Return the parts of an output's data that may be shown, of ``limit`` characters of text."""
    shown: dict[str, str] = {}
    if not isinstance(data, dict):
        return shown
    if "text/plain" in data:
        shown["text/plain"] = _cut(joined(data["text/plain"]), limit)
    if page := joined(data.get("text/html")):
        most = min(limit, HTML_LIMIT)
        if len(page) <= most:
            shown["text/html"] = clean_html(printable(page))
        else:
            note = (
                f"[the HTML of this output ({_size(len(page))}) is larger than {_size(most)} "
                "and is shown as text]"
            )
            shown["text/plain"] = "\n".join(filter(None, [shown.get("text/plain"), note]))
    for kind in ("image/png", "image/jpeg"):
        if picture := read_picture(kind, data.get(kind)):
            shown[kind] = picture
    return shown


def sanitize_output(output: Any, limit: int) -> NotebookNode:
    """Return an output without anything active in it, and with ``limit`` characters of text.

    It may have any form: a kernel's messages are made by the student's process.
    """
    kind = output.get("output_type")
    if kind == "stream":
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return new_output("stream", name=name, text=_cut(joined(output.get("text")), limit))
    if kind == "error":
        lines = output.get("traceback")
        lines = [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []
        left = limit
        kept: list[str] = []
        for line in reversed(lines):  # the end says what went wrong
            if left <= 0:
                break
            kept.insert(0, _cut(line, left))
            left -= len(line)
        name, value = (_cut(joined(output.get(key)), limit) for key in ("ename", "evalue"))
        return new_output("error", ename=name, evalue=value, traceback=kept)
    data = clean_data(output.get("data"), limit)
    if kind != "execute_result":
        return new_output("display_data", data)
    count = output.get("execution_count")
    count = count if isinstance(count, int) and not isinstance(count, bool) else None
    return new_output("execute_result", data, execution_count=count)


def _size(characters: int) -> str:
    if characters < 1_000_000:
        return f"{max(1, round(characters / 1000))} kB"
    return f"{characters / 1e6:.1f} MB"
