"""The lessons themselves: their form, and what they show when they are executed."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.utils import is_grade, is_solution
from support.lessons import KERNELSPEC, ROOT
from support.pages import notebook_problems

from autograder.course import load_course
from autograder.lesson import hidden

SOURCES = sorted((ROOT / "lessons").glob("*/*.ipynb"))
LESSON4 = "lesson4_learned_positions"
IDS = [f"{path.parent.name}/{path.stem}" for path in SOURCES]


@pytest.fixture(params=SOURCES, ids=IDS)
def source(request: pytest.FixtureRequest) -> nbformat.NotebookNode:
    return nbformat.read(request.param, as_version=4)


def test_a_source_notebook_is_clean(source):
    assert dict(source.metadata.kernelspec) == KERNELSPEC
    identifiers = [cell.id for cell in source.cells]
    assert len(set(identifiers)) == len(identifiers)
    for cell in source.cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
        assert set(cell.metadata) <= {"nbgrader", "tags"}
        if "nbgrader" in cell.metadata:
            assert cell.metadata.nbgrader.schema_version == 3
            assert cell.metadata.nbgrader.grade_id == cell.id


def test_cells_are_short(source):
    for cell in source.cells:
        shown = hidden.visible(cell.source)
        lines = [line for line in shown.split("\n") if line.strip()]
        if cell.cell_type == "markdown":
            table = any(line.startswith("|") for line in lines)
            assert table or is_solution(cell) or len(lines) <= 9, cell.id
        elif is_solution(cell):
            begin, end = ("### BEGIN SOLUTION", "### END SOLUTION")
            body = cell.source.split(begin)[1].split(end)[0].strip("\n").split("\n")
            assert len(body) <= 11, cell.id
        else:
            assert len(lines) <= 16, cell.id


def test_figures_are_tagged_and_described(source):
    drawing = [
        cell
        for cell in source.cells
        if cell.cell_type == "code"
        and ("plt.subplots" in cell.source or "plt.figure" in cell.source)
    ]
    for cell in drawing:
        assert "figure" in cell.metadata.get("tags", []), cell.id
        assert "alt" in cell.source, cell.id


def test_headings_go_down_one_level_at_a_time(source):
    levels = [
        len(found[1])
        for cell in source.cells
        if cell.cell_type == "markdown"
        for found in re.finditer(r"^(#+) ", cell.source, re.MULTILINE)
    ]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))


def test_links_between_notebooks_lead_somewhere(source):
    names = {path.name for path in SOURCES}
    for cell in source.cells:
        if cell.cell_type == "markdown":
            for target in re.findall(r"\]\(([^)#]+\.ipynb)", cell.source):
                assert target in names


def test_the_release_holds_nothing_hidden():
    secret = {
        line
        for lesson in load_course(ROOT).chosen(None)
        for notebook in lesson.notebooks
        for line in notebook.secret_lines
        if not line.startswith(("import ", "from ")) and len(line) >= 8
    }
    for path in (ROOT / "release").glob("*/*.ipynb"):
        shown = nbformat.read(path, as_version=4)
        text = "\n".join(cell.source for cell in shown.cells)
        lines = {line.strip() for line in text.split("\n")}
        own = {
            line.strip()
            for cell in nbformat.read(ROOT / "lessons" / path.parent.name / path.name, 4).cells
            for line in hidden.visible(cell.source).split("\n")
        }
        assert not (secret & lines) - own, path.name
        assert "autograder" not in text
        for cell in shown.cells:
            if is_solution(cell) and cell.cell_type == "code":
                assert "raise NotImplementedError" in cell.source


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, nbformat.NotebookNode]:
    """All notebooks of lesson 4 run from top to bottom by nbconvert."""
    folder = tmp_path_factory.mktemp("executed")
    paths = [str(path) for path in SOURCES if path.parent.name == LESSON4]
    options = ["--to", "notebook", "--execute", "--output-dir", str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", "nbconvert", *options, *paths],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return {path.stem: nbformat.read(path, as_version=4) for path in sorted(folder.glob("*.ipynb"))}


def printed(node: nbformat.NotebookNode, stream: str = "stdout") -> str:
    return "".join(
        output.text
        for cell in node.cells
        for output in cell.get("outputs", [])
        if output.output_type == "stream" and output.name == stream
    )


def test_no_notebook_warns_or_fails(executed):
    assert len(executed) == len([path for path in SOURCES if path.parent.name == LESSON4])
    for name, node in executed.items():
        assert printed(node, "stderr") == "", name
        errors = [
            o for cell in node.cells for o in cell.get("outputs", []) if o.output_type == "error"
        ]
        assert not errors, name
        for cell in node.cells:
            if is_grade(cell) and not is_solution(cell):
                text = "".join(output.get("text", "") for output in cell.outputs)
                assert "weak check" not in text
                assert "visible checks passed" in text


def test_the_shared_example_shows_its_numbers(executed):
    shapes = printed(executed["2_forward_broadcast"]) + printed(executed["3_backward_slice_add"])
    for shape in ("(2, 5, 4)", "(8, 4)"):
        assert shape in shapes
    check = printed(executed["4_gradient_check"])
    found = re.search(r"max relative error of dP: (\S+)", check)
    assert found is not None
    error = float(found[1])
    assert error < 1e-7
    assert found[1] == "2.876e-08" or error == pytest.approx(2.876e-08, rel=0.5)
    limit = printed(executed["5_block_size_limit"])
    assert "index 8 is out of bounds for axis 0 with size 8" in limit


def test_rows_past_the_batch_have_no_gradient(executed):
    assert "zero rows  [5, 6, 7]" in printed(executed["3_backward_slice_add"])


def test_training_moves_the_rows_in_use_and_no_others(executed):
    output = printed(executed["7_training_the_table"])
    assert "rows that training changed: [0, 1, 2, 3, 4] " in output
    assert re.search(r"rows 5 to 7 as they began, plain: +True\n", output)
    assert re.search(r"rows 5 to 7 as they began, weight decay: +False\n", output)


def test_attention_feels_the_order_of_tokens_through_the_table_alone(executed):
    output = printed(executed["7_training_the_table"])
    assert re.search(r"without P same: True\b", output)
    assert re.search(r"with P +same: False\b", output)


def test_gpt2_numbers_are_right(executed):
    output = printed(executed["1_position_table"])
    assert "786,432 parameters" in output
    assert "0.63%" in output


def test_students_get_a_folder_that_explains_itself():
    folder = Path(ROOT / "release" / LESSON4)
    assert (folder / "README.md").is_file()
    assert "numpy" in (folder / "requirements.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", ["release", "solutions"])
def test_notebooks_can_be_read_by_everyone(folder):
    """Does every figure have a text, every table headers, and are headings in order?"""
    paths = sorted((ROOT / folder).glob("*/*.ipynb"))
    assert len(paths) == len(SOURCES)
    for path in paths:
        assert notebook_problems(nbformat.read(path, as_version=4)) == [], path.name
