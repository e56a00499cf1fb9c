"""The preprocessor that grades: `autograder.pipeline` in nbgrader's list (grading process)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Float, Int

from autograder import pipeline
from autograder.execution.clock import Clock
from autograder.execution.run import Limits
from autograder.execution.sandbox import Sandbox
from autograder.lesson.model import Notebook
from autograder.pipeline import Graded, Workbench

JOB = "autograder"
"""The one key of this package in nbconvert's resources; its value is a `Job`."""


@dataclass
class Job:
    """One submitted notebook to be graded, and what came of it."""

    notebook: Notebook
    submitted: Path
    bench: Workbench
    sandbox: Sandbox
    clock: Clock
    graded: Graded | None = None
    """Set by `Grade`; the preprocessors after it may look at it."""

    def __deepcopy__(self, _: object) -> Job:
        """Return this very job: nbconvert copies the resources for every notebook."""
        return self


class Grade(NbGraderPreprocessor):
    """Put the graded notebook in the place of whatever is converted.

    It comes first in ``c.Autograde.autograde_preprocessors``; nbgrader's own, which write the
    scores into the gradebook, come after it.
    """

    cell_seconds = Float(30, help="Seconds that one cell may take.").tag(config=True)

    notebook_seconds = Float(
        120,
        help=dedent(
            """
            Seconds that one notebook may take, from reading it to its verdicts, restarts after a
            fatal cell included. Cells that have not run by then are not run.
            """
        ),
    ).tag(config=True)

    output_bytes = Int(10 * 2**20, help="Bytes of output after which a cell is stopped.").tag(
        config=True
    )

    shown_output_bytes = Int(
        100_000, help="Bytes of a cell's output that are kept; the rest is cut, with a note."
    ).tag(config=True)

    @property
    def limits(self) -> Limits:
        """What the cells of one notebook may take."""
        return Limits(
            self.cell_seconds, self.notebook_seconds, self.output_bytes, self.shown_output_bytes
        )

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Return the graded notebook of the `Job` in the resources, which also keeps it.

        Raises:
            NotGradable: it cannot be told what belongs where.
            KernelStartError: no kernel can be started.
        """
        job: Job = resources[JOB]
        job.graded = pipeline.grade(
            job.notebook, job.submitted, job.bench, job.sandbox, self.limits, job.clock
        )
        return job.graded.node, resources
