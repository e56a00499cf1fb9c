"""Execute a lesson's solutions for people to read (nbgrader preprocessor)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.execution.process import OrdinaryKernel, kernel_environment
from autograder.execution.session import Session
from autograder.execution.solution import SOLUTION_TIMEOUT, copy_of, require_success


class ExecuteSolution(NbGraderPreprocessor):
    """Run all cells, figures too, and keep outputs that depend on the lesson alone.

    nbgrader's own preprocessor would write the time of every cell and the version of Python.
    """

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Execute ``nb``.

        Raises:
            autograder.errors.CourseError: a cell fails.
        """
        source = Path(resources.get("metadata", {}).get("path") or os.curdir).resolve()
        name = resources["nbgrader"]["notebook"]
        with tempfile.TemporaryDirectory(prefix="ag-") as folder:
            home = Path(folder)
            work = copy_of(source, home)
            env = kernel_environment(home)
            with Session(lambda: OrdinaryKernel(home, env, work)) as session:
                count = 0
                for number, cell in enumerate(nb.cells, 1):
                    if cell.cell_type != "code" or not cell.source.strip():
                        continue
                    run = session.run(cell.source, SOLUTION_TIMEOUT)
                    require_success(name, number, run)
                    count += 1
                    cell.outputs, cell.execution_count = run.numbered(count), count
        return nb, resources
