"""Have the evidence of a notebook judged, after `autograder.execution.run` (nbgrader preprocessor)."""

from __future__ import annotations

from pathlib import Path

from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.bounded.desk import Clock, Desk
from autograder.execution.run import CLOCK, DESK, RESULTS, Results
from autograder.execution.runs import CellRun, End
from autograder.lesson.model import Lesson
from autograder.results import NOT_ANSWERED
from autograder.submission.restore import Restored
from autograder.verdict.reference import references
from autograder.verdict.score import Judged, judge_cell, nothing

RESTORED = "autograder_restored"
"""Key of the rebuilt notebook in the resources."""

VERDICTS = "autograder_verdicts"
"""Key of the judged questions in the resources."""


class Judge(NbGraderPreprocessor):
    """Judge the evidence of every check cell against the lesson's own solution."""

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Rewrite the outputs of the check cells in ``nb`` and leave the verdicts in the resources.

        Raises:
            KeyError: the notebook was not executed by `autograder.execution.run` before.
        """
        lesson: Lesson = resources["autograder_lesson"]
        root: Path = resources["autograder_root"]
        results: Results = resources[RESULTS]
        notebook = lesson.notebook(resources["nbgrader"]["notebook"])
        desk: Desk | None = resources.get(DESK)
        clock: Clock = resources.get(CLOCK) or Clock(0)
        restored: Restored | None = resources.get(RESTORED)
        blank = restored.blank if restored else set()
        questions = {question.grade_id: question for question in notebook.questions}
        judged: list[Judged] = []
        for index, cell in enumerate(nb.cells):
            if not utils.is_grade(cell):
                continue
            question = questions[cell.metadata.nbgrader["grade_id"]]
            if question.by_hand:
                empty = utils.determine_grade(cell)[0] == 0
                problems = (NOT_ANSWERED,) if empty else ()
                judged.append(Judged(question, 0.0 if empty else None, problems))
                continue
            run = results.runs.get(index, CellRun(End.DIED, reason="it was not run"))
            if desk is not None:
                verdict, cell.outputs = desk.judge(question, run, clock)
            else:
                known = references(notebook, root)[question.grade_id]
                verdict, cell.outputs = judge_cell(question, known, run)
            if not verdict.points and question.name in blank:
                verdict, cell.outputs = nothing(question, NOT_ANSWERED)
            cell.execution_count = None
            judged.append(verdict)
        resources[VERDICTS] = judged
        return nb, resources
