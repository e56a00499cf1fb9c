"""nbgrader's autograde converter, made to survive every submission.

`install` puts it in the place of nbgrader's own, so that ``nbgrader autograde``, Formgrader and
``autograder grade`` all run it. It keeps nbgrader's options, preprocessor lists, folders, gradebook
and log lines, and differs in what it does with trouble:

* submissions are found by listing the folder, so that no student id is lost in globbing;
* notebooks are recognized by content (`autograder.submission.find`), not by file name alone;
* older automatic scores are cleared before a submission is graded again;
* what cannot be graded costs that notebook alone, is recorded with its reason
  (`autograder.results`) and makes the exit status 1.
"""

from __future__ import annotations

import datetime
import html
import os
import shlex
import shutil
import sys
import sysconfig
import tempfile
import traceback
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import nbformat
from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.apps.api import NbGraderAPI
from nbgrader.converters import Autograde as NbgraderAutograde
from nbgrader.converters import GenerateFeedback as NbgraderGenerateFeedback
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import (
    AssignLatePenalties,
    LimitOutput,
    NbGraderPreprocessor,
    SaveAutoGrades,
)
from nbgrader.utils import is_grade, is_locked, is_solution, is_task, parse_utc, rmtree
from sqlalchemy.exc import SQLAlchemyError
from traitlets import List, default

from autograder.bounded.desk import Clock, Desk, FoundNotebook
from autograder.bounded.worker import WorkerError
from autograder.course import (
    StudentFolder,
    all_folders,
    folders_of_students,
    require_writable,
    student_id,
)
from autograder.errors import CourseError, KernelStartError, NotGradable
from autograder.execution.run import CLOCK, DESK, RESULTS, SANDBOX, Execute, Results
from autograder.execution.sandbox import Sandbox, SandboxPolicy
from autograder.files import listing, obstacle, read_bytes, write_whole
from autograder.gradebook import database, lateness, structure
from autograder.lesson import model as lessons
from autograder.lesson.model import Lesson, Notebook
from autograder.plugins import export
from autograder.plugins.feedback import install_formgrader
from autograder.plugins.judge import RESTORED, VERDICTS, Judge
from autograder.results import (
    REPORT_FILE,
    REPORTS,
    NotebookResult,
    QuestionResult,
    Status,
    SubmissionResult,
    read_result,
)
from autograder.sanitize import no_math, printable
from autograder.submission.find import digest
from autograder.submission.restore import Restored
from autograder.verdict.reference import references
from autograder.verdict.score import Judged

MAX_EXTRA_BYTES, MAX_EXTRA_FILES = 100 * 2**20, 1_000
"""The most that the other files of one submission may hold; the rest is not copied."""

TIMESTAMP = "timestamp.txt"
"""The file in which nbgrader's exchange keeps when a submission was handed in."""

MAX_TIMESTAMP = 100
"""The longest text of such a file, in bytes."""


@dataclass(frozen=True)
class _Tools:
    """What one notebook is graded with."""

    desk: Desk
    clock: Clock
    sandbox: Sandbox


class Restore(NbGraderPreprocessor):
    """Put the notebook that was rebuilt from the submission in the place of the submitted one."""

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Return the rebuilt notebook; see `autograder.submission.restore`."""
        restored: Restored = resources[RESTORED]
        return restored.node, resources


class _ListedConverter(BaseConverter):
    """A converter that finds submissions by listing folders; see `folders_of_students`."""

    def nothing_found(self, assignment: str, wanted: str) -> Exception:
        """Return the error for a choice of students for whom there is nothing to convert."""
        folder = self._format_source(assignment, wanted)
        return CourseError(f"There is nothing to convert: no folder matches {folder}")

    def write_single_notebook(self, output: str, resources: ResourcesDict) -> None:
        """Write a notebook or page at once or not at all."""
        info = resources["nbgrader"]
        folder = Path(self._format_dest(info["assignment"], info["student"]))
        write_whole(folder / f"{resources['unique_key']}{resources['output_extension']}", output)

    def init_notebooks(self) -> None:
        """Find the submissions of the chosen students."""
        pattern = f"{self.coursedir.notebook_id}.ipynb"
        self.notebooks: list[str] = []
        self.assignments: dict[str, list[str]] = {}
        for student, found in folders_of_students(self.coursedir, self._input_directory).items():
            folder = self._format_source(self.coursedir.assignment_id, student)
            files = [] if found.problem else sorted(map(str, found.path.glob(pattern)))
            self.assignments[folder] = files
        if not self.assignments:
            raise self.nothing_found(self.coursedir.assignment_id, self.coursedir.student_id)


class GenerateFeedback(_ListedConverter, NbgraderGenerateFeedback):
    """nbgrader's feedback converter, for all students."""

    def start(self) -> None:
        """Write the feedback pages of all results that are up to date.

        Raises:
            NbGraderException: there is nothing to write, a page failed, or a result is not up to
                date.
            SystemExit: with status 2, if no page can be written at all; those there are stay.
        """
        try:
            self._outdated: list[str] = []
            self._lost_pages = 0
            self._results = self._read_results()
            require_writable(self._format_dest(self.coursedir.assignment_id, "."), "feedback")
            self._require_template()
        except CourseError as error:
            self.log.error("%s", error)
            sys.exit(2)
        try:
            super().start()
        except CourseError as error:
            self.log.error("%s", error)
            raise NbGraderException(str(error)) from error
        if self._outdated:
            raise NbGraderException(f"{len(self._outdated)} students got no pages, see above")
        if self._lost_pages:
            raise NbGraderException(f"{self._lost_pages} pages could not be made, see above")

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Write one page, or one that says why it could not be made: the others are made anyway."""
        try:
            super().convert_single_notebook(notebook_filename)
        except Exception as error:  # a renderer may fail in any way
            reason = printable(f"{type(error).__name__}: {error}"[:300], line=True)
            self.log.error("No page for %s: %s", notebook_filename, reason)
            self.log.debug(traceback.format_exc())
            self._lost_pages += 1
            resources = self.init_single_notebook_resources(notebook_filename)
            resources["output_extension"] = ".html"
            name = html.escape(resources["nbgrader"]["notebook"])
            self.write_single_notebook(
                '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
                f"<title>{name}</title></head><body><h1>{name}</h1>"
                f"<p>This page could not be made: {no_math(reason)}. "
                "The points are in the gradebook all the same.</p></body></html>\n",
                resources,
            )

    def _read_results(self) -> dict[str, export.StudentResult]:
        name, url = self.coursedir.assignment_id, self.coursedir.db_url
        database.require(url, name)
        with (
            database.explained(url),
            Gradebook(url, self.coursedir.course_id) as gradebook,
        ):
            database.require_current(gradebook.engine)
            try:
                found = list(export.results(gradebook, name, self.coursedir))
            except MissingEntry:
                raise CourseError(
                    f"{name} is not in the gradebook. Run: autograder build {name}"
                ) from None
        return {result.student_id: result for result in found}

    def _require_template(self) -> None:
        """Make sure that pages can be made, before old ones are removed.

        Raises:
            CourseError: the template is missing or broken.
        """
        exporter = self.exporter_class(parent=self, config=self.config)
        try:
            _ = getattr(exporter, "template", None)
        except Exception as error:  # the template may be anyone's, and fail in any way
            raise CourseError(
                f"Feedback pages cannot be made: {type(error).__name__}: {error}"
            ) from error

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        """Return whether a student gets pages now; removes the old ones if so.

        nbgrader leaves pages alone that are there. But scores and comments change by hand and by
        a new grading run without a trace in the files, so pages are always written anew. A result
        that is not up to date gets none, and its old pages go, so that nobody is sent them. Files
        of somebody whom the course does not know any more are left alone.
        """
        if student_id in self.coursedir.student_id_exclude.split(","):
            return False
        destination = self._format_dest(assignment_id, student_id)
        result = self._results.get(student_id)
        left = self._left_behind(assignment_id, student_id, result)
        if left:
            self.log.warning("No feedback for %s: %s", student_id, left)
            return False
        old = "" if result is None or result.record is None else result.outdated
        if self.coursedir.notebook_id == "*" and os.path.exists(destination):
            rmtree(destination)
        if old:
            self.log.error("No feedback for %s: %s", student_id, old)
            self._outdated.append(student_id)
        return not old

    def _left_behind(
        self, assignment: str, student: str, result: export.StudentResult | None
    ) -> str:
        """Return why a student's files are those of somebody who is not there; empty if not so."""
        submitted = self.coursedir.submitted_directory
        folder = Path(self.coursedir.format_path(submitted, student, assignment))
        here = all_folders(self.coursedir, submitted, assignment, student)
        if result is None:
            left = self._format_source(assignment, student)
            return f"neither the gradebook nor {folder.parent} knows this student; delete {left}"
        if not result.known:
            return export.unknown(assignment, student)
        return "" if student in here else export.gone(assignment, student, folder)


class Autograde(_ListedConverter, NbgraderAutograde):
    """Grade submissions with evidence; see the module."""

    sanitize_preprocessors = List([Restore]).tag(config=True)

    renewed = False
    """Whether late penalties were decided again of a submission that was not graded again."""

    autograde_preprocessors = List(
        [Execute, Judge, LimitOutput, SaveAutoGrades, AssignLatePenalties]
    ).tag(config=True)

    _desk: Desk | None = None
    _folders: Mapping[str, StudentFolder] = MappingProxyType({})

    @default("classes")
    def _classes_default(self) -> list[type]:
        return [*super()._classes_default(), SandboxPolicy, Desk]

    def init_notebooks(self) -> None:
        """Find the submissions of the chosen students."""
        self._folders = folders_of_students(self.coursedir, self.coursedir.submitted_directory)
        super().init_notebooks()

    def _submitted(self, student: str) -> StudentFolder:
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
            self._lesson = self._load_lesson()
            super().start()
        except (CourseError, KernelStartError) as error:
            self.log.error("%s", error)
            sys.exit(2)
        finally:
            self._put_away()

    def _desk_of(self, lesson: Lesson) -> Desk:
        """Return the desk for this run."""
        return Desk(lesson, Path(self.coursedir.root), self.config, parent=self)

    def _put_away(self) -> None:
        """End the desk."""
        if self._desk is not None:
            self._desk.close()
            self._desk = None

    def _load_lesson(self) -> Lesson:
        name = self.coursedir.assignment_id
        source = Path(
            self.coursedir.format_path(self.coursedir.source_directory, ".", name)
        ).resolve()
        found = lessons.load(source, self.config)
        self._check_released(found)
        for notebook in found.notebooks:
            references(notebook, Path(self.coursedir.root))
        return found

    def _check_released(self, lesson: Lesson) -> None:
        command = f"autograder build {lesson.name}"
        database.require(self.coursedir.db_url, lesson.name)
        self._require_writable()
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            database.require_current(gradebook.engine)
            structure.require_compatible(gradebook, lesson)
            lateness.require_due_date(gradebook, lesson.name)
            for notebook in lesson.notebooks:
                try:
                    released = gradebook.find_notebook(notebook.name, lesson.name)
                except MissingEntry:
                    raise CourseError(
                        f"{lesson.name}/{notebook.name} is not in the gradebook. Run: {command}"
                    ) from None
                known = {cell.name: (cell.source, cell.cell_type) for cell in released.source_cells}
                points = {cell.name: cell.max_score for cell in released.grade_cells}
                if known != _managed(notebook) or points != {
                    q.grade_id: q.points for q in notebook.questions
                }:
                    raise CourseError(
                        f"{lesson.name}/{notebook.name} has changed since it was released. "
                        f"Run: {command}"
                    )

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
            student = self._student_of(folder)
            self.log.info("The submission of %s is next", student)
            try:
                if self.init_destination(self.coursedir.assignment_id, student):
                    failures += self._grade_submission(student)
            except KeyboardInterrupt:
                self._discard(student)
                self.log.error("Canceled")
                raise
            except Exception as error:  # our own fault: one student's row, no more
                self._discard(student)
                self._stop_if_the_machine_is_at_fault(error)
                self.log.debug(traceback.format_exc())
                reason = _reason(error)
                failures.append(f"{student}: {reason}")
                self._record_failure(student, reason)
        for failure in failures:
            self.log.error("Not gradable: %s", failure)
        if failures:
            raise NbGraderException(f"{len(failures)} submitted notebooks could not be graded")

    def _student_of(self, folder: str) -> str:
        marker = "\0student\0"
        before, after = self._format_source(self.coursedir.assignment_id, marker).split(marker)
        return folder[len(before) : len(folder) - len(after)]

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        """Return whether a submission is to be graded now; clears its old results if so.

        It is, if it has not been graded to the end before (the report is written last), if a
        notebook of it was not gradable (the cause may be gone), if its files or the lesson have
        changed since, or by force. nbgrader compares timestamps, which a submission from elsewhere
        than the exchange has not. If it is late in another way than then, its late penalties alone
        are decided again.

        Raises:
            NotGradable: somebody has removed the student from the gradebook since.
        """
        if student_id in self.coursedir.student_id_exclude.split(","):
            return False
        record = read_result(self._report_folder(student_id))
        source = self._format_source(assignment_id, student_id)
        destination = self._format_dest(assignment_id, student_id)
        entry = structure.entry(self.coursedir, assignment_id, student_id)
        if record is not None and not entry.known and not self.force:
            why = export.unknown(assignment_id, student_id)
            if any(n.status == Status.GRADED or n.reason == why for n in record.notebooks.values()):
                raise NotGradable(why)
        done = record is not None and not record.not_gradable and os.path.exists(destination)
        changed = record is None or record.files != self._digest(source)
        self._stands: dict[str, str] = {}
        if record is not None and not changed:
            self._stands = {
                question.grade_id: record.questions[question.name].version
                for question in self._lesson.questions
                if question.grade_id in entry.by_hand and question.name in record.questions
            }
        outdated = not entry.complete or self._lesson_changed(record)
        if record is not None and done and not changed and not outdated and not self.force:
            if record.late != entry.late:
                self._penalties_again(record, entry.late)
                return False
            self.log.info("Skipping existing assignment: %s", destination)
            return False
        require_writable(destination, "results")
        require_writable(self._report_folder(student_id), "results")
        # The report goes first, so that a folder that is half removed is not taken for graded.
        self._report_folder(student_id).joinpath(REPORT_FILE).unlink(missing_ok=True)
        self._discard(student_id)
        return True

    def _lesson_changed(self, record: SubmissionResult | None) -> bool:
        return record is None or any(
            notebook.name not in record.notebooks
            or record.notebooks[notebook.name].lesson != notebook.fingerprint
            for notebook in self._lesson.notebooks
        )

    def _penalties_again(self, record: SubmissionResult, late: float) -> None:
        """Decide the late penalties of a graded submission again, and nothing else of it."""
        self.log.info("Deciding the late penalties of %s again", record.student)
        for name, notebook in record.notebooks.items():
            if notebook.status != Status.GRADED:
                continue
            source = self._format_source(record.assignment, record.student)
            resources: Any = self.init_single_notebook_resources(
                os.path.join(source, f"{name}.ipynb")
            )
            for kind in self.autograde_preprocessors:
                if isinstance(kind, type) and issubclass(kind, AssignLatePenalties):
                    kind(parent=self).preprocess(nbformat.v4.new_notebook(), resources)
        record.late = late
        record.write(self._report_folder(record.student))
        self.renewed = True

    def _finish(self, student: str, record: SubmissionResult) -> None:
        """Note what a submission was graded against, and let a person's points stand.

        nbgrader wants a person to look at all of them after every run. That is right for another
        answer or another question; with `_stands` there is neither.
        """
        versions = self._stamp(record)
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            submission = gradebook.find_submission(record.assignment, student)
            record.late = lateness.of_submission(submission)
            for notebook in submission.notebooks:
                graded = record.notebooks[notebook.name].status == Status.GRADED
                for grade in notebook.grades if graded else ():
                    version = self._stands.get(grade.cell.name)
                    if version and version == versions.get(grade.cell.name):
                        grade.needs_manual_grade = grade.manual_score is None
            gradebook.db.commit()

    def _stamp(self, record: SubmissionResult) -> dict[str, str]:
        """Note the versions of the lesson in a record; return them by graded cell."""
        versions = {}
        for notebook in self._lesson.notebooks:
            record.notebooks[notebook.name].lesson = notebook.fingerprint
            for question in notebook.questions:
                versions[question.grade_id] = notebook.versions[question.name]
                if question.name in record.questions:
                    record.questions[question.name].version = versions[question.grade_id]
        return versions

    def _report_folder(self, student: str) -> Path:
        return Path(self.coursedir.format_path(REPORTS, student, self.coursedir.assignment_id))

    def _discard(self, student: str) -> None:
        destination = self._format_dest(self.coursedir.assignment_id, student)
        if os.path.exists(destination):
            rmtree(destination)

    def _digest(self, folder: str) -> str:
        place = self._submitted(self._student_of(folder))
        return digest(place.path, self.coursedir.ignore, MAX_EXTRA_BYTES)

    def _record_failure(self, student: str, reason: str) -> None:
        record = SubmissionResult(student, self.coursedir.assignment_id)
        for notebook in self._lesson.notebooks:
            record.notebooks[notebook.name] = NotebookResult(Status.NOT_GRADABLE, reason)
        self._stamp(record)
        record.write(self._report_folder(student))

    def _grade_submission(self, student: str) -> list[str]:
        """Grade the notebooks of one student; return one line for each that is not gradable."""
        assignment = self.coursedir.assignment_id
        source = self._submitted(student)
        self._desk = self._desk or self._desk_of(self._lesson)
        # Finding the notebooks is part of the first one's time.
        clock = Clock(Execute(parent=self).notebook_timeout)
        found = self._find(source, self._desk, clock)
        self.notebooks = [str(source.path / f"{name}.ipynb") for name in found]
        self.run_pre_convert_hook()
        record = SubmissionResult(student, assignment)
        record.files = self._digest(self._format_source(assignment, student))
        self._record = record
        self.init_assignment(assignment, student)
        failures = []
        with (
            tempfile.TemporaryDirectory(prefix="ag-") as files,
            SandboxPolicy(parent=self).opened(Path(files)) as sandbox,
        ):
            destination = Path(self._format_dest(assignment, student))
            _copy_files(destination, Path(files), self.coursedir.ignore)
            for name, notebook in found.items():
                tools = _Tools(self._desk, clock, sandbox)
                failures += self._grade_notebook(student, name, notebook, record, tools)
                clock = Clock(Execute(parent=self).notebook_timeout)
        self.set_permissions(assignment, student)
        self._finish(student, record)
        record.write(self._report_folder(student))
        self.run_post_convert_hook()
        return [f"{student}/{failure}" for failure in failures]

    def _find(self, folder: StudentFolder, desk: Desk, clock: Clock) -> dict[str, FoundNotebook]:
        """Return what a submission holds of each notebook of the lesson."""
        reason = folder.problem
        if not reason:
            try:
                return desk.find(folder.path, clock)
            except NotGradable as error:
                reason = str(error)
        return {notebook.name: FoundNotebook(reason=reason) for notebook in self._lesson.notebooks}

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Copy the submission's other files and open its rows in the gradebook, without scores."""
        folder = self._submitted(student_id)
        destination = Path(self._format_dest(assignment_id, student_id))
        destination.mkdir(parents=True, exist_ok=True)
        handed_out = Path(
            self.coursedir.format_path(self.coursedir.source_directory, ".", assignment_id)
        )
        excluded = self.exclude_overwriting.get(assignment_id, [])
        _copy_files(handed_out, destination, [*self.coursedir.ignore, *excluded])
        timestamp = None
        if not folder.problem:
            timestamp, problem = read_timestamp(folder.path)
            ignore = [*self.coursedir.ignore, *([TIMESTAMP] if problem else [])]
            left = _copy_files(folder.path, destination, ignore)
            if problem:
                self._record.notes.append(problem)
            if left:
                more = f" and {len(left) - 5} more" if len(left) > 5 else ""
                self._record.notes.append(
                    f"files that were not copied: {', '.join(left[:5])}{more}"
                )
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            if self.create_student:
                gradebook.update_or_create_student(student_id)
            elif student_id not in {student.id for student in gradebook.students}:
                raise NotGradable(
                    f"the gradebook has no student {student_id!r}; if that is no mistake, run: "
                    f"nbgrader db student add {shlex.quote(student_id)}"
                )
            # nbgrader reads the lesson's notebooks before the new submission is in the session.
            with gradebook.db.no_autoflush:
                submission = gradebook.update_or_create_submission(
                    assignment_id, student_id, timestamp=timestamp
                )
            for notebook in submission.notebooks:
                notebook.late_submission_penalty = None
                for grade in notebook.grades:
                    grade.auto_score = None
                    grade.needs_manual_grade = True
            gradebook.db.commit()

    def _grade_notebook(
        self, student: str, name: str, found: FoundNotebook, record: SubmissionResult, tools: _Tools
    ) -> list[str]:
        """Grade one notebook; return one line for each thing of it that is not gradable."""
        notebook = self._lesson.notebook(name)
        file = printable(found.file, line=True)
        if not found.file and not found.reason:
            record.notebooks[name] = NotebookResult(Status.NOT_SUBMITTED)
            self._save_zero(student, notebook)
            _record_questions(record, notebook, Status.NOT_SUBMITTED, 0.0)
            return []
        reason = found.reason
        if not reason:
            try:
                path = self._submitted(student).path / found.file
                restored = tools.desk.restore(notebook, path, tools.clock)
                resources = self._convert(student, name, restored, tools)
            except Exception as error:
                self._stop_if_the_machine_is_at_fault(error)
                self.log.debug(traceback.format_exc())
                reason = _reason(error)
            else:
                results: Results = resources[RESULTS]
                record.sandbox = results.sandbox
                record.notebooks[name] = NotebookResult(
                    Status.GRADED, file=file, repairs=found.repairs + restored.repairs
                )
                return self._keep_verdicts(student, name, record, resources.get(VERDICTS, []))
        record.notebooks[name] = NotebookResult(Status.NOT_GRADABLE, reason, file, found.repairs)
        _record_questions(record, notebook, Status.NOT_GRADABLE, None)
        self._write_placeholder(student, notebook, reason)
        return [f"{name}: {reason}"]

    def _keep_verdicts(
        self, student: str, name: str, record: SubmissionResult, verdicts: list[Judged]
    ) -> list[str]:
        """SubmissionResult the judged questions; return a line for each that could not be judged."""
        _record_verdicts(record, verdicts)
        lost = [judged for judged in verdicts if not judged.gradable]
        if lost:
            cells = {judged.question.grade_id for judged in lost}
            with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
                submitted = gradebook.find_submission_notebook(name, record.assignment, student)
                for grade in submitted.grades:
                    if grade.cell.name in cells:
                        grade.auto_score = None
                        grade.needs_manual_grade = True
                gradebook.db.commit()
        return [f"{name}, {judged.question.name}: {judged.problems[0]}" for judged in lost]

    def _stop_if_the_machine_is_at_fault(self, error: Exception) -> None:
        """Do nothing if a submission can be to blame for an error.

        Raises:
            CourseError: no submission could be graded now.
        """
        if isinstance(error, CourseError):
            raise error
        if isinstance(error, OSError | SQLAlchemyError | WorkerError):
            self._require_writable()
        if isinstance(error, KernelStartError):
            with (
                tempfile.TemporaryDirectory(prefix="ag-") as empty,
                SandboxPolicy(parent=self).opened(Path(empty)) as sandbox,
            ):
                sandbox.start(Execute(parent=self).output_bytes).close()

    def _require_writable(self) -> None:
        """Make sure that results can be written.

        Raises:
            CourseError: they cannot.
        """
        database.require_writable(self.coursedir.db_url)
        name = self.coursedir.assignment_id
        for folder in (self._format_dest(name, "."), self._report_folder(".")):
            require_writable(folder, "results")
        require_writable(tempfile.gettempdir(), "files of a submission")

    def _convert(self, student: str, name: str, restored: Restored, tools: _Tools) -> ResourcesDict:
        assignment = self.coursedir.assignment_id
        self.log.info("Autograding %s of %s", name, student)
        resources: Any = {
            "unique_key": name,
            "output_files_dir": f"{name}_files",
            "nbgrader": {
                "student": student,
                "assignment": assignment,
                "notebook": name,
                "db_url": self.coursedir.db_url,
            },
            "metadata": {"name": name, "path": self._format_dest(assignment, student)},
            SANDBOX: tools.sandbox,
            DESK: tools.desk,
            CLOCK: tools.clock,
            RESTORED: restored,
            "autograder_lesson": self._lesson,
            "autograder_root": Path(self.coursedir.root),
        }
        self.exporter._preprocessors = []
        self.exporter.optimistic_validation = True  # once, after all preprocessors
        for preprocessor in [*self.sanitize_preprocessors, *self.autograde_preprocessors]:
            self.exporter.register_preprocessor(preprocessor)
        output, resources = self.exporter.from_notebook_node(restored.node, resources)
        self.write_single_notebook(output, resources)
        return resources

    def _save_zero(self, student: str, notebook: Notebook) -> None:
        """Give a notebook that was not handed in zero points, as nbgrader does."""
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            submitted = gradebook.find_submission_notebook(
                notebook.name, self.coursedir.assignment_id, student
            )
            for grade in submitted.grades:
                grade.auto_score = 0
                grade.needs_manual_grade = False
            gradebook.db.commit()

    def _write_placeholder(self, student: str, notebook: Notebook, reason: str) -> None:
        """Write what people see in the place of a notebook that could not be graded."""
        node = nbformat.from_dict(notebook.blank)
        text = (
            "**This notebook could not be graded**: "
            f"{no_math(reason)}. Its questions have no score yet. "
            "Below is the notebook as it was given out."
        )
        node.cells.insert(0, nbformat.v4.new_markdown_cell(text, id="not-gradable"))
        path = Path(self._format_dest(self.coursedir.assignment_id, student))
        write_whole(path / f"{notebook.name}.ipynb", nbformat.writes(node) + "\n")


def _managed(notebook: Notebook) -> dict[str, tuple[str, str]]:
    """Return what nbgrader's gradebook holds of a notebook's cells when it is up to date."""
    managed = {}
    for full, blank in zip(notebook.node.cells, notebook.blank.cells, strict=True):
        if is_grade(full) or is_solution(full) or is_locked(full) or is_task(full):
            source = blank.source if is_solution(full) else full.source
            managed[full.metadata.nbgrader["grade_id"]] = (source, full.cell_type)
    return managed


def _copy_files(source: Path, destination: Path, ignore: list[str]) -> list[str]:
    """Copy the ordinary files below ``source`` but notebooks and what is there already.

    Returns:
        The names of those that were left out: they did not fit, or are not ordinary files.
    """
    found = listing(source, [*ignore, "*.ipynb"])
    left = [f"{_name(path, source)} (not an ordinary file)" for path in found.others]
    room = MAX_EXTRA_BYTES
    for number, path in enumerate(found.files):
        target = destination / path.relative_to(source)
        if os.path.lexists(target):
            continue
        try:
            size = path.lstat().st_size
            if size > room or number >= MAX_EXTRA_FILES:
                left.append(f"{_name(path, source)} (too large or too many)")
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target, follow_symlinks=False)
            room -= size
        except OSError as error:
            left.append(f"{_name(path, source)} ({error.strerror})")
    return left


def _name(path: Path, folder: Path) -> str:
    return printable(str(path.relative_to(folder)), line=True)


def read_timestamp(folder: Path) -> tuple[datetime.datetime | None, str]:
    """Return when a submission was handed in, in UTC, and what is wrong with its timestamp."""
    file = folder / TIMESTAMP
    late = "it counts as handed in on time"
    if not os.path.lexists(file):
        return None, f"the submission has no timestamp; {late}"
    try:
        text = read_bytes(file, MAX_TIMESTAMP).decode("utf-8").strip()
        return typing.cast("datetime.datetime", parse_utc(text)), ""
    except Exception:  # the parser of dates may raise anything
        return None, f"the submission's timestamp cannot be read; {late}"


def _submitted_students(api: NbGraderAPI, assignment: str) -> set[str]:
    """Stand in for the method with which Formgrader lists who handed something in."""
    coursedir, submitted = api.coursedir, api.coursedir.submitted_directory
    if assignment != "*":
        return set(all_folders(coursedir, submitted, assignment))
    top = Path(coursedir.format_path(submitted, ".", "."))
    names = os.listdir(top) if top.is_dir() else []
    return {student_id(name) for name in names if (top / name).is_dir()}


def _submitted_timestamp(
    api: NbGraderAPI, assignment: str, student: str
) -> datetime.datetime | None:
    """Stand in for the method with which Formgrader reads a timestamp."""
    submitted = api.coursedir.submitted_directory
    path = Path(api.coursedir.format_path(submitted, student, assignment))
    if not os.path.lexists(path):  # the folder's name may be no valid text
        found = all_folders(api.coursedir, submitted, assignment, student).get(student)
        path = path if found is None else found.path
    top = Path(api.coursedir.format_path(submitted, ".", "."))
    return None if obstacle(path, top) else read_timestamp(path)[0]


def _existing_timestamp(_: CourseDirectory, folder: str) -> datetime.datetime | None:
    """Stand in for nbgrader's method, which opens whatever is there and parses it all."""
    return read_timestamp(Path(folder))[0]


def _reason(error: Exception) -> str:
    """Return why a submission or notebook is not gradable."""
    if isinstance(error, NotGradable):
        return str(error)
    return printable(f"the grader failed ({type(error).__name__}: {error})"[:500], line=True)


def _record_questions(
    record: SubmissionResult, notebook: Notebook, status: str, points: float | None
) -> None:
    for question in notebook.questions:
        record.questions[question.name] = QuestionResult(
            notebook.name, status, points, question.points
        )


def _record_verdicts(record: SubmissionResult, verdicts: list[Judged]) -> None:
    for judged in verdicts:
        question = judged.question
        record.questions[question.name] = QuestionResult(
            question.notebook,
            _status_of(judged),
            judged.points,
            question.points,
            list(judged.problems),
            judged.mistake,
        )


def _status_of(judged: Judged) -> str:
    if not judged.gradable:
        return Status.NOT_GRADABLE
    return Status.GRADED if judged.points is not None else Status.BY_HAND


def install() -> None:
    """Put these converters in the place of nbgrader's; called by ``nbgrader_config.py``.

    nbgrader has options for the preprocessors and none for the converters, which its commands and
    Formgrader name directly. It also runs ``alembic`` by name, which is found beside this Python
    even if its environment has not been activated.
    """
    import nbgrader.apps.api
    import nbgrader.apps.autogradeapp
    import nbgrader.apps.generatefeedbackapp

    database.install()
    install_formgrader()
    CourseDirectory.get_existing_timestamp = _existing_timestamp
    NbGraderAPI.get_submitted_students = _submitted_students
    NbGraderAPI.get_submitted_timestamp = _submitted_timestamp
    nbgrader.apps.api.Autograde = Autograde
    nbgrader.apps.autogradeapp.Autograde = Autograde
    nbgrader.apps.api.GenerateFeedback = GenerateFeedback
    nbgrader.apps.generatefeedbackapp.GenerateFeedback = GenerateFeedback
    scripts = sysconfig.get_path("scripts")
    if scripts not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([scripts, os.environ["PATH"]])
