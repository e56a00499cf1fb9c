"""Release feedback pages to the students who used nbgrader's exchange, and to all of those."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from nbgrader.exchange.default import ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash

from autograder.course import folders_of_students
from autograder.files import NotReadable, read_bytes
from autograder.results import REPORTS, read_result

SECRET = "submission_secret.txt"
"""File of a submission with a text that only its student and the instructor know."""


MAX_SECRET = 4096
"""The longest such text that is read, in bytes."""


class ReleaseFeedback(ExchangeReleaseFeedback):
    """nbgrader's command ``release_feedback``, for classes that hand in in several ways.

    nbgrader stops at the first submission that did not come through the exchange. It names a page
    for the student by the notebook's name and the submission's secret; ``fetch_feedback`` looks for
    the name of the file that was handed in, which need not be that of the notebook.
    """

    def copy_files(self) -> None:
        """Copy the pages of the chosen students to the exchange."""
        excluded = self.coursedir.student_id_exclude.split(",")
        folders = folders_of_students(self.coursedir, self.coursedir.feedback_directory)
        if not folders:
            self.log.warning(
                "There is no feedback for %s yet. Run: nbgrader generate_feedback %s",
                self.coursedir.assignment_id,
                self.coursedir.assignment_id,
            )
        for student, found in folders.items():
            folder = found.path
            if student in excluded or found.problem:
                continue
            try:
                secret = read_bytes(folder / SECRET, MAX_SECRET).decode("utf-8")
            except (NotReadable, UnicodeDecodeError):
                self.log.warning(
                    "%s did not hand in through the exchange; the pages to send are in %s",
                    student,
                    folder,
                )
                continue
            for name, page in self._pages(student, folder).items():
                self._release(page, notebook_hash(secret=secret, notebook_id=name))
            self.log.info("Released the feedback of %s", student)

    def _pages(self, student: str, folder: Path) -> dict[str, Path]:
        """Return a student's pages by the names under which they are looked for."""
        pages = {page.stem: page for page in sorted(folder.glob("*.html"))}
        record = read_result(
            Path(self.coursedir.format_path(REPORTS, student, self.coursedir.assignment_id))
        )
        renamed = {}
        for name, notebook in record.notebooks.items() if record else ():
            if name in pages and notebook.file:
                renamed[Path(notebook.file).stem] = pages[name]
        return {**renamed, **pages}

    def _release(self, page: Path, name: str) -> None:
        """Copy a page so that whoever fetches it meanwhile gets the old one or the new one."""
        temporary = Path(self.dest_path, f"{name}-tmp.html")
        shutil.copy(page, temporary)
        os.replace(temporary, Path(self.dest_path, f"{name}.html"))
