"""Make feedback pages show the work and the verdict, and nothing hidden (preprocessor)."""

from __future__ import annotations

import html
import re
from pathlib import Path

from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell
from nbgrader import utils
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder import hidden, records

HIDDEN_LINE = "[a line of the hidden tests was removed here]"

SHORT = 8
"""Lines with fewer characters, such as a closing bracket, give nothing away."""

_ANSI = re.compile(r"\x1b\[[0-9;]*m")


class Feedback(NbGraderPreprocessor):
    """Take hidden source out of a graded notebook and say what was repaired in it."""

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Clean ``nb`` for its student."""
        secret: set[str] = set()
        shown: set[str] = set()
        for cell in nb.cells:
            secret |= set(hidden.secret_lines(cell.source))
            if utils.is_grade(cell) or utils.is_locked(cell) or utils.is_solution(cell):
                cell.source = hidden.visible(cell.source)
            shown |= {line.strip() for line in cell.source.split("\n")}
        secret = {line for line in secret - shown if len(line) >= SHORT}
        for cell in nb.cells:
            for output in cell.get("outputs", []):
                clean_output(output, secret)
        self._say_repairs(nb, resources)
        return nb, resources

    def _say_repairs(self, nb: NotebookNode, resources: ResourcesDict) -> None:
        coursedir = CourseDirectory(parent=self)
        info = resources["nbgrader"]
        folder = coursedir.format_path(records.STEP, info["student"], info["assignment"])
        record = records.read(Path(folder))
        notebook = record.notebooks.get(info["notebook"]) if record else None
        lines = [*(record.notes if record else []), *(notebook.repairs if notebook else [])]
        if lines:
            text = "\n".join(f"- {html.escape(line)}" for line in lines)
            note = f"**What was put right before grading**\n\n{text}"
            nb.cells.insert(0, new_markdown_cell(note, id="repairs"))


def clean_output(output: NotebookNode, secret: set[str]) -> None:
    """Replace every line of an output that contains one of the secret lines."""
    if output.output_type == "stream":
        output.text = _clean(output.text, secret)
    elif output.output_type == "error":
        output.evalue = _clean(output.evalue, secret)
        text = _clean(_ANSI.sub("", "\n".join(output.traceback)), secret)
        output.traceback = text.split("\n")
    else:
        for kind, data in output.data.items():
            if isinstance(data, str) and not kind.startswith("image/p"):
                output.data[kind] = _clean(data, secret)


def _clean(text: str, secret: set[str]) -> str:
    if not secret:
        return text
    plain = html.unescape(text)
    if not any(line in plain for line in secret):
        return text
    return "\n".join(
        HIDDEN_LINE if any(line in html.unescape(shown) for line in secret) else shown
        for shown in text.split("\n")
    )
