"""What the gradebook holds of a lesson and of a submission: compared, and brought up to date.

nbgrader writes a lesson into the gradebook cell by cell, each for good at once, and refuses to if a
question has been added and there are submissions. Here all of it is written in one transaction, and
a question that was added gets its rows in each submission, which is then graded again.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nbgrader import utils
from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    GradeCell,
    MissingEntry,
    Notebook,
    SolutionCell,
    SourceCell,
    SubmittedNotebook,
    TaskCell,
)
from nbgrader.coursedir import CourseDirectory

from autograder.errors import CourseError
from autograder.gradebook import lateness
from autograder.lesson.model import Lesson, grade_id_of

CELLS: dict[str, Any] = {"grade": GradeCell, "solution": SolutionCell, "task": TaskCell}
"""The tables of cells to which submissions have rows."""

Key = tuple[str, str]
"""Which table of `CELLS` a cell is in, and its identifier."""


# A submission -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """What the gradebook holds of one submission."""

    known: bool = False
    """Whether it knows the student."""
    complete: bool = False
    """Whether each question has a row, and none is marked for a person without a reason."""
    late: float = 0
    """Seconds by which the submission is late."""
    by_hand: frozenset[str] = frozenset()
    """Identifiers of the graded cells that a person has given points for, and is done with."""


def entry(coursedir: CourseDirectory, assignment: str, student: str) -> Entry:
    """Return what the gradebook holds of a student's submission."""
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        try:
            gradebook.find_student(student)
        except MissingEntry:
            return Entry()
        try:
            submission = gradebook.find_submission(assignment, student)
        except MissingEntry:
            return Entry(known=True)
        grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
        cells = sum(
            len(notebook.grade_cells) + len(notebook.task_cells)
            for notebook in submission.assignment.notebooks
        )
        return Entry(
            known=True,
            complete=len(grades) == cells and not any(map(_marked, grades)),
            late=lateness.of_submission(submission),
            by_hand=frozenset(
                grade.cell.name
                for grade in grades
                if grade.manual_score is not None and not grade.needs_manual_grade
            ),
        )


def _marked(grade: Grade) -> bool:
    """Return whether `update` has marked a score because its question has other points now."""
    scored = grade.auto_score is not None and grade.manual_score is None
    return bool(scored and grade.needs_manual_grade)


# A lesson ---------------------------------------------------------------------------------------


def require_compatible(gradebook: Gradebook, lesson: Lesson) -> None:
    """Make sure that the gradebook can follow a lesson without losing anybody's points.

    Raises:
        CourseError: a question or notebook is gone that students have points for.
    """
    try:
        assignment = gradebook.find_assignment(lesson.name)
    except MissingEntry:
        return
    wanted = {notebook.name: _keys(notebook.node.cells) for notebook in lesson.notebooks}
    lost = {}
    for notebook in assignment.notebooks:
        for key, cell in _cells(notebook).items():
            if key not in wanted.get(notebook.name, set()) and _used(cell):
                lost[cell.name] = notebook.name
    if lost:
        names = ", ".join(f"{name} (in {notebook})" for name, notebook in sorted(lost.items()))
        raise CourseError(
            f"{lesson.name} has submissions with points for cells that its notebooks do not have "
            f"any more, or not as the same kind of question: {names}. With submissions, text, "
            "solutions, cases and points may change, and questions may be added. Put these back, "
            "or give the changed lesson a new name, or give up all its points with: nbgrader db "
            f"assignment remove {shlex.quote(lesson.name)} --force"
        )


def _keys(cells: Iterable[Any]) -> set[Key]:
    kinds = {"grade": utils.is_grade, "solution": utils.is_solution, "task": utils.is_task}
    return {
        (kind, str(grade_id_of(cell)))
        for cell in cells
        for kind, is_one in kinds.items()
        if is_one(cell)
    }


def _cells(notebook: Notebook) -> dict[Key, Any]:
    """Return the cells of a notebook in the gradebook to which submissions have rows."""
    return {
        (kind, cell.name): cell
        for kind, table in CELLS.items()
        for cell in notebook._base_cells
        if isinstance(cell, table)
    }


def _used(cell: BaseCell) -> bool:
    """Return whether anybody has points or a person's comment in a cell."""
    scored = any(
        grade.auto_score is not None or grade.manual_score is not None for grade in cell.grades
    )
    return scored or any(comment.manual_comment for comment in cell.comments)


@dataclass
class Held:
    """What the gradebook holds of one notebook of a lesson."""

    kernelspec: str | None
    cells: dict[Key, dict[str, Any]] = field(default_factory=dict)
    """The columns of each cell that submissions have rows to."""
    sources: dict[str, dict[str, Any]] = field(default_factory=dict)


def held(gradebook: Gradebook, lesson: str) -> dict[str, Held]:
    """Return what a gradebook holds of each notebook of a lesson."""
    found = {}
    for notebook in gradebook.find_assignment(lesson).notebooks:
        found[notebook.name] = one = Held(notebook.kernelspec)
        for key, cell in _cells(notebook).items():
            graded = key[0] != "solution"
            one.cells[key] = (
                {"max_score": cell.max_score, "cell_type": cell.cell_type} if graded else {}
            )
        for source in notebook.source_cells:
            columns = ("cell_type", "locked", "source", "checksum")
            one.sources[source.name] = {name: getattr(source, name) for name in columns}
    return found


def update(gradebook: Gradebook, lesson: str, wanted: Mapping[str, Held]) -> None:
    """Make a gradebook hold of a lesson what is wanted, up to but without the commit.

    Points that were given for a question stay, and wait for a person if it is worth another number
    of points now. What submissions have of a cell that is not wanted any more is deleted.
    """
    db = gradebook.db
    assignment = db.query(Assignment).filter(Assignment.name == lesson).one_or_none()
    if assignment is None:
        assignment = Assignment(name=lesson, course_id=gradebook.course_id)
        db.add(assignment)
        db.flush()
    known = {notebook.name: notebook for notebook in assignment.notebooks}
    for name in known.keys() - wanted.keys():
        _make_hold(db, known[name], Held(None))
        for submitted in known[name].submissions:
            db.delete(submitted)
        db.flush()
        db.delete(known[name])
    for name, one in wanted.items():
        notebook = known.get(name)
        if notebook is None:
            notebook = Notebook(name=name, assignment_id=assignment.id)
            db.add(notebook)
            db.flush()
        notebook.kernelspec = one.kernelspec
        _make_hold(db, notebook, one)
        _complete(db, assignment, notebook)
    db.flush()


def _make_hold(db: Any, notebook: Notebook, wanted: Held) -> None:
    known = _cells(notebook)
    for key in known.keys() - wanted.cells.keys():
        cell = known.pop(key)
        for row in [*cell.grades, *cell.comments]:
            db.delete(row)
        db.flush()
        db.delete(cell)
    for key, columns in wanted.cells.items():
        cell = known.get(key)
        if cell is None:
            db.add(CELLS[key[0]](name=key[1], notebook_id=notebook.id, **columns))
            continue
        if cell.type != "SolutionCell" and cell.max_score != columns["max_score"]:
            for grade in cell.grades:
                grade.needs_manual_grade = True
        for name, value in columns.items():
            setattr(cell, name, value)
    sources = {source.name: source for source in notebook.source_cells}
    for name in sources.keys() - wanted.sources.keys():
        db.delete(sources[name])
    for name, columns in wanted.sources.items():
        if name not in sources:
            db.add(SourceCell(name=name, notebook_id=notebook.id, **columns))
            continue
        for column, value in columns.items():
            setattr(sources[name], column, value)
    db.flush()
    db.expire(notebook)


def _complete(db: Any, assignment: Assignment, notebook: Notebook) -> None:
    """Give every submission its rows of a notebook, as nbgrader gives them to a new one."""
    submitted = {each.assignment_id: each for each in notebook.submissions}
    for submission in assignment.submissions:
        one = submitted.get(submission.id)
        if one is None:
            one = SubmittedNotebook(notebook_id=notebook.id, assignment_id=submission.id)
            db.add(one)
            db.flush()
        graded = {grade.cell_id for grade in one.grades}
        commented = {comment.cell_id for comment in one.comments}
        for (kind, _), cell in _cells(notebook).items():
            if kind != "solution" and cell.id not in graded:
                db.add(Grade(cell_id=cell.id, notebook_id=one.id))
            if kind != "grade" and cell.id not in commented:
                db.add(Comment(cell_id=cell.id, notebook_id=one.id))
