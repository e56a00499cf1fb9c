"""Decide the late penalties of a graded submission again (grading process)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import nbformat
from nbgrader.preprocessors import AssignLatePenalties

from autograder.results import Status, SubmissionResult

if TYPE_CHECKING:
    from autograder.plugins.autograde import Autograde


def penalties_again(converter: Autograde, result: SubmissionResult, late: float) -> None:
    """Decide the late penalties of a graded submission again, and nothing else of it.

    Args:
        converter: the converter that graded it.
        result: what was found then; its lateness is brought up to date.
        late: seconds by which the submission is late now.
    """
    converter.log.info("Deciding the late penalties of %s again", result.student)
    source = converter._format_source(result.assignment, result.student)
    for name, notebook in result.notebooks.items():
        if notebook.status != Status.GRADED:
            continue
        file = os.path.join(source, f"{name}.ipynb")
        resources: Any = converter.init_single_notebook_resources(file)
        for kind in converter.autograde_preprocessors:
            if isinstance(kind, type) and issubclass(kind, AssignLatePenalties):
                kind(parent=converter).preprocess(nbformat.v4.new_notebook(), resources)
    result.late = late
    result.write(converter.ledger.folder(result.student))
