"""A class that is in a gradebook and in records only: nothing of it was ever graded."""

from __future__ import annotations

import csv
import datetime

from autograder.plugins.export import Export
from autograder.results import REPORTS, NotebookResult, Status, SubmissionResult


class Class:
    """A course with a gradebook, to which students are added in any state."""

    def __init__(self, course):
        self.course = course
        self.gradebook = None

    def add_lesson(self, name="tiny"):
        book = self.gradebook
        book.add_assignment(name)
        for notebook in ("1_double", "2_count"):
            book.add_notebook(notebook, name)
        code = {"cell_type": "code"}
        book.add_grade_cell("double_check", "1_double", name, max_score=3, **code)
        book.add_grade_cell("size_check", "2_count", name, max_score=1, **code)
        book.add_grade_cell("reason", "2_count", name, max_score=2, cell_type="markdown")
        book.add_solution_cell("reason", "2_count", name)

    def hand_in(self, student, lesson="tiny"):
        (self.course.root / "submitted" / student / lesson).mkdir(parents=True)

    def score(self, student, lesson="tiny", penalty=None, by_hand=None, **points):
        """Enter a submission with automatic scores by question into the gradebook."""
        self.gradebook.update_or_create_student(student)
        submission = self.gradebook.add_submission(
            lesson, student, timestamp=datetime.datetime(2026, 1, 15, 12)
        )
        for notebook in submission.notebooks:
            notebook.late_submission_penalty = penalty
            for grade in notebook.grades:
                grade.auto_score = points.get(grade.cell.name.removesuffix("_check"))
                grade.needs_manual_grade = grade.auto_score is None
                if grade.cell.name == "reason" and by_hand is not None:
                    grade.manual_score = by_hand
                    grade.needs_manual_grade = False
        self.gradebook.db.commit()

    def record(self, student, first=None, second=None, lesson="tiny", notes=(), **questions):
        """Write what the last grading run said about a submission."""
        notebooks = {
            "1_double": first or NotebookResult(Status.GRADED),
            "2_count": second or NotebookResult(Status.GRADED),
        }
        for notebook in self.course.lesson("tiny").notebooks:
            notebooks[notebook.name].lesson = notebook.fingerprint
        record = SubmissionResult(student, lesson, "bubblewrap", list(notes), notebooks, questions)
        record.write(self.course.root / REPORTS / student / lesson)

    def export(self, **options):
        """Return the exported rows, by student and question."""
        target = self.course.root / "out.csv"
        plugin = Export(config=self.course.config, to=str(target), **options)
        plugin.export(self.gradebook)
        with target.open(newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))

    def row(self, student, question, **options):
        [row] = [
            row
            for row in self.export(**options)
            if (row["student_id"], row["question"]) == (student, question)
        ]
        return row
