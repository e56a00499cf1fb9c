"""nbgrader's feedback converter, made to write every page that can be written (grading process)."""

from __future__ import annotations

import html
import os
import sys
import traceback
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import GenerateFeedback as NbgraderGenerateFeedback
from nbgrader.converters.base import NbGraderException
from nbgrader.utils import rmtree

from autograder.course import all_folders, require_writable
from autograder.errors import CourseError
from autograder.gradebook import database
from autograder.plugins import standings
from autograder.plugins.listed import ListedConverter
from autograder.sanitize.text import no_math, printable


class GenerateFeedback(ListedConverter, NbgraderGenerateFeedback):
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
            self._lost_pages = 0
            self._results = self._read_results()
            require_writable(self._format_dest(self.coursedir.assignment_id, "."), "feedback")
            self._require_template()
        except CourseError as error:
            self.log.error("%s", error)
            sys.exit(2)
        try:
            super().start()
        except CourseError as error:
            self.log.error("%s", error)
            raise NbGraderException(str(error)) from error
        if self._outdated:
            raise NbGraderException(f"{len(self._outdated)} students got no pages, see above")
        if self._lost_pages:
            raise NbGraderException(f"{self._lost_pages} pages could not be made, see above")

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Write one page, or one that says why it could not be made: the others are made anyway."""
        try:
            super().convert_single_notebook(notebook_filename)
        except Exception as error:  # a renderer may fail in any way
            reason = printable(f"{type(error).__name__}: {error}"[:300], line=True)
            self.log.error("No page for %s: %s", notebook_filename, reason)
            self.log.debug(traceback.format_exc())
            self._lost_pages += 1
            resources = self.init_single_notebook_resources(notebook_filename)
            resources["output_extension"] = ".html"
            name = html.escape(resources["nbgrader"]["notebook"])
            self.write_single_notebook(
                '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
                f"<title>{name}</title></head><body><h1>{name}</h1>"
                f"<p>This page could not be made: {no_math(reason)}. "
                "The points are in the gradebook all the same.</p></body></html>\n",
                resources,
            )

    def _read_results(self) -> dict[str, standings.StudentResult]:
        name, url = self.coursedir.assignment_id, self.coursedir.db_url
        database.require(url, name)
        with (
            database.explained(url),
            Gradebook(url, self.coursedir.course_id) as gradebook,
        ):
            database.require_current(gradebook.engine)
            try:
                found = list(standings.results(gradebook, name, self.coursedir))
            except MissingEntry:
                raise CourseError(
                    f"{name} is not in the gradebook. Run: autograder build {name}"
                ) from None
        return {result.student_id: result for result in found}

    def _require_template(self) -> None:
        """Make sure that pages can be made, before old ones are removed.

        Raises:
            CourseError: the template is missing or broken.
        """
        exporter = self.exporter_class(parent=self, config=self.config)
        try:
            _ = getattr(exporter, "template", None)
        except Exception as error:  # the template may be anyone's, and fail in any way
            raise CourseError(
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
        self, assignment: str, student: str, result: standings.StudentResult | None
    ) -> str:
        """Return why a student's files are those of somebody who is not there; empty if not so."""
        submitted = self.coursedir.submitted_directory
        folder = Path(self.coursedir.format_path(submitted, student, assignment))
        here = all_folders(self.coursedir, submitted, assignment, student)
        if result is None:
            left = self._format_source(assignment, student)
            return f"neither the gradebook nor {folder.parent} knows this student; delete {left}"
        if not result.known:
            return standings.unknown(assignment, student)
        return "" if student in here else standings.gone(assignment, student, folder)
