"""What a grading run keeps: rows in nbgrader's gradebook, results beside it (grading process)."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory

from autograder.errors import NotGradable
from autograder.gradebook import lateness, structure
from autograder.lesson.model import Lesson, Notebook
from autograder.notes import Kind, Note
from autograder.plugins import standings
from autograder.results import (
    REPORT_FILE,
    REPORTS,
    NotebookResult,
    QuestionResult,
    Status,
    SubmissionResult,
    read_result,
)
from autograder.verdict.score import Judged


@dataclass(frozen=True)
class Standing:
    """What an earlier run has left of a submission."""

    result: SubmissionResult | None
    """None if there was no such run, or it did not come to its end."""
    late: float
    """Seconds by which the submission is late now."""
    changed: bool
    """Whether other files were handed in since."""
    outdated: bool
    """Whether the lesson is another one now, or the gradebook lacks rows."""
    stands: dict[str, str]
    """The questions, by their graded cells, in which a person's points stand if a new run finds the
    question in this version."""

    @property
    def complete(self) -> bool:
        """Whether nothing has to be graded again."""
        return bool(
            self.result and not self.result.not_gradable and not self.changed and not self.outdated
        )


class Ledger:
    """What is kept of the submissions to one lesson."""

    def __init__(self, coursedir: CourseDirectory, lesson: Lesson) -> None:
        self._coursedir = coursedir
        self._lesson = lesson

    def gradebook(self) -> Gradebook:
        """Open the gradebook."""
        return Gradebook(self._coursedir.db_url, self._coursedir.course_id)

    def folder(self, student: str) -> Path:
        """Return where the results of a student are kept."""
        return Path(self._coursedir.format_path(REPORTS, student, self._lesson.name))

    def result(self, student: str) -> SubmissionResult | None:
        """Return what the last run to its end found, if there was one."""
        return read_result(self.folder(student))

    def result_time(self, student: str) -> float:
        """Return when the last run to its end found that, in seconds since the epoch, or 0."""
        try:
            return self.folder(student).joinpath(REPORT_FILE).stat().st_mtime
        except OSError:
            return 0.0

    def remove_result(self, student: str) -> None:
        """Forget what the last run found."""
        self.folder(student).joinpath(REPORT_FILE).unlink(missing_ok=True)

    def standing(self, student: str, files: str, *, force: bool) -> Standing:
        """Return what an earlier run has left of a submission.

        Args:
            student: whose it is.
            files: what is handed in now, as a digest.
            force: whether it is going to be graded whatever stands.

        Raises:
            NotGradable: somebody has removed the student from the gradebook since.
        """
        result = self.result(student)
        entry = structure.entry(self._coursedir, self._lesson.name, student)
        if result is not None and not entry.known and not force:
            why = standings.unknown(self._lesson.name, student)
            known = (
                n.status == Status.GRADED or n.reason == why for n in result.notebooks.values()
            )
            if any(known):
                raise NotGradable(Kind.UNKNOWN_STUDENT, why)
        changed = result is None or result.files != files
        stands = {}
        if result is not None and not changed:
            stands = {
                question.grade_id: result.questions[question.name].version
                for question in self._lesson.questions
                if question.grade_id in entry.by_hand and question.name in result.questions
            }
        outdated = not entry.complete or result is None or self._lesson_changed(result)
        return Standing(result, entry.late, changed, outdated, stands)

    def _lesson_changed(self, result: SubmissionResult) -> bool:
        return any(
            notebook.name not in result.notebooks
            or result.notebooks[notebook.name].lesson != notebook.fingerprint
            for notebook in self._lesson.notebooks
        )

    def open(
        self, student: str, timestamp: datetime.datetime | None, *, create_student: bool
    ) -> None:
        """Make the rows of a submission, without scores.

        Raises:
            NotGradable: the gradebook does not know the student, and is not to be told.
        """
        with self.gradebook() as gradebook:
            if create_student:
                gradebook.update_or_create_student(student)
            elif student not in {one.id for one in gradebook.students}:
                raise NotGradable(
                    Kind.UNKNOWN_STUDENT,
                    f"the gradebook has no student {student!r}; if that is no mistake, run: "
                    f"nbgrader db student add {shlex.quote(student)}",
                )
            # nbgrader reads the lesson's notebooks before the new submission is in the session.
            with gradebook.db.no_autoflush:
                submission = gradebook.update_or_create_submission(
                    self._lesson.name, student, timestamp=timestamp
                )
            for notebook in submission.notebooks:
                notebook.late_submission_penalty = None
                for grade in notebook.grades:
                    grade.auto_score = None
                    grade.needs_manual_grade = True
            gradebook.db.commit()

    def score(
        self, student: str, notebook: str, cells: set[str] | None, points: float | None
    ) -> None:
        """Give graded cells of a notebook, or all of them, the same automatic score.

        Without points (None) they wait for a person.
        """
        with self.gradebook() as gradebook:
            found = gradebook.find_submission_notebook(notebook, self._lesson.name, student)
            for grade in found.grades:
                if cells is None or grade.cell.name in cells:
                    grade.auto_score = points
                    grade.needs_manual_grade = points is None
            gradebook.db.commit()

    def close(self, student: str, result: SubmissionResult, stands: dict[str, str]) -> None:
        """Keep what a run found, note what it was graded against, and let a person's points stand.

        nbgrader wants a person to look at all of them after every run. That is right for another
        answer or another question; with ``stands`` there is neither.
        """
        versions = self._stamp(result)
        with self.gradebook() as gradebook:
            submission = gradebook.find_submission(self._lesson.name, student)
            result.late = lateness.of_submission(submission)
            for notebook in submission.notebooks:
                graded = result.notebooks[notebook.name].status == Status.GRADED
                for grade in notebook.grades if graded else ():
                    version = stands.get(grade.cell.name)
                    if version and version == versions.get(grade.cell.name):
                        grade.needs_manual_grade = grade.manual_score is None
            gradebook.db.commit()
        result.write(self.folder(student))

    def fail(self, student: str, reason: Note) -> None:
        """Keep why nothing of a submission is gradable."""
        result = SubmissionResult(student, self._lesson.name)
        for notebook in self._lesson.notebooks:
            result.notebooks[notebook.name] = NotebookResult(Status.NOT_GRADABLE, reason)
        self._stamp(result)
        result.write(self.folder(student))

    def _stamp(self, result: SubmissionResult) -> dict[str, str]:
        """Note the versions of the lesson in a result; return them by graded cell."""
        versions = {}
        for notebook in self._lesson.notebooks:
            result.notebooks[notebook.name].lesson = notebook.fingerprint
            for question in notebook.questions:
                versions[question.grade_id] = notebook.versions[question.name]
                if question.name in result.questions:
                    result.questions[question.name].version = versions[question.grade_id]
        return versions


def note_questions(
    result: SubmissionResult, notebook: Notebook, status: Status, points: float | None
) -> None:
    """Note the same of all questions of a notebook."""
    for question in notebook.questions:
        result.questions[question.name] = QuestionResult(
            notebook.name, status, points, question.points
        )


def note_verdicts(result: SubmissionResult, verdicts: Sequence[Judged]) -> None:
    """Note the verdicts on the questions of a notebook."""
    for judged in verdicts:
        question = judged.question
        status = Status.GRADED if judged.points is not None else Status.BY_HAND
        result.questions[question.name] = QuestionResult(
            question.notebook,
            status if judged.gradable else Status.NOT_GRADABLE,
            judged.points,
            question.points,
            list(judged.problems),
            judged.mistake,
        )
