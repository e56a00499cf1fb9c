"""What is committed in release/ and solutions/ is what lessons/ builds."""

from __future__ import annotations

import base64
import os
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner
from nbgrader.api import Gradebook
from support.answers import cell_of
from support.lessons import ROOT, write_tiny_course

from autograder.authoring import build as building
from autograder.authoring.build import build, copy_course, release, stale
from autograder.commands.cli import main
from autograder.course import load_course, require_writable
from autograder.errors import CourseError
from autograder.gradebook import structure

NAMES = [path.name for path in sorted((ROOT / "lessons").iterdir()) if any(path.glob("*.ipynb"))]
NUMBER = re.compile(r"[-+]?\d+\.\d+(?:e[-+]?\d+)?")


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_building_twice_changes_nothing(tmp_path):
    course = load_course(write_tiny_course(tmp_path))
    folders = build(course, "tiny")
    first = [files(folder) for folder in folders]
    build(course, "tiny")
    assert [files(folder) for folder in folders] == first
    assert stale(course, "tiny") == []


def test_a_changed_lesson_makes_its_release_stale(tmp_path):
    course = load_course(write_tiny_course(tmp_path))
    build(course, "tiny")
    path = course.source / "tiny" / "1_double.ipynb"
    node = nbformat.read(path, as_version=4)
    cell_of(node, "task").source += " Again."
    nbformat.write(node, path)
    assert stale(load_course(tmp_path), "tiny") == [
        "release/tiny/1_double.ipynb",
        "solutions/tiny/1_double.ipynb",
    ]


def test_nothing_is_built_from_a_lesson_with_a_weak_check(tmp_path):
    root = write_tiny_course(tmp_path)
    path = root / "lessons" / "tiny" / "1_double.ipynb"
    node = nbformat.read(path, as_version=4)
    cell = cell_of(node, "double_check")
    cell.source = cell.source.replace("numbers**2", "numbers * 2")
    nbformat.write(node, path)
    done = CliRunner().invoke(main, ["--course", str(root), "build"])
    assert done.exit_code == 1
    assert "Nothing was built" in done.output
    assert not (root / "release").exists()


# Complete or not at all --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_tiny_course(tmp_path_factory.mktemp("built") / "course")
    build(load_course(root), "tiny")
    return root


@pytest.fixture
def changed(built, tmp_path):
    """A course that was built, and its lesson changed: other points, other prose."""
    root = shutil.copytree(built, tmp_path / "course")
    edit(root, "task", "**Your turn**, again.")
    edit(root, "size_check", None, "2_count", points=5)
    return root


def edit(root, identifier, source=None, notebook="1_double", **meta):
    path = root / "lessons" / "tiny" / f"{notebook}.ipynb"
    node = nbformat.read(path, as_version=4)
    cell = cell_of(node, identifier)
    cell.source = cell.source if source is None else source
    cell.metadata.get("nbgrader", {}).update(meta)
    nbformat.write(node, path)


def state(root):
    """Return all that a build makes: its files, and what the gradebook holds."""
    made = {step: files(root / step) for step in ("release", "solutions")}
    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        return made, structure.held(gradebook, "tiny")


@pytest.mark.parametrize("fault", ["solution", "copy", "swap", "gradebook", "commit"])
def test_a_build_that_fails_changes_nothing(changed, monkeypatch, fault):
    before = state(changed)
    full = OSError(28, "No space left on device")

    def fail(*_args, **_options):
        raise full

    if fault == "solution":
        edit(changed, "demo", "1 / 0")
    elif fault == "copy":
        monkeypatch.setattr(building.shutil, "copytree", fail)
    elif fault == "swap":
        rename = os.rename

        def second_fails(old, new):
            last = Path(new) == changed / "solutions" / "tiny" and "new" in Path(old).name
            return fail() if last else rename(old, new)

        monkeypatch.setattr(building.os, "rename", second_fails)
    elif fault == "gradebook":
        monkeypatch.setattr(structure, "_complete", fail)
    else:
        update = structure.update

        def then_full(*arguments):
            update(*arguments)
            monkeypatch.setattr("sqlalchemy.orm.scoped_session.commit", fail)

        monkeypatch.setattr(structure, "update", then_full)
    with pytest.raises(CourseError) as caught:
        build(load_course(changed), "tiny")
    assert len(str(caught.value).splitlines()) == 1
    monkeypatch.undo()
    assert state(changed) == before
    assert [path.name for path in (changed / "release").iterdir()] == ["tiny"]
    if fault != "solution":
        assert "No space left on device" in str(caught.value)
        build(load_course(changed), "tiny")
        assert state(changed)[1]["2_count"].cells["grade", "size_check"]["max_score"] == 5
        assert "again" in state(changed)[0]["release"]["tiny/1_double.ipynb"].decode()


def test_a_gradebook_for_which_there_is_no_place_is_one_sentence(changed):
    (changed / "gradebook.db").unlink()
    (changed / "gradebook.db").mkdir()
    with pytest.raises(CourseError, match="gradebook"):
        build(load_course(changed), "tiny")


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "autograded").write_text("no folder", encoding="utf-8")
    with pytest.raises(CourseError, match=r"results cannot be written to .*Nothing was changed"):
        require_writable(tmp_path / "autograded" / "s01", "results")
    require_writable(tmp_path / "new" / "folder", "results")
    assert [path.name for path in tmp_path.iterdir()] == ["autograded"]


def test_a_copied_course_leaves_the_gradebook_of_the_other_alone(built, tmp_path):
    root = shutil.copytree(built, tmp_path / "course")
    with (root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write(f"\nc.CourseDirectory.root = {str(root)!r}\n")
        file.write(f"c.CourseDirectory.db_url = 'sqlite:///{root}/gradebook.db'\n")
    copy = copy_course(load_course(root), "tiny", tmp_path / "copy")
    assert copy.root == tmp_path / "copy"
    assert copy.coursedir.db_url == f"sqlite:///{tmp_path}/copy/gradebook.db"


def test_what_a_solution_writes_is_no_part_of_the_lesson(tmp_path):
    root = write_tiny_course(tmp_path)
    edit(root, "demo", "from pathlib import Path\n\nPath('made.txt').write_text('x')")
    before = load_course(root).lesson("tiny").notebooks[0].fingerprint
    build(load_course(root), "tiny")
    assert sorted(files(root / "lessons" / "tiny")) == ["1_double.ipynb", "2_count.ipynb"]
    assert load_course(root).lesson("tiny").notebooks[0].fingerprint == before


# Nothing of a solution --------------------------------------------------------------------------

PICTURE = {"image/png": base64.b64encode(b"a picture").decode()}


def leaky(root, change, notebook="2_count"):
    path = root / "lessons" / "tiny" / f"{notebook}.ipynb"
    node = nbformat.read(path, as_version=4)
    change(node)
    nbformat.write(node, path)
    return load_course(root)


def test_pictures_of_a_solution_are_removed_and_those_of_the_text_stay(tmp_path):
    def change(node):
        cell = cell_of(node, "reason")
        cell.source = cell.source.replace("Because", "![rows](attachment:so%20lved.png)\nBecause")
        cell.attachments = {"so lved.png": PICTURE}
        cell_of(node, "prompt").source += (
            "\n![a](attachment:a.png)\n### BEGIN MARK SCHEME\n![b](attachment:b.png)\n"
            "### END MARK SCHEME"
        )
        cell_of(node, "prompt").attachments = {"a.png": PICTURE, "b.png": PICTURE}

    course = leaky(write_tiny_course(tmp_path), change)
    build(course, "tiny")
    node = nbformat.read(tmp_path / "release" / "tiny" / "2_count.ipynb", as_version=4)
    assert "attachments" not in cell_of(node, "reason")
    assert list(cell_of(node, "prompt").attachments) == ["a.png"]
    solution = nbformat.read(tmp_path / "solutions" / "tiny" / "2_count.ipynb", as_version=4)
    assert "so lved.png" in cell_of(solution, "reason").attachments
    done = CliRunner().invoke(main, ["--course", str(tmp_path), "check", "tiny"])
    assert done.exit_code == 0, done.output


LEAKS = {
    "metadata of a cell": (
        lambda node: cell_of(node, "size").metadata.update(draft="Because there are three rows of "
                                                           "four numbers each."),
        "size: the release holds a line of a solution in the cell's metadata",
    ),
    "metadata of the notebook": (
        lambda node: node.metadata.update(widgets={"state": 'AND ("size = 12")'}),
        "the release holds a line of a solution in the notebook's metadata",
    ),
}  # fmt: skip


@pytest.mark.parametrize("leak", LEAKS)
def test_a_solution_in_what_nobody_reads_is_found(tmp_path, leak):
    change, sentence = LEAKS[leak]
    root = write_tiny_course(tmp_path)
    leaky(root, change)
    done = CliRunner().invoke(main, ["--course", str(root), "check", "tiny"])
    assert done.exit_code == 1
    assert f"Leak: 2_count, {sentence}" in done.output
    with pytest.raises(CourseError, match="the release holds a line of a solution"):
        release(load_course(root), "tiny")
    assert not (root / "release").exists()


@pytest.mark.parametrize("name", ["1_double.ipynb~", ".1_double.ipynb.swp", "old/solved.py"])
def test_a_solution_in_a_file_beside_the_lesson_is_found(tmp_path, name):
    root = write_tiny_course(tmp_path)
    file = root / "lessons" / "tiny" / name
    file.parent.mkdir(exist_ok=True)
    shutil.copy(root / "lessons" / "tiny" / "1_double.ipynb", file)
    with pytest.raises(CourseError, match="the solution or the hidden tests of double"):
        release(load_course(root), "tiny")


def test_pictures_and_outputs_are_found_where_another_configuration_leaves_them(tmp_path):
    root = write_tiny_course(tmp_path)
    with (root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write(
            "\nfrom nbgrader.preprocessors import ClearOutput\n"
            "c.GenerateAssignment.preprocessors = [\n"
            "    each for each in c.GenerateAssignment.preprocessors\n"
            "    if each not in (DropAttachments, ClearOutput)\n]\n"
        )

    def change(node):
        cell_of(node, "reason").attachments = {"solved.png": PICTURE}
        cell_of(node, "size").outputs = [nbformat.v4.new_output("stream", text="12")]

    found = building.leaking(leaky(root, change), "tiny")
    assert found == [
        "2_count, size: the release holds its outputs; clear them in lessons/",
        "2_count, reason: the release holds the picture solved.png, which its text does not show",
    ]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course built anew from lessons/ in a folder of its own."""
    course = load_course(ROOT)
    root = tmp_path_factory.mktemp("fresh") / "course"
    for name in NAMES:
        build(copy_course(course, name, root), name)
    return root


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_release_is_current_byte_for_byte(fresh, name):
    assert files(ROOT / "release" / name) == files(fresh / "release" / name)


def comparable(path: Path) -> list[tuple[str, list[str]]]:
    """Return sources and text outputs of a solution, numbers rounded to 3 digits.

    Figures and the last digits of numbers depend on the processor.
    """
    cells = []
    for cell in nbformat.read(path, as_version=4).cells:
        texts = [
            NUMBER.sub(lambda found: f"{float(found[0]):.3g}", output.get("text", ""))
            for output in cell.get("outputs", [])
        ]
        cells.append((cell.source, texts))
    return cells


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_solutions_are_current(fresh, name):
    committed, built = ROOT / "solutions" / name, fresh / "solutions" / name
    assert sorted(files(committed)) == sorted(files(built))
    for path in sorted(committed.glob("*.ipynb")):
        assert comparable(path) == comparable(built / path.name), path.name
