"""nbgrader's autograde converter, made to survive every submission (grading process).

`autograder.plugins.install` puts it in the place of nbgrader's own, so that ``nbgrader autograde``,
Formgrader and ``autograder grade`` all run it. It keeps nbgrader's options, preprocessor lists,
folders, gradebook and log lines, and differs in what it does with trouble:

* submissions are found by listing the folder, so that no student id is lost in globbing;
* notebooks are recognized by content (`autograder.submission.find`), not by file name alone;
* older automatic scores are cleared before a submission is graded again;
* what cannot be graded costs that notebook alone, is kept with its reason
  (`autograder.results`) and makes the exit status 1.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from nbgrader.converters import Autograde as NbgraderAutograde
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import AssignLatePenalties, LimitOutput, SaveAutoGrades
from nbgrader.utils import rmtree
from traitlets import List, default

from autograder.bounded.desk import Desk
from autograder.course import StudentFolder, all_folders, folders_of_students, require_writable
from autograder.errors import CourseError, KernelStartError
from autograder.execution.sandbox import SandboxPolicy
from autograder.lesson.model import Lesson
from autograder.plugins import preflight
from autograder.plugins.handed_in import MAX_EXTRA_BYTES
from autograder.plugins.ledger import Ledger, Standing
from autograder.plugins.listed import ListedConverter
from autograder.plugins.one import SubmissionRun, reason_of
from autograder.plugins.penalties import penalties_again
from autograder.plugins.preprocessors import Grade
from autograder.submission.find import digest


class Autograde(ListedConverter, NbgraderAutograde):
    """Grade submissions with evidence; see the module."""

    sanitize_preprocessors: Any = List([]).tag(config=True)

    autograde_preprocessors = List([Grade, LimitOutput, SaveAutoGrades, AssignLatePenalties]).tag(
        config=True
    )

    renewed = False
    """Whether late penalties were decided again of a submission that was not graded again."""

    lesson: Lesson
    ledger: Ledger
    desk: Desk | None = None
    _standing: Standing
    _folders: Mapping[str, StudentFolder] = MappingProxyType({})

    @default("classes")
    def _classes_default(self) -> list[type]:
        return [*super()._classes_default(), SandboxPolicy, Desk]

    def init_notebooks(self) -> None:
        """Find the submissions of the chosen students."""
        self._folders = folders_of_students(self.coursedir, self.coursedir.submitted_directory)
        super().init_notebooks()

    def submitted(self, student: str) -> StudentFolder:
        """Return the folder that a student handed in, whatever its name is in the file system."""
        if student not in self._folders:
            coursedir = self.coursedir
            self._folders = all_folders(
                coursedir, coursedir.submitted_directory, coursedir.assignment_id, student
            )
        path = Path(self._format_source(self.coursedir.assignment_id, student))
        return self._folders.get(student) or StudentFolder(student, path)

    def start(self) -> None:
        """Grade the submissions.

        Raises:
            NbGraderException: a submission could not be graded; the others were.
            SystemExit: with status 2, if nothing can be graded: no such assignment, student or
                gradebook, or a lesson that has changed since the release.
        """
        try:
            SandboxPolicy(parent=self).check()
            self.prepare()
            super().start()
        except (CourseError, KernelStartError) as error:
            self.log.error("%s", error)
            sys.exit(2)
        finally:
            self.put_away()

    def prepare(self) -> None:
        """Read the lesson, and make sure that it can be graded.

        Raises:
            CourseError: it cannot.
        """
        self.lesson = preflight.load_lesson(self.coursedir, self.config)
        self.ledger = Ledger(self.coursedir, self.lesson)
        self.require_released()

    def require_released(self) -> None:
        """Make sure that the lesson is as it was released; see `preflight`."""
        preflight.require_released(self.coursedir, self.lesson)

    def open_desk(self) -> Desk:
        """Return the desk for this run."""
        return Desk(self.lesson, Path(self.coursedir.root), self.config, parent=self)

    def put_away(self) -> None:
        """End the desk."""
        if self.desk is not None:
            self.desk.close()
            self.desk = None

    def nothing_found(self, assignment: str, wanted: str) -> Exception:
        """Return the error for a choice of students none of whom handed in anything."""
        who = "no student" if wanted == "*" else f"no student {wanted!r}"
        folder = self._format_source(assignment, wanted if wanted != "*" else "<student>")
        return CourseError(
            f"{who.capitalize()} has handed in {assignment}: there is no folder {folder}. "
            f"Collect the submissions first, for example with: nbgrader collect {assignment}"
        )

    def convert_notebooks(self) -> None:
        """Grade one submission after the other.

        Raises:
            NbGraderException: some could not be graded, after all others were.
        """
        failures: list[str] = []
        for folder in sorted(self.assignments):
            student = self.student_of(folder)
            self.log.info("The submission of %s is next", student)
            try:
                if self.init_destination(self.coursedir.assignment_id, student):
                    self.desk = self.desk or self.open_desk()
                    failures += SubmissionRun(self, student, self.desk).grade(self._standing.stands)
            except KeyboardInterrupt:
                self.discard(student)
                self.log.error("Canceled")
                raise
            except Exception as error:  # our own fault: one student's row, no more
                self.discard(student)
                self.blame(error)
                failures.append(f"{student}: {reason_of(error)}")
                self.ledger.fail(student, reason_of(error))
        for failure in failures:
            self.log.error("Not gradable: %s", failure)
        if failures:
            raise NbGraderException(f"{len(failures)} submitted notebooks could not be graded")

    def blame(self, error: Exception) -> None:
        """Do nothing but a line in the log if a submission can be to blame for an error.

        Raises:
            CourseError: no submission could be graded now.
        """
        preflight.require_fault_of_submission(error, self.coursedir, SandboxPolicy(parent=self))
        self.log.debug("".join(traceback.format_exception(error)))

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        """Return whether a submission is to be graded now; clears its old results if so.

        It is, if it has not been graded to the end before (the result is written last), if a
        notebook of it was not gradable (the cause may be gone), if its files or the lesson have
        changed since, or by force. nbgrader compares timestamps, which a submission from elsewhere
        than the exchange has not. If it is late in another way than then, its late penalties alone
        are decided again.

        Raises:
            NotGradable: somebody has removed the student from the gradebook since.
        """
        if student_id in self.coursedir.student_id_exclude.split(","):
            return False
        destination = self._format_dest(assignment_id, student_id)
        before = self.ledger.standing(student_id, self.digest(student_id), force=self.force)
        self._standing = before
        if before.result and before.complete and os.path.exists(destination) and not self.force:
            if before.result.late != before.late:
                penalties_again(self, before.result, before.late)
                self.renewed = True
            else:
                self.log.info("Skipping existing assignment: %s", destination)
            return False
        require_writable(destination, "results")
        require_writable(self.ledger.folder(student_id), "results")
        # The result goes first, so that a folder that is half removed is not taken for graded.
        self.ledger.remove_result(student_id)
        self.discard(student_id)
        return True

    def digest(self, student: str) -> str:
        """Return a text that changes when what a student has handed in does."""
        return digest(self.submitted(student).path, self.coursedir.ignore, MAX_EXTRA_BYTES)

    def discard(self, student: str) -> None:
        """Remove what an earlier run wrote for a student."""
        destination = self._format_dest(self.coursedir.assignment_id, student)
        if os.path.exists(destination):
            rmtree(destination)
