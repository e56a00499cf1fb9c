"""A class in a gradebook, of which nothing was ever graded."""

from __future__ import annotations

import shutil

import pytest
from support.lessons import write_tiny_course
from support.records_of_class import Class

from autograder.course import load_course


@pytest.fixture(scope="session")
def booked(tmp_path_factory):
    """The folder of a course with a gradebook that knows the lesson; to be copied."""
    empty = Class(load_course(write_tiny_course(tmp_path_factory.mktemp("booked"))))
    with empty.course.gradebook() as gradebook:
        empty.gradebook = gradebook
        empty.add_lesson()
    return empty.course.root


@pytest.fixture
def classroom(booked, tmp_path):
    """The class, to which a test adds students in any state."""
    copied = Class(load_course(shutil.copytree(booked, tmp_path / "course")))
    with copied.course.gradebook() as gradebook:
        copied.gradebook = gradebook
        yield copied
