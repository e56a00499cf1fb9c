"""Grade one submission, notebook by notebook, and write what came of it (grading process)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.bounded.desk import Desk
from autograder.errors import NotGradable
from autograder.execution.clock import Clock
from autograder.execution.sandbox import Sandbox, SandboxPolicy
from autograder.files import write_whole
from autograder.lesson.model import Notebook
from autograder.notes import Kind, Note
from autograder.pipeline import Graded
from autograder.plugins.handed_in import TIMESTAMP, copy_files, read_timestamp
from autograder.plugins.ledger import note_questions, note_verdicts
from autograder.plugins.preprocessors import JOB, Grade, Job
from autograder.results import NotebookResult, Status, SubmissionResult, graded_with
from autograder.sanitize.text import no_math, printable
from autograder.submission.find import FoundNotebook

if TYPE_CHECKING:
    from autograder.plugins.autograde import Autograde


def reason_of(error: Exception) -> Note:
    """Return why a submission or notebook is not gradable."""
    if isinstance(error, NotGradable):
        return error.note
    text = f"the grader failed ({type(error).__name__}: {error})"[:500]
    return Note(Kind.GRADER_FAILED, printable(text, line=True))


class SubmissionRun:
    """The grading of one student's submission."""

    def __init__(self, converter: Autograde, student: str, desk: Desk) -> None:
        """Prepare it.

        Args:
            converter: what grades; it knows the course and the lesson.
            student: whose submission it is.
            desk: where what was handed in is opened.
        """
        self._converter = converter
        self._ledger = converter.ledger
        self._lesson = converter.lesson
        self._student = student
        self._desk = desk
        self._submitted = converter.submitted(student)
        self._destination = Path(converter._format_dest(self._lesson.name, student))
        self._result = SubmissionResult(student, self._lesson.name)
        self._result.files = converter.digest(student)

    def grade(self, stands: dict[str, str]) -> list[str]:
        """Grade all notebooks; return one line for each thing that is not gradable.

        Args:
            stands: in which questions a person's points may stand; see `Ledger.close`.
        """
        converter = self._converter
        # Finding the notebooks is part of the first one's time.
        clock = self._clock()
        found = self._find(clock)
        converter.notebooks = [str(self._submitted.path / f"{name}.ipynb") for name in found]
        converter.run_pre_convert_hook()
        self._open()
        failures = []
        with (
            tempfile.TemporaryDirectory(prefix="ag-") as files,
            SandboxPolicy(parent=converter).opened(Path(files)) as sandbox,
        ):
            copy_files(self._destination, Path(files), converter.coursedir.ignore)
            for name, one in found.items():
                failures += self._grade_notebook(self._lesson.notebook(name), one, sandbox, clock)
                clock = self._clock()
        converter.set_permissions(self._lesson.name, self._student)
        self._ledger.close(self._student, self._result, stands)
        converter.run_post_convert_hook()
        return [f"{self._student}/{failure}" for failure in failures]

    def _clock(self) -> Clock:
        return Clock(Grade(parent=self._converter).notebook_seconds)

    def _find(self, clock: Clock) -> dict[str, FoundNotebook]:
        """Return what the submission holds of each notebook of the lesson."""
        reason = self._submitted.problem
        if not reason:
            try:
                return self._desk.find(self._submitted.path, clock)
            except NotGradable as error:
                reason = error.note
        return {notebook.name: FoundNotebook(reason=reason) for notebook in self._lesson.notebooks}

    def _open(self) -> None:
        """Copy the submission's other files and open its rows in the gradebook, without scores."""
        converter, coursedir = self._converter, self._converter.coursedir
        self._destination.mkdir(parents=True, exist_ok=True)
        handed_out = coursedir.format_path(coursedir.source_directory, ".", self._lesson.name)
        excluded = converter.exclude_overwriting.get(self._lesson.name, [])
        copy_files(Path(handed_out), self._destination, [*coursedir.ignore, *excluded])
        timestamp = None
        if not self._submitted.problem:
            timestamp, problem = read_timestamp(self._submitted.path)
            ignore = [*coursedir.ignore, *([TIMESTAMP] if problem else [])]
            left = copy_files(self._submitted.path, self._destination, ignore)
            if problem:
                self._result.notes.append(problem)
            if left:
                more = f" and {len(left) - 5} more" if len(left) > 5 else ""
                text = f"files that were not copied: {', '.join(left[:5])}{more}"
                self._result.notes.append(Note(Kind.FILES_LEFT, text))
        self._ledger.open(self._student, timestamp, create_student=converter.create_student)

    def _grade_notebook(
        self, notebook: Notebook, found: FoundNotebook, sandbox: Sandbox, clock: Clock
    ) -> list[str]:
        """Grade one notebook; return one line for each thing of it that is not gradable."""
        if not found.file and not found.reason:
            self._result.notebooks[notebook.name] = NotebookResult(Status.NOT_SUBMITTED)
            note_questions(self._result, notebook, Status.NOT_SUBMITTED, 0.0)
            self._ledger.score(self._student, notebook.name, None, 0)
            return []
        reason, file = found.reason, printable(found.file, line=True)
        if not reason:
            path = self._submitted.path / found.file
            try:
                graded = self._convert(Job(notebook, path, self._desk, sandbox, clock))
            except Exception as error:
                self._converter.blame(error)
                reason = reason_of(error)
            else:
                self._result.sandbox = sandbox.kind
                self._result.graded_with = graded_with()
                self._result.notebooks[notebook.name] = NotebookResult(
                    Status.GRADED, file=file, repairs=found.repairs + graded.repairs
                )
                return self._keep(notebook, graded)
        self._result.notebooks[notebook.name] = NotebookResult(
            Status.NOT_GRADABLE, reason, file, found.repairs
        )
        note_questions(self._result, notebook, Status.NOT_GRADABLE, None)
        write_placeholder(self._destination, notebook, reason)
        return [f"{notebook.name}: {reason}"]

    def _keep(self, notebook: Notebook, graded: Graded) -> list[str]:
        """Note the verdicts; return a line for each question that could not be judged."""
        note_verdicts(self._result, graded.verdicts)
        lost = [judged for judged in graded.verdicts if not judged.gradable]
        if lost:
            cells = {judged.question.grade_id for judged in lost}
            self._ledger.score(self._student, notebook.name, cells, None)
        return [f"{notebook.name}, {judged.question.name}: {judged.problems[0]}" for judged in lost]

    def _convert(self, job: Job) -> Graded:
        """Run nbgrader's list of preprocessors on a notebook and write what comes out."""
        converter, name = self._converter, job.notebook.name
        converter.log.info("Autograding %s of %s", name, self._student)
        resources: Any = {
            "unique_key": name,
            "output_files_dir": f"{name}_files",
            "nbgrader": {
                "student": self._student,
                "assignment": self._lesson.name,
                "notebook": name,
                "db_url": converter.coursedir.db_url,
            },
            "metadata": {"name": name, "path": str(self._destination)},
            JOB: job,
        }
        exporter = converter.exporter
        exporter._preprocessors = []
        exporter.optimistic_validation = True  # once, after all preprocessors
        kinds: list[type[NbGraderPreprocessor]] = [
            *converter.sanitize_preprocessors,
            *converter.autograde_preprocessors,
        ]
        for kind in kinds:
            exporter.register_preprocessor(kind)
        output, resources = exporter.from_notebook_node(job.notebook.blank, resources)
        if job.graded is None:
            raise RuntimeError("c.Autograde.autograde_preprocessors does not begin with Grade")
        converter.write_single_notebook(output, resources)
        return job.graded


def write_placeholder(folder: Path, notebook: Notebook, reason: str) -> None:
    """Write what people see in the place of a notebook that could not be graded."""
    node = nbformat.from_dict(notebook.blank)
    text = (
        "**This notebook could not be graded**: "
        f"{no_math(reason)}. Its questions have no score yet. "
        "Below is the notebook as it was given out."
    )
    node.cells.insert(0, nbformat.v4.new_markdown_cell(text, id="not-gradable"))
    write_whole(folder / f"{notebook.name}.ipynb", nbformat.writes(node) + "\n")
