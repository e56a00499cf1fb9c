"""Make feedback pages show the work and the verdict, and nothing hidden (preprocessor)."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbgrader
from jinja2 import pass_context
from nbconvert.exporters import HTMLExporter, TemplateExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbconvert.filters import Highlight2HTML, strip_files_prefix
from nbconvert.filters.widgetsdatatypefilter import WidgetsDataTypeFilter
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import List

from autograder.lesson import hidden
from autograder.results import REPORTS, QuestionResult, Status, SubmissionResult, read_result
from autograder.sanitize.budget import Budget, TooSlow
from autograder.sanitize.html import Unreadable, decoded
from autograder.sanitize.markdown import literal, render_names
from autograder.sanitize.text import NO_MATH, printable

HIDDEN_LINE = "[a line of the hidden tests was removed here]"

SHORT = 8
"""Lines with fewer characters, such as a closing bracket, give nothing away."""

_HEADING = re.compile(
    r'<h[1-6][^>]* id="([^"]*)"[^>]*>(.*?)<a class="anchor-link"[^>]*>[^<]*</a></h[1-6]>', re.DOTALL
)
_TAG = re.compile(r"<[^>]*>")

_ANSI = re.compile(r"\x1b\[[0-9;]*m")


class CleanFeedback(NbGraderPreprocessor):
    """Take hidden source out of a graded notebook and sum up its questions and repairs."""

    # Set by the exporter for all preprocessors; nbgrader's base class takes it from no one.
    display_data_priority: Any = List(help="Order in which outputs are shown.").tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Clean ``nb`` for its student."""
        secret: set[str] = set()
        shown: list[str] = []
        for cell in nb.cells:
            secret |= set(hidden.secret_lines(cell.source))
            if utils.is_grade(cell) or utils.is_locked(cell) or utils.is_solution(cell):
                cell.source = hidden.visible(cell.source)
            shown += [line.strip() for line in cell.source.split("\n")]
        # A line that is on the page anyway, in the student's own code say, is no secret.
        on_page = "\n".join(shown)
        secret = {line for line in secret if len(line) >= SHORT and line not in on_page}
        for cell in nb.cells:
            for output in cell.get("outputs", []):
                redact_hidden(output, secret)
        resources["feedback"] = self._summary(nb, resources["nbgrader"])
        return nb, resources

    def _summary(self, nb: NotebookNode, info: dict[str, Any]) -> dict[str, Any]:
        """Return what the head of the page shows: the score, the questions, the repairs."""
        folder = CourseDirectory(parent=self).format_path(
            REPORTS, info["student"], info["assignment"]
        )
        record = read_result(Path(folder)) or SubmissionResult(info["student"], info["assignment"])
        notebook = record.notebooks.get(info["notebook"])
        questions: list[dict[str, str]] = []
        waiting = 0.0
        name = ""
        section = ("", "")
        budget = Budget()
        for cell in nb.cells:
            if cell.cell_type == "markdown":
                section = _last_heading(cell.source, budget) or section
            if utils.is_solution(cell):
                name = cell.metadata.nbgrader["grade_id"]
            if utils.is_grade(cell) or utils.is_task(cell):
                meta = cell.metadata.nbgrader
                name = meta["grade_id"] if utils.is_task(cell) else name
                question = _question(name, meta, record.questions.get(name))
                waiting += 0 if question["known"] else float(meta["points"])
                if question["lost"]:
                    question["anchor"], question["section"] = section
                    _point_back(cell, section)
                questions.append(question)
        score = f"{info['score']:g} of {info['max_score']:g} points"
        if waiting:
            possible = info["max_score"] - waiting
            score = f"{info['score']:g} of {possible:g} points so far"
            if not possible:
                score = "no points yet"
        notes = [*record.notes, *(notebook.repairs if notebook else [])]
        shown = [printable(note, line=True) for note in notes]
        return {
            "score": score,
            "questions": questions,
            "notes": shown,
            "graded_with": record.graded_with,
        }


def _question(name: str, meta: Any, record: QuestionResult | None) -> dict[str, str]:
    """Return the line of one question in the summary."""
    points = f"{meta['score'] or 0:g} of {meta['points']:g}"
    comment = " ".join(str(meta.get("comment") or "").split())
    waits = record is not None and record.points is None and not meta["score"] and not comment
    if record is not None and waits:
        points = f"{meta['points']:g} possible"
        short = "not graded yet" if record.status == Status.BY_HAND else record.status
    elif meta["score"] == meta["points"]:
        short = "right"
    elif comment:
        short = comment
    elif record is None:
        short = ""
    elif record.mistake:
        short = f"It looks like this answer {record.mistake}."
    elif len(record.problems) == 1:
        short = record.problems[0]
    else:
        short = f"{len(record.problems)} different problems, see below" if record.problems else ""
    return {
        "grade_id": meta["grade_id"],
        "name": name,
        "points": points,
        "short": short,
        "known": "" if waits else "yes",
        "lost": "yes" if not waits and (meta["score"] or 0) < meta["points"] else "",
    }


def _last_heading(source: str, budget: Budget) -> tuple[str, str] | None:
    """Return the anchor and the text of the last heading in a text, as they are on the page."""
    try:
        found = budget.spend(lambda source: _HEADING.findall(render_names(source)), source)
    except (TooSlow, Exception):
        return None
    if not found:
        return None
    anchor, inner = found[-1]
    return html.unescape(anchor), html.unescape(_TAG.sub("", inner)).strip()


def _point_back(cell: NotebookNode, section: tuple[str, str]) -> None:
    """Add to the verdict in a graded cell where to read again."""
    anchor, title = section
    for output in cell.get("outputs", []):
        table = output.get("data", {}).get("text/html")
        if anchor and isinstance(table, str):
            link = f'<a href="#{html.escape(anchor)}">{html.escape(title)}</a>'
            output.data["text/html"] = f"{table}\n<p>Read again: {link}</p>"
            return


class CellExporter(HTMLExporter):
    """Renders a page of which a cell that fails costs that cell, and one that is slow its form."""

    def from_notebook_node(
        self, nb: NotebookNode, resources: Any = None, **kw: Any
    ) -> tuple[str, ResourcesDict]:
        """Return the page of a notebook."""
        self._prepare(nb)
        page, resources = super().from_notebook_node(nb, resources, **kw)
        return page, resources

    def _prepare(self, nb: NotebookNode) -> None:
        self._budget = Budget()
        language = nb.metadata.get("language_info", {}).get("name", "python")
        self._highlight = Highlight2HTML(language, parent=self)
        self.register_filter("highlight_code", self.highlight_code)
        # nbconvert registers its own when it makes the page, unless there is one here.
        self.filters: Any = {**self.filters, "highlight_code": self.highlight_code}

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        """Return the HTML of a text, or the text with the reason why it has none."""

        def convert(source: str) -> str:
            page = str(HTMLExporter.markdown2html(self, context, source))
            strip_files_prefix(page)  # the template does it next, and it can take long
            return page

        return self._spend(convert, source, "text")

    def highlight_code(self, source: str, language: str | None = None, metadata: Any = None) -> str:
        """Return the HTML of code, in colours if that can be done in time."""
        return self._spend(
            lambda code: str(self._highlight(code, language, metadata)), source, "code"
        )

    def _spend(self, work: Callable[[str], str], source: str, kind: str) -> str:
        try:
            return self._budget.spend(work, source)
        except TooSlow:
            reason = "it takes too long"
        except Exception as error:
            reason = html.escape(printable(f"{type(error).__name__}: {error}"[:200], line=True))
        return (
            f"<p {NO_MATH}><em>This {kind} could not be formatted ({reason}); it is shown as it "
            f"was typed.</em></p>\n{literal(source)}"
        )


class FeedbackExporter(CellExporter):
    """Renders feedback pages with the template of this package, which extends nbgrader's."""

    def from_notebook_node(
        self, nb: NotebookNode, resources: Any = None, **kw: Any
    ) -> tuple[str, ResourcesDict]:
        """Return the page; the notebook's headings stand one level below the page's own.

        nbconvert's method for HTML parses and writes the finished page once more, which takes two
        thirds of its time, to give pictures a text and to prepare cells that this template has not.
        """
        resources = self._init_resources(resources)
        self._prepare(nb)
        # Widgets need scripts and a kernel; without metadata none is shown.
        kinds = WidgetsDataTypeFilter(notebook_metadata={}, parent=self, resources=resources)
        self.register_filter("filter_data_type", kinds)
        page, resources = TemplateExporter.from_notebook_node(self, nb, resources, **kw)
        page = _SILENT_IMAGE.sub(r'\1 alt="a picture without a description"', page)
        head, start, body = page.partition('<div id="notebook">')
        return head + start + _OUTER_HEADING.sub(_one_below, body), resources

    @staticmethod
    def options() -> dict[str, Any]:
        """Return the values of its options that make it so; nbgrader presets others."""
        formgrader = Path(nbgrader.__file__).parent / "server_extensions" / "formgrader"
        bootstrap = formgrader / "static" / "node_modules" / "bootstrap" / "dist" / "css"
        return {
            "template_name": "lesson_feedback",
            "extra_template_basedirs": [str(Path(__file__).parent / "templates")],
            "extra_template_paths": [str(formgrader / "templates"), str(bootstrap)],
        }


def install_formgrader() -> None:
    """Have Formgrader render pages with `CellExporter`; called by ``nbgrader_config.py``.

    Only Formgrader's server has that module loaded, before it reads the configuration.
    """
    formgrader = sys.modules.get("nbgrader.server_extensions.formgrader.formgrader")
    if formgrader is not None:
        vars(formgrader)["HTMLExporter"] = CellExporter


_SILENT_IMAGE = re.compile(r"(<img)(?=\s)(?![^>]*\salt=)", re.IGNORECASE)

_OUTER_HEADING = re.compile(r"(</?h)([1-5])(?=[\s>])", re.IGNORECASE)


def _one_below(tag: re.Match[str]) -> str:
    return f"{tag[1]}{int(tag[2]) + 1}"


def redact_hidden(output: NotebookNode, secret: set[str]) -> None:
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
    plain = _plain(text)
    if not any(line in plain for line in secret):
        return text
    return "\n".join(
        HIDDEN_LINE if any(line in _plain(shown) for line in secret) else shown
        for shown in text.split("\n")
    )


def _plain(text: str) -> str:
    try:
        return decoded(text)
    except Unreadable:
        return text
