"""What a grading run keeps about each submission beside the gradebook: repairs and reasons.

nbgrader's gradebook has a place for points and none for why. A record is a JSON file in the
course's ``reports`` folder, one per student and assignment, written anew at every grading run.
"""

from __future__ import annotations

import enum
import importlib.metadata
import json
import platform
from dataclasses import asdict, dataclass, field
from pathlib import Path

from autograder.files import write_whole
from autograder.notes import NOTHING, Note, packed, unpacked


class Status(enum.StrEnum):
    """What became of a notebook or question."""

    GRADED = "graded"
    BY_HAND = "needs manual grading"
    NOT_GRADABLE = "not gradable"
    NOT_SUBMITTED = "not submitted"
    OUTDATED = "outdated"
    """Graded, but against another version of the lesson or another due date than there is now."""


NOT_ANSWERED = "Not answered yet."
"""The problem of a question that was left blank."""

REPORTS = "reports"
"""Name of the folder, in the place of nbgrader's step in the course's directory structure."""

REPORT_FILE = "report.json"


def graded_with() -> str:
    """Return the versions of Python and NumPy that run students' code here."""
    return f"Python {platform.python_version()}, NumPy {importlib.metadata.version('numpy')}"


@dataclass
class NotebookResult:
    """What became of one notebook of a submission."""

    status: str
    reason: Note = NOTHING
    """Why it is not gradable."""
    file: str = ""
    """The submitted file, relative to the submission's folder."""
    repairs: list[Note] = field(default_factory=list)
    lesson: str = ""
    """The version of the lesson's notebook that it was graded against: its fingerprint."""


@dataclass
class QuestionResult:
    """What became of one question."""

    notebook: str
    status: str
    points: float | None = None
    max_points: float = 0
    problems: list[str] = field(default_factory=list)
    mistake: str | None = None
    version: str = ""
    """The version of the question; see `autograder.lesson.model.Notebook.versions`."""


@dataclass
class SubmissionResult:
    """What became of one submission."""

    student: str
    assignment: str
    sandbox: str = ""
    """What confined the student's code; empty if nothing did."""
    notes: list[Note] = field(default_factory=list)
    """Repairs of the submission as a whole."""
    notebooks: dict[str, NotebookResult] = field(default_factory=dict)
    questions: dict[str, QuestionResult] = field(default_factory=dict)
    files: str = ""
    """What was handed in, as a digest; see `autograder.submission.find.digest`."""
    late: float = 0
    """Seconds by which it was late, extension and all, when its late penalty was decided."""
    graded_with: str = ""
    """The versions of Python and NumPy that ran the student's code; see `graded_with`."""

    @property
    def not_gradable(self) -> dict[str, str]:
        """The notebooks, and questions of others, that could not be graded, with the reasons."""
        lost: dict[str, str] = {
            name: notebook.reason
            for name, notebook in self.notebooks.items()
            if notebook.status == Status.NOT_GRADABLE
        }
        for name, question in self.questions.items():
            if question.status == Status.NOT_GRADABLE and question.notebook not in lost:
                lost[f"{question.notebook}, {name}"] = "; ".join(question.problems)
        return lost

    def write(self, folder: Path) -> None:
        """Write the record into ``folder`` at once or not at all."""
        data = asdict(self)
        data["notes"] = packed(self.notes)
        for name, notebook in self.notebooks.items():
            kept = data["notebooks"][name]
            kept["repairs"], [kept["reason"]] = packed(notebook.repairs), packed([notebook.reason])
        for name, question in self.questions.items():
            data["questions"][name]["problems"] = packed(question.problems)
        write_whole(folder / REPORT_FILE, json.dumps(data, indent=1) + "\n")


def read_result(folder: Path) -> SubmissionResult | None:
    """Return the record in ``folder``, or None if there is no readable one."""
    try:
        data = json.loads((folder / REPORT_FILE).read_text(encoding="utf-8"))
        result = SubmissionResult(**data)
        result.notes = unpacked(result.notes)
        result.notebooks = {k: NotebookResult(**v) for k, v in data["notebooks"].items()}
        for notebook in result.notebooks.values():
            notebook.repairs = unpacked(notebook.repairs)
            [notebook.reason] = unpacked([notebook.reason])
        result.questions = {k: QuestionResult(**v) for k, v in data["questions"].items()}
        for question in result.questions.values():
            question.problems = [*unpacked(question.problems)]
        return result
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
