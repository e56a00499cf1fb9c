"""nbgrader's autograde converter, made to survive every submission.

`install` puts it in the place of nbgrader's own, so that ``nbgrader autograde``, Formgrader and
``autograder grade`` all run it. It keeps nbgrader's options, preprocessor lists, folders, gradebook
and log lines, and differs in what it does with trouble:

* submissions are found by listing the folder, so that no student id is lost in globbing;
* notebooks are recognized by content (`autograder.submission`), not by file name alone;
* older automatic scores are cleared before a submission is graded again;
* what cannot be graded costs that notebook alone, is recorded with its reason
  (`autograder.records`) and makes the exit status 1.
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
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde as NbgraderAutograde
from nbgrader.converters import GenerateFeedback as NbgraderGenerateFeedback
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.preprocessors import (
    AssignLatePenalties,
    LimitOutput,
    NbGraderPreprocessor,
    SaveAutoGrades,
)
from nbgrader.utils import is_grade, is_locked, is_solution, is_task, parse_utc, rmtree
from traitlets import List, default

from autograder import database, export, lateness, records, structure
from autograder import lesson as lessons
from autograder.course import folders_of_students, require_writable
from autograder.execute import RESULTS, SANDBOX, Execute, Results
from autograder.hidden import LessonError
from autograder.judge import RESTORED, VERDICTS, Judge, Judged
from autograder.lesson import Lesson, Notebook
from autograder.records import NotebookRecord, QuestionRecord, Record
from autograder.reference import references
from autograder.restore import NotGradable, Restored, restore
from autograder.sandbox import OpenSandbox, Sandbox
from autograder.session import KernelStartError
from autograder.submission import Found, digest, files_in, find_notebooks

MAX_EXTRA_BYTES = 100 * 2**20
"""The most that the other files of one submission may hold; the rest is not copied."""


class Restore(NbGraderPreprocessor):
    """Rebuild the submitted notebook from the lesson; see `autograder.restore`."""

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Return the rebuilt notebook.

        Raises:
            NotGradable: the submission cannot be matched to the lesson.
        """
        lesson: Lesson = resources["autograder_lesson"]
        restored = restore(lesson.notebook(resources["nbgrader"]["notebook"]), nb)
        resources[RESTORED] = restored
        return restored.node, resources


class _ListedConverter(BaseConverter):
    """A converter that finds submissions by listing folders; see `folders_of_students`."""

    def nothing_found(self, assignment: str, wanted: str) -> Exception:
        """Return the error for a choice of students for whom there is nothing to convert."""
        folder = self._format_source(assignment, wanted)
        return LessonError(f"There is nothing to convert: no folder matches {folder}")

    def init_notebooks(self) -> None:
        """Find the submissions of the chosen students."""
        pattern = f"{self.coursedir.notebook_id}.ipynb"
        self.notebooks: list[str] = []
        self.assignments: dict[str, list[str]] = {
            self._format_source(self.coursedir.assignment_id, student): sorted(
                map(str, folder.glob(pattern))
            )
            for student, folder in folders_of_students(
                self.coursedir, self._input_directory
            ).items()
        }
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
            self._results = self._read_results()
            require_writable(self._format_dest(self.coursedir.assignment_id, "."), "feedback")
            self._require_template()
        except LessonError as error:
            self.log.error("%s", error)
            sys.exit(2)
        try:
            super().start()
        except LessonError as error:
            self.log.error("%s", error)
            raise NbGraderException(str(error)) from error
        if self._outdated:
            raise NbGraderException(f"{len(self._outdated)} students got no pages, see above")

    def _read_results(self) -> dict[str, export.StudentResult]:
        name, url = self.coursedir.assignment_id, self.coursedir.db_url
        database.require(url, name)
        with (
            database.explained(url),
            Gradebook(url, self.coursedir.course_id) as gradebook,
        ):
            try:
                found = list(export.results(gradebook, name, self.coursedir))
            except MissingEntry:
                raise LessonError(
                    f"{name} is not in the gradebook. Run: autograder build {name}"
                ) from None
        return {result.student_id: result for result in found}

    def _require_template(self) -> None:
        """Make sure that pages can be made, before old ones are removed.

        Raises:
            LessonError: the template is missing or broken.
        """
        exporter = self.exporter_class(parent=self, config=self.config)
        try:
            _ = getattr(exporter, "template", None)
        except Exception as error:  # the template may be anyone's, and fail in any way
            raise LessonError(
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
        folder = Path(
            self.coursedir.format_path(self.coursedir.submitted_directory, student, assignment)
        )
        if result is None:
            here = self._format_source(assignment, student)
            return f"neither the gradebook nor {folder.parent} knows this student; delete {here}"
        if not result.known:
            return export.unknown(assignment, student)
        return "" if folder.is_dir() else export.gone(assignment, student, folder)


class Autograde(_ListedConverter, NbgraderAutograde):
    """Grade submissions with evidence; see the module."""

    sanitize_preprocessors = List([Restore]).tag(config=True)

    renewed = False
    """Whether late penalties were decided again of a submission that was not graded again."""

    autograde_preprocessors = List(
        [Execute, Judge, LimitOutput, SaveAutoGrades, AssignLatePenalties]
    ).tag(config=True)

    @default("classes")
    def _classes_default(self) -> list[type]:
        return [*super()._classes_default(), Sandbox]

    def start(self) -> None:
        """Grade the submissions.

        Raises:
            NbGraderException: a submission could not be graded; the others were.
            SystemExit: with status 2, if nothing can be graded: no such assignment, student or
                gradebook, or a lesson that has changed since the release.
        """
        try:
            Sandbox(parent=self).check()
            self._lesson = self._load_lesson()
            super().start()
        except (LessonError, KernelStartError) as error:
            self.log.error("%s", error)
            sys.exit(2)

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
        database.require_writable(self.coursedir.db_url)
        for folder in (self._format_dest(lesson.name, "."), self._report_folder(".")):
            require_writable(folder, "results")
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            structure.require_compatible(gradebook, lesson)
            lateness.require_due_date(gradebook, lesson.name)
            for notebook in lesson.notebooks:
                try:
                    released = gradebook.find_notebook(notebook.name, lesson.name)
                except MissingEntry:
                    raise LessonError(
                        f"{lesson.name}/{notebook.name} is not in the gradebook. Run: {command}"
                    ) from None
                known = {cell.name: (cell.source, cell.cell_type) for cell in released.source_cells}
                points = {cell.name: cell.max_score for cell in released.grade_cells}
                if known != _managed(notebook) or points != {
                    q.grade_id: q.points for q in notebook.questions
                }:
                    raise LessonError(
                        f"{lesson.name}/{notebook.name} has changed since it was released. "
                        f"Run: {command}"
                    )

    def nothing_found(self, assignment: str, wanted: str) -> Exception:
        """Return the error for a choice of students none of whom handed in anything."""
        who = "no student" if wanted == "*" else f"no student {wanted!r}"
        folder = self._format_source(assignment, wanted if wanted != "*" else "<student>")
        return LessonError(
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
            try:
                if self.init_destination(self.coursedir.assignment_id, student):
                    failures += self._grade_submission(student)
            except KeyboardInterrupt:
                self._discard(student)
                self.log.error("Canceled")
                raise
            except Exception as error:  # our own fault or the machine's: one student's row, no more
                self.log.debug(traceback.format_exc())
                reason = _reason(error)
                failures.append(f"{student}: {reason}")
                self._discard(student)
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
        record = records.read(self._report_folder(student_id))
        source = self._format_source(assignment_id, student_id)
        destination = self._format_dest(assignment_id, student_id)
        entry = structure.entry(self.coursedir, assignment_id, student_id)
        if record is not None and not entry.known and not self.force:
            why = export.unknown(assignment_id, student_id)
            if any(
                n.status == records.GRADED or n.reason == why for n in record.notebooks.values()
            ):
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
        self._report_folder(student_id).joinpath(records.FILE).unlink(missing_ok=True)
        self._discard(student_id)
        return True

    def _lesson_changed(self, record: Record | None) -> bool:
        return record is None or any(
            notebook.name not in record.notebooks
            or record.notebooks[notebook.name].lesson != notebook.fingerprint
            for notebook in self._lesson.notebooks
        )

    def _penalties_again(self, record: Record, late: float) -> None:
        """Decide the late penalties of a graded submission again, and nothing else of it."""
        self.log.info("Deciding the late penalties of %s again", record.student)
        for name, notebook in record.notebooks.items():
            if notebook.status != records.GRADED:
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

    def _finish(self, student: str, record: Record) -> None:
        """Note what a submission was graded against, and let a person's points stand.

        nbgrader wants a person to look at all of them after every run. That is right for another
        answer or another question; with `_stands` there is neither.
        """
        versions = self._stamp(record)
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            submission = gradebook.find_submission(record.assignment, student)
            record.late = lateness.of_submission(submission)
            for notebook in submission.notebooks:
                graded = record.notebooks[notebook.name].status == records.GRADED
                for grade in notebook.grades if graded else ():
                    version = self._stands.get(grade.cell.name)
                    if version and version == versions.get(grade.cell.name):
                        grade.needs_manual_grade = grade.manual_score is None
            gradebook.db.commit()

    def _stamp(self, record: Record) -> dict[str, str]:
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
        return Path(self.coursedir.format_path(records.STEP, student, self.coursedir.assignment_id))

    def _discard(self, student: str) -> None:
        destination = self._format_dest(self.coursedir.assignment_id, student)
        if os.path.exists(destination):
            rmtree(destination)

    def _digest(self, folder: str) -> str:
        return digest(Path(folder), self.coursedir.ignore, MAX_EXTRA_BYTES)

    def _record_failure(self, student: str, reason: str) -> None:
        record = Record(student, self.coursedir.assignment_id)
        for notebook in self._lesson.notebooks:
            record.notebooks[notebook.name] = NotebookRecord(records.NOT_GRADABLE, reason)
        self._stamp(record)
        record.write(self._report_folder(student))

    def _grade_submission(self, student: str) -> list[str]:
        """Grade the notebooks of one student; return one line for each that is not gradable."""
        assignment = self.coursedir.assignment_id
        source = Path(self._format_source(assignment, student))
        found = find_notebooks(self._lesson, source)
        self.notebooks = [str(source / f"{name}.ipynb") for name in found]
        self.run_pre_convert_hook()
        record = Record(student, assignment, files=self._digest(str(source)))
        self._record = record
        self._timestamp_note(source, record)
        self.init_assignment(assignment, student)
        failures = []
        with (
            tempfile.TemporaryDirectory(prefix="ag-") as files,
            Sandbox(parent=self).opened(Path(files)) as sandbox,
        ):
            destination = Path(self._format_dest(assignment, student))
            _copy_files(destination, Path(files), self.coursedir.ignore, MAX_EXTRA_BYTES)
            for name, notebook in found.items():
                self._grade_notebook(student, name, notebook, record, sandbox)
                if record.notebooks[name].status == records.NOT_GRADABLE:
                    failures.append(f"{student}/{name}: {record.notebooks[name].reason}")
        self.set_permissions(assignment, student)
        self._finish(student, record)
        record.write(self._report_folder(student))
        self.run_post_convert_hook()
        return failures

    def _timestamp_note(self, source: Path, record: Record) -> None:
        file = source / "timestamp.txt"
        try:
            parse_utc(file.read_text().strip())
        except FileNotFoundError:
            record.notes.append("the submission has no timestamp; it counts as handed in on time")
        except Exception:
            record.notes.append(
                "the submission's timestamp cannot be read; it counts as handed in on time"
            )

    def _read_timestamp(self, folder: str) -> datetime.datetime | None:
        try:
            return typing.cast(
                "datetime.datetime | None",
                parse_utc((Path(folder) / "timestamp.txt").read_text().strip()),
            )
        except Exception:
            return None

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Copy the submission's other files and open its rows in the gradebook, without scores."""
        source = Path(self._format_source(assignment_id, student_id))
        destination = Path(self._format_dest(assignment_id, student_id))
        destination.mkdir(parents=True, exist_ok=True)
        left = _copy_files(source, destination, self.coursedir.ignore, MAX_EXTRA_BYTES)
        if left:
            self._record.notes.append(f"files that were not copied: {', '.join(left[:5])}")
        handed_out = Path(
            self.coursedir.format_path(self.coursedir.source_directory, ".", assignment_id)
        )
        excluded = self.exclude_overwriting.get(assignment_id, [])
        _copy_files(handed_out, destination, [*self.coursedir.ignore, *excluded], MAX_EXTRA_BYTES)
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            if self.create_student:
                gradebook.update_or_create_student(student_id)
            elif student_id not in {student.id for student in gradebook.students}:
                raise NotGradable(
                    f"the gradebook has no student {student_id!r}; if that is no mistake, run: "
                    f"nbgrader db student add {shlex.quote(student_id)}"
                )
            timestamp = self._read_timestamp(str(source))
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
        self, student: str, name: str, found: Found, record: Record, sandbox: OpenSandbox
    ) -> None:
        notebook = self._lesson.notebook(name)
        source = Path(self._format_source(record.assignment, student))
        file = str(found.file.relative_to(source)) if found.file else ""
        if found.node is None and not found.reason:
            record.notebooks[name] = NotebookRecord(records.NOT_SUBMITTED)
            self._save_zero(student, notebook)
            _record_questions(record, notebook, records.NOT_SUBMITTED, 0.0)
            return
        reason = found.reason
        if found.node is not None:
            try:
                resources = self._convert(student, name, found.node, sandbox)
            except Exception as error:
                self.log.debug(traceback.format_exc())
                reason = _reason(error)
            else:
                restored: Restored = resources[RESTORED]
                results: Results = resources[RESULTS]
                record.sandbox = results.sandbox
                record.notebooks[name] = NotebookRecord(
                    records.GRADED, file=file, repairs=found.repairs + restored.repairs
                )
                _record_verdicts(record, resources.get(VERDICTS, []))
                return
        record.notebooks[name] = NotebookRecord(records.NOT_GRADABLE, reason, file, found.repairs)
        _record_questions(record, notebook, records.NOT_GRADABLE, None)
        self._write_placeholder(student, notebook, reason)

    def _convert(
        self, student: str, name: str, node: NotebookNode, sandbox: OpenSandbox
    ) -> ResourcesDict:
        assignment = self.coursedir.assignment_id
        self.log.info("Autograding %s of %s", name, student)
        path = os.path.join(self._format_source(assignment, student), f"{name}.ipynb")
        resources: Any = self.init_single_notebook_resources(path)
        resources["metadata"] = {"name": name, "path": self._format_dest(assignment, student)}
        resources[SANDBOX] = sandbox
        resources["autograder_lesson"] = self._lesson
        resources["autograder_root"] = Path(self.coursedir.root)
        self.exporter._preprocessors = []
        self.exporter.optimistic_validation = True  # once, after all preprocessors
        for preprocessor in [*self.sanitize_preprocessors, *self.autograde_preprocessors]:
            self.exporter.register_preprocessor(preprocessor)
        output, resources = self.exporter.from_notebook_node(node, resources)
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
            f"{html.escape(reason)}. Its questions have no score yet. "
            "Below is the notebook as it was given out."
        )
        node.cells.insert(0, nbformat.v4.new_markdown_cell(text, id="not-gradable"))
        path = Path(self._format_dest(self.coursedir.assignment_id, student))
        nbformat.write(node, path / f"{notebook.name}.ipynb")


def _managed(notebook: Notebook) -> dict[str, tuple[str, str]]:
    """Return what nbgrader's gradebook holds of a notebook's cells when it is up to date."""
    managed = {}
    for full, blank in zip(notebook.node.cells, notebook.blank.cells, strict=True):
        if is_grade(full) or is_solution(full) or is_locked(full) or is_task(full):
            source = blank.source if is_solution(full) else full.source
            managed[full.metadata.nbgrader["grade_id"]] = (source, full.cell_type)
    return managed


def _copy_files(source: Path, destination: Path, ignore: list[str], limit: int) -> list[str]:
    """Copy the files below ``source`` but notebooks, links and special files.

    Returns:
        The names of those that did not fit into ``limit`` bytes, or could not be read.
    """
    left: list[str] = []
    for path in files_in(source, ignore):
        relative = path.relative_to(source)
        if path.name.endswith(".ipynb"):
            continue
        if path.is_symlink() or not path.is_file():
            left.append(f"{relative} (not an ordinary file)")
            continue
        try:
            limit -= path.stat().st_size
            if limit < 0:
                left.append(f"{relative} (too large)")
                continue
            target = destination / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copyfile(path, target)
        except OSError as error:
            left.append(f"{relative} ({error.strerror})")
    return left


def _reason(error: Exception) -> str:
    """Return why a submission or notebook is not gradable."""
    if isinstance(error, NotGradable):
        return str(error)
    return f"the grader failed ({type(error).__name__}: {error})"


def _record_questions(
    record: Record, notebook: Notebook, status: str, points: float | None
) -> None:
    for question in notebook.questions:
        record.questions[question.name] = QuestionRecord(
            notebook.name, status, points, question.points
        )


def _record_verdicts(record: Record, verdicts: list[Judged]) -> None:
    for judged in verdicts:
        question = judged.question
        record.questions[question.name] = QuestionRecord(
            question.notebook,
            records.GRADED if judged.points is not None else records.BY_HAND,
            judged.points,
            question.points,
            list(judged.problems),
            judged.mistake,
        )


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
    nbgrader.apps.api.Autograde = Autograde
    nbgrader.apps.autogradeapp.Autograde = Autograde
    nbgrader.apps.api.GenerateFeedback = GenerateFeedback
    nbgrader.apps.generatefeedbackapp.GenerateFeedback = GenerateFeedback
    scripts = sysconfig.get_path("scripts")
    if scripts not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([scripts, os.environ["PATH"]])
