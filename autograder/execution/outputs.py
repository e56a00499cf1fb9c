"""Cut and clean what a student's cells gave, for people (grading and bounded process)."""

from __future__ import annotations

from typing import Any

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output

from autograder.execution.runs import CellRun, End
from autograder.sanitize.outputs import CUT, sanitize_output

NOTEBOOK_BYTES = 20 * 2**20
"""The most that all outputs of a notebook may hold while it is graded."""

NOTEBOOK_HTML = 500_000
"""The most that the HTML in a notebook's outputs may hold; it takes the longest to be cleaned."""

HTML_CUT = f"\n[this notebook shows more than {NOTEBOOK_HTML // 1000} kB of HTML; here is its text]"

TRACEBACK_LINES = 40
LINE_CHARACTERS = 2_000
"""How much of a traceback is kept, from its end, and of each of its lines."""


class Room:
    """What is left for the outputs of a notebook; nothing is opened to measure them."""

    def __init__(self, text: int, pictures: int) -> None:
        """Start with all of it.

        Args:
            text: bytes of text of one cell that are kept.
            pictures: bytes of pictures and HTML of one cell that are kept.
        """
        self._text = text
        self._pictures = pictures
        self._left = NOTEBOOK_BYTES
        self._html = NOTEBOOK_HTML

    def cut(self, run: CellRun) -> None:
        """Cut the outputs of one cell to what is kept of them."""
        kept: list[NotebookNode] = []
        text, pictures = self._text, self._pictures
        for output in run.outputs:
            if output.output_type == "stream":
                if len(output.text) > text:
                    output.text = output.text[: max(text, 0)] + CUT
                text -= len(output.text)
                self._left -= len(output.text)
            elif output.output_type == "error":
                _cut_error(output)
                text -= sum(map(len, output.traceback))
            else:
                output.data = {k: v for k, v in output.data.items() if isinstance(v, str)}
                self._html -= len(output.data.get("text/html", ""))
                if self._html < 0 and output.data.pop("text/html", None) is not None:
                    output.data.setdefault("text/plain", "")
                    output.data["text/plain"] += HTML_CUT
                size = sum(map(len, output.data.values()))
                pictures -= size
                if pictures < 0:
                    continue
                self._left -= size
            if self._left < 0 and output.output_type != "error":
                continue
            kept.append(output)
            if text < 0:
                break
        run.outputs = kept


def _cut_error(output: NotebookNode) -> None:
    output.ename = str(output.ename)[:200]
    output.evalue = str(output.evalue)[:LINE_CHARACTERS]
    lines = [str(line)[:LINE_CHARACTERS] for line in output.traceback[-TRACEBACK_LINES:]]
    output.traceback = lines


def shown(run: CellRun, limit: int) -> list[NotebookNode]:
    """Return the outputs to show of a cell: cleaned, and why the cell was stopped.

    Args:
        run: what the cell gave, cut.
        limit: bytes of HTML from which on its text is shown instead.
    """
    cleaned = [sanitize_output(output, limit) for output in run.outputs]
    if run.end is not End.DONE:
        cleaned = [output for output in cleaned if output.output_type != "error"]
        message = f"This cell was stopped: {run.reason}."
        cleaned.append(
            new_output("error", ename="CellStopped", evalue=message, traceback=[message])
        )
    return cleaned


def note(text: str) -> Any:
    """Return an output that says something in the place of others."""
    return new_output("stream", name="stdout", text=f"{text}\n")
