"""Put our converters and readers in the place of nbgrader's (grading process, Formgrader)."""

from __future__ import annotations

import datetime
import os
import sysconfig
from pathlib import Path

from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

from autograder.course import all_folders, student_id
from autograder.files import obstacle
from autograder.gradebook import database
from autograder.plugins.autograde import Autograde
from autograder.plugins.feedback import install_formgrader
from autograder.plugins.generate_feedback import GenerateFeedback
from autograder.plugins.handed_in import read_timestamp


def _submitted_students(api: NbGraderAPI, assignment: str) -> set[str]:
    """Stand in for the method with which Formgrader lists who handed something in."""
    coursedir, submitted = api.coursedir, api.coursedir.submitted_directory
    if assignment != "*":
        return set(all_folders(coursedir, submitted, assignment))
    top = Path(coursedir.format_path(submitted, ".", "."))
    names = os.listdir(top) if top.is_dir() else []
    return {student_id(name) for name in names if (top / name).is_dir()}


def _submitted_timestamp(
    api: NbGraderAPI, assignment: str, student: str
) -> datetime.datetime | None:
    """Stand in for the method with which Formgrader reads a timestamp."""
    submitted = api.coursedir.submitted_directory
    path = Path(api.coursedir.format_path(submitted, student, assignment))
    if not os.path.lexists(path):  # the folder's name may be no valid text
        found = all_folders(api.coursedir, submitted, assignment, student).get(student)
        path = path if found is None else found.path
    top = Path(api.coursedir.format_path(submitted, ".", "."))
    return None if obstacle(path, top) else read_timestamp(path)[0]


def _existing_timestamp(_: CourseDirectory, folder: str) -> datetime.datetime | None:
    """Stand in for nbgrader's method, which opens whatever is there and parses it all."""
    return read_timestamp(Path(folder))[0]


def install() -> None:
    """Put these converters in the place of nbgrader's; called by ``nbgrader_config.py``.

    nbgrader has options for the preprocessors and none for the converters, which its commands and
    Formgrader name directly. It also runs ``alembic`` by name, which is found beside this Python
    even if its environment has not been activated.
    """
    import nbgrader.apps.api
    import nbgrader.apps.autogradeapp
    import nbgrader.apps.generatefeedbackapp

    database.install()
    install_formgrader()
    CourseDirectory.get_existing_timestamp = _existing_timestamp
    NbGraderAPI.get_submitted_students = _submitted_students
    NbGraderAPI.get_submitted_timestamp = _submitted_timestamp
    nbgrader.apps.api.Autograde = Autograde
    nbgrader.apps.autogradeapp.Autograde = Autograde
    nbgrader.apps.api.GenerateFeedback = GenerateFeedback
    nbgrader.apps.generatefeedbackapp.GenerateFeedback = GenerateFeedback
    scripts = sysconfig.get_path("scripts")
    if scripts not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([scripts, os.environ["PATH"]])
