"""What the project says of itself: versions, names, licence."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from support.lessons import ROOT

import autograder

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def pinned() -> dict[str, str]:
    """The versions of constraints.txt by name."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    pairs = [line.split("==") for line in lines]
    assert all(len(pair) == 2 for pair in pairs)
    return {canonicalize_name(name): version for name, version in pairs}


def pythons(project: dict[str, Any]) -> list[str]:
    """Return the versions of Python that are supported, oldest first."""
    found = [re.fullmatch(r".* :: Python :: (3\.\d+)", line) for line in project["classifiers"]]
    return [match[1] for match in found if match]


def test_every_package_that_is_installed_has_its_version_in_the_one_list(project, pinned):
    waiting, seen = [(canonicalize_name(project["name"]), frozenset({"test"}))], set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        found = distribution(name)
        if name != project["name"]:
            assert found.version == pinned.get(name), f"{name} {found.version} in constraints.txt?"
        for line in found.requires or ():
            one = Requirement(line)
            wanted = [{"extra": extra} for extra in sorted(extras)] or [{"extra": ""}]
            if one.marker is None or any(one.marker.evaluate(each) for each in wanted):
                waiting.append((canonicalize_name(one.name), frozenset(one.extras)))
    assert len(seen) > 100


def test_the_supported_pythons_are_the_same_everywhere(project):
    oldest, *between, newest = pythons(project)
    assert SpecifierSet(project["requires-python"]) == SpecifierSet(f">={oldest}")
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(workflow)["jobs"]
    assert oldest in jobs["oldest"]["name"]
    assert newest in jobs["newest"]["name"]
    assert {"uses": "actions/setup-python@v5", "with": {"python-version": newest}} in jobs[
        "newest"
    ]["steps"]
    for job in ("oldest", "newest"):
        assert {"run": ".ci/run"} in jobs[job]["steps"]
    said = f"Python {', '.join([oldest, *between])} or {newest}"
    for page in ("README.md", "CONTRIBUTING.md"):
        assert said in " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert f"(3, {oldest.partition('.')[2]})" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_students_are_told_which_python_and_numpy_grade_their_work(project):
    oldest, *_ = pythons(project)
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    numpy = re.search(r"^numpy==(\d+\.\d+)", pins, re.MULTILINE).group(1)
    pages = list((ROOT / "lessons").glob("*/README.md"))
    assert pages
    for page in pages:
        text = " ".join(page.read_text(encoding="utf-8").split())
        assert f"graded with Python {oldest} or newer and NumPy {numpy}," in text, page
        assert f"With Python {oldest} or newer, in this folder" in text, page


def test_readers_are_told_to_install_this_project_and_no_other(project):
    found = [
        (page.name, *match)
        for page in PAGES
        for match in re.findall(r"pip install \"?([\w.-]+)\[([\w,]+)\]", page.read_text("utf-8"))
    ]
    assert found
    for page, name, extras in found:
        assert name == project["name"], page
        assert set(extras.split(",")) <= set(project["optional-dependencies"]), page
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"(pip|uv|pipx) install [^`\n]*\bautograder\b", text), page


def test_the_changelog_knows_this_version_and_has_room_for_the_next():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## \[(.+?)\]", text, re.MULTILINE)
    assert sections[:2] == ["Unreleased", autograder.__version__]


def test_links_between_pages_lead_somewhere():
    for page in [*PAGES, ROOT / "CHANGELOG.md"]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_package_is_typed_for_its_users_and_has_a_licence(project):
    assert (Path(autograder.__file__).parent / "py.typed").is_file()
    assert project["license"] in (ROOT / "README.md").read_text(encoding="utf-8")
    assert "The authors" in (ROOT / "LICENSE").read_text(encoding="utf-8")
