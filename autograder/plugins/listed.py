"""What our two converters share: how they find submissions and how they write (grading process)."""

from __future__ import annotations

from pathlib import Path

from nbconvert.exporters.exporter import ResourcesDict
from nbgrader.converters.base import BaseConverter

from autograder.course import folders_of_students
from autograder.errors import CourseError
from autograder.files import write_whole


class ListedConverter(BaseConverter):
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

    def student_of(self, folder: str) -> str:
        """Return whose the folder of a submission is."""
        marker = "\0student\0"
        before, after = self._format_source(self.coursedir.assignment_id, marker).split(marker)
        return folder[len(before) : len(folder) - len(after)]
