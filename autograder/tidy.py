"""Take what varies from machine to machine out of an executed notebook (nbgrader preprocessor)."""

from __future__ import annotations

from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor


class Tidy(NbGraderPreprocessor):
    """Make the executed solutions depend on the lesson alone."""

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Reduce the language information to its name and drop timings."""
        if "language_info" in nb.metadata:
            nb.metadata.language_info = NotebookNode(name=nb.metadata.language_info.get("name"))
        for cell in nb.cells:
            cell.metadata.pop("execution", None)
        return nb, resources
