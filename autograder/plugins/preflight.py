"""What must hold before a submission is graded, and whose fault an error is (grading process)."""

from __future__ import annotations

import tempfile
from pathlib import Path

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import is_grade, is_locked, is_solution, is_task
from sqlalchemy.exc import SQLAlchemyError
from traitlets.config import Config

from autograder.bounded.worker import WorkerError
from autograder.course import require_writable
from autograder.errors import CourseError, KernelStartError
from autograder.execution.sandbox import SandboxPolicy
from autograder.gradebook import database, lateness, structure
from autograder.lesson import model
from autograder.lesson.model import Lesson, Notebook
from autograder.pipeline import prepare
from autograder.results import REPORTS


def load_lesson(coursedir: CourseDirectory, config: Config) -> Lesson:
    """Return the lesson to be graded.

    Raises:
        CourseError: there is none, or it cannot be used.
    """
    name = coursedir.assignment_id
    source = Path(coursedir.format_path(coursedir.source_directory, ".", name))
    return model.load(source.resolve(), config)


def require_released(coursedir: CourseDirectory, lesson: Lesson) -> None:
    """Make sure that a lesson is as it was released, can be judged, and has room for its results.

    Raises:
        CourseError: the gradebook lacks it, holds another version of it, or cannot be used; or a
            solution does not run.
    """
    database.require(coursedir.db_url, lesson.name)
    require_room(coursedir)
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        database.require_current(gradebook.engine)
        structure.require_compatible(gradebook, lesson)
        lateness.require_due_date(gradebook, lesson.name)
        for notebook in lesson.notebooks:
            _require_same(gradebook, lesson, notebook)
    for notebook in lesson.notebooks:
        prepare(notebook, Path(coursedir.root))


def _require_same(gradebook: Gradebook, lesson: Lesson, notebook: Notebook) -> None:
    where, command = f"{lesson.name}/{notebook.name}", f"autograder build {lesson.name}"
    try:
        released = gradebook.find_notebook(notebook.name, lesson.name)
    except MissingEntry:
        raise CourseError(f"{where} is not in the gradebook. Run: {command}") from None
    known = {cell.name: (cell.source, cell.cell_type) for cell in released.source_cells}
    points = {cell.name: cell.max_score for cell in released.grade_cells}
    wanted = {question.grade_id: question.points for question in notebook.questions}
    if known != _managed(notebook) or points != wanted:
        raise CourseError(f"{where} has changed since it was released. Run: {command}")


def _managed(notebook: Notebook) -> dict[str, tuple[str, str]]:
    """Return what nbgrader's gradebook holds of a notebook's cells when it is up to date."""
    cells: list[tuple[NotebookNode, NotebookNode]]
    cells = list(zip(notebook.node.cells, notebook.blank.cells, strict=True))
    return {
        full.metadata.nbgrader["grade_id"]: (
            blank.source if is_solution(full) else full.source,
            full.cell_type,
        )
        for full, blank in cells
        if is_grade(full) or is_solution(full) or is_locked(full) or is_task(full)
    }


def require_room(coursedir: CourseDirectory) -> None:
    """Make sure that results can be written.

    Raises:
        CourseError: they cannot.
    """
    database.require_writable(coursedir.db_url)
    for step in (coursedir.autograded_directory, REPORTS):
        require_writable(coursedir.format_path(step, ".", coursedir.assignment_id), "results")
    require_writable(tempfile.gettempdir(), "files of a submission")


def require_fault_of_submission(
    error: Exception, coursedir: CourseDirectory, policy: SandboxPolicy
) -> None:
    """Do nothing if a submission can be to blame for an error.

    Raises:
        CourseError: no submission could be graded now.
        KernelStartError: no kernel can be started, not even without a submission.
    """
    if isinstance(error, CourseError):
        raise error
    if isinstance(error, OSError | SQLAlchemyError | WorkerError):
        require_room(coursedir)
    if isinstance(error, KernelStartError):
        with (
            tempfile.TemporaryDirectory(prefix="ag-") as empty,
            policy.opened(Path(empty)) as sandbox,
        ):
            sandbox.start(2**20).close()
