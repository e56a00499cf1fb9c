"""A student in JupyterLab: reads, runs, answers and validates every notebook of the release."""

from __future__ import annotations

import ast
import copy
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from playwright.sync_api import Browser, Locator, Page, expect
from support import browser as browsers
from support import lab_server
from support.answers import cell_of
from support.browser import Traffic, keep_picture
from support.grading import until
from support.lab_server import Server
from support.lessons import ROOT

from autograder.commands.lab import WORK
from autograder.course import load_course
from autograder.lesson.model import FIGURE_TAG, Notebook, grade_id_of

pytestmark = pytest.mark.browser

RELEASED = sorted(
    path.relative_to(ROOT / "release") for path in (ROOT / "release").glob("*/*.ipynb")
)
PASSED = "visible checks passed"

SHOW = """output => {
    output.scrollIntoView({block: "center"});
    return new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)));
}"""

IMAGES = """images => images.map(image => {
    const box = image.getBoundingClientRect();
    return image.complete && image.naturalWidth > 0 && box.width > 50 && box.height > 50;
})"""

RUN = """before => {
    const prompts = [...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")]
        .map(prompt => prompt.textContent);
    return /\\d/.test(prompts[0]) && prompts[0] !== before
        && !prompts.some(prompt => prompt.includes("*"));
}"""
"""Whether the first cell has run since it had the given prompt, and none is waiting."""


@dataclass(frozen=True)
class Desk:
    """JupyterLab as ``make lab`` opens it, and the folder that it shows."""

    server: Server
    work: Path


@pytest.fixture(scope="module")
def desk(tmp_path_factory) -> Iterator[Desk]:
    root = tmp_path_factory.mktemp("course")
    shutil.copytree(ROOT / "release", root / "release")
    shutil.copy(ROOT / "nbgrader_config.py", root)
    with lab_server.running(root, tmp_path_factory.mktemp("home")) as server:
        yield Desk(server, root / WORK)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsers.started() as browser:
        yield browser


@pytest.fixture
def tab(browser) -> Iterator[tuple[Page, Traffic]]:
    with browsers.window(browser) as tab:
        yield tab


# What the student does --------------------------------------------------------------------------


@dataclass
class Open:
    """A notebook that is open in JupyterLab."""

    page: Page
    file: Path
    """The notebook in ``work/``."""

    def node(self) -> NotebookNode:
        return nbformat.read(self.file, as_version=4)

    def cell(self, identifier: str) -> Locator:
        """Return the cell with this nbgrader or cell identifier."""
        index = next(
            i
            for i, cell in enumerate(self.node().cells)
            if identifier in (grade_id_of(cell), cell.get("id"))
        )
        return self.page.locator(".jp-Notebook .jp-Cell").nth(index)

    def outputs(self, identifier: str) -> Locator:
        """Return the outputs of a cell, scrolled to: JupyterLab draws what is in sight."""
        found = self.cell(identifier).locator(".jp-Cell-outputArea")
        found.evaluate(SHOW)
        return found

    def said(self, identifier: str) -> str:
        return self.outputs(identifier).inner_text()

    def run_all(self) -> None:
        """Run all cells; Jupyter stops at the first one that fails."""
        prompt = self.page.locator(".jp-CodeCell .jp-InputPrompt").first.text_content()
        self.page.locator(".lm-MenuBar-item", has_text="Run").click()
        self.page.locator('[data-command="runmenu:run-all"]').click()
        self.page.wait_for_function(RUN, arg=prompt)

    def answer(self, identifier: str, source: str) -> None:
        """Type over what is in a cell."""
        cell = self.cell(identifier)
        rendered = cell.locator(".jp-MarkdownOutput")
        if rendered.count():
            rendered.dblclick()
        cell.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(source)

    def validate(self) -> tuple[bool, str]:
        """Press Validate; return whether all is well and what else it says."""
        self.page.locator(".validate-button").click()
        message = self.page.locator(".jp-Dialog #validation-message")
        expect(message).to_be_visible()
        said = message.inner_text()
        self.page.locator(".jp-Dialog button").last.click()
        expect(self.page.locator(".jp-Dialog")).to_have_count(0)
        return "Success!" in said, said


def open_notebook(page: Page, desk: Desk, path: Path) -> Open:
    """Open a notebook in a workspace of its own, and wait for all of it and for its kernel."""
    server, name = desk.server, path.as_posix()
    page.goto(f"{server.url}lab/workspaces/{path.stem}/tree/{name}?reset&token={server.token}")
    opened = Open(page, desk.work / path)
    expect(page.locator(".jp-Notebook .jp-Cell")).to_have_count(len(opened.node().cells))

    def connected() -> bool:
        page.wait_for_timeout(50)  # lets the page go on
        return any(
            session["path"] == name and session["kernel"]["connections"]
            for session in server.get("api/sessions")
        )

    until(connected, "kernel of the page")
    return opened


def close_kernels(server: Server) -> None:
    for kernel in server.get("api/kernels"):
        server.delete(f"api/kernels/{kernel['id']}")


# What the student must see ----------------------------------------------------------------------


def check_figures(opened: Open) -> None:
    """Check that every figure cell shows an image of some size."""
    for cell in opened.node().cells:
        if FIGURE_TAG in cell.metadata.get("tags", []):
            shown = opened.outputs(cell.id).locator("img").evaluate_all(IMAGES)
            assert shown, f"{cell.id} shows no image"
            assert all(shown), f"{cell.id} shows an image of no size"


def check_explanation(opened: Open, identifier: str) -> None:
    """Check that a failed check says in words what is wrong."""
    said = opened.said(identifier)
    assert re.search(r"AssertionError: \w.{20,}", said), f"{identifier} explains nothing: {said}"


def check_passed(opened: Open, identifier: str) -> None:
    said = opened.said(identifier)
    assert PASSED in said, f"{identifier} does not say that it passed: {said}"


def check_no_interruption(page: Page) -> None:
    """Check that nothing lies over the notebook or asks for an answer."""
    for what in (".jp-Dialog", ".Toastify__toast"):
        found = page.locator(what).all_inner_texts()
        assert not found, f"JupyterLab interrupts: {found}"


# The story --------------------------------------------------------------------------------------


def wrong(source: str) -> str:
    """Return an answer with the same names whose functions do nothing and whose values are None."""
    tree = ast.parse(source)
    lines = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            lines.append(f"def {node.name}(*args, **kwargs):\n    return None")
        elif isinstance(node, ast.Assign):
            lines.append(f"{ast.unparse(node.targets[0])} = None")
        else:
            lines.append(ast.unparse(node))
    return "\n".join(lines)


@pytest.mark.parametrize("path", RELEASED, ids=lambda path: path.stem)
def test_a_student_works_through_a_notebook(desk, tab, path, pictures):
    page, traffic = tab
    lesson = load_course(ROOT).lesson(path.parent.name).notebook(path.stem)
    questions = [question for question in lesson.questions if not question.by_hand]
    right = lesson.solved()
    solutions = {
        question.name: cell_of(right, question.name).source for question in lesson.questions
    }
    opened = open_notebook(page, desk, path)
    check_no_interruption(page)

    # Blank: the first answer asks to be written, and Validate names what is missing.
    opened.run_all()
    said = opened.said(questions[0].name) + opened.said(questions[0].grade_id)
    assert "replace this line with your answer" in said
    well, said = opened.validate()
    assert not well
    for question in questions:
        first_line = cell_of(lesson.blank, question.grade_id).source.split("\n")[1]
        assert first_line in said, question.name

    # One wrong: the check below it says why.
    missed = next((q for q in questions if "def " in solutions[q.name]), questions[0])
    for name, source in solutions.items():
        opened.answer(name, wrong(source) if name == missed.name else source)
    opened.run_all()
    check_explanation(opened, missed.grade_id)

    # All right: everything runs, every figure is there, and Validate is content.
    opened.answer(missed.name, solutions[missed.name])
    opened.run_all()
    for question in questions:
        check_passed(opened, question.grade_id)
    check_figures(opened)
    well, said = opened.validate()
    assert well, said
    saved = opened.node()
    assert {name: cell_of(saved, name).source for name in solutions} == solutions
    check_no_interruption(page)
    traffic.check()
    if path == RELEASED[0]:
        keep_picture(picture(opened), pictures / "lesson.png")
    close_kernels(desk.server)


def picture(opened: Open) -> bytes:
    """Return a picture of the first figure and what is around it."""
    opened.page.set_viewport_size({"width": 960, "height": 800})
    opened.page.keyboard.press("ControlOrMeta+b")  # without the list of files
    expect(opened.page.locator("#filebrowser")).to_be_hidden()
    cells = opened.node().cells
    opened.outputs(next(c.id for c in cells if FIGURE_TAG in c.metadata.get("tags", [])))
    return opened.page.screenshot()


def test_the_assignment_list_opens_and_nothing_of_the_instructors_is_in_the_menu(desk, tab):
    page, traffic = tab
    page.goto(f"{desk.server.url}lab?reset&token={desk.server.token}")
    page.locator(".lm-MenuBar-item", has_text="Nbgrader").click()
    expect(page.locator(".lm-Menu .lm-Menu-itemLabel:visible")).to_have_text(["Assignment List"])
    page.locator('[data-command="nbgrader:open-assignment-list"]').click()
    expect(page.get_by_text("There are no assignments to fetch.")).to_be_visible()
    check_no_interruption(page)
    traffic.check()


# The checks can fail ----------------------------------------------------------------------------


def spoilt(lesson: Notebook) -> NotebookNode:
    """Return a wrong answer whose check explains nothing, and figures that show nothing."""
    node = copy.deepcopy(lesson.blank)
    question = lesson.questions[0]
    for cell in node.cells:
        if FIGURE_TAG in cell.metadata.get("tags", []):
            cell.source = "print('no figure')"
    cell_of(node, question.grade_id).source = "assert False"
    return node


def test_a_notebook_without_figures_and_explanations_is_noticed(desk, tab):
    page, _ = tab
    path = RELEASED[0]
    lesson = load_course(ROOT).lesson(path.parent.name).notebook(path.stem)
    question = lesson.questions[0]
    node = spoilt(lesson)
    cell_of(node, question.name).source = "pass"
    spoilt_path = path.with_name("spoilt.ipynb")
    nbformat.write(node, desk.work / spoilt_path)
    opened = open_notebook(page, desk, spoilt_path)
    opened.run_all()
    with pytest.raises(AssertionError, match="explains nothing"):
        check_explanation(opened, question.grade_id)
    with pytest.raises(AssertionError, match="does not say that it passed"):
        check_passed(opened, question.grade_id)
    with pytest.raises(AssertionError, match="shows no image"):
        check_figures(opened)


def test_a_dialog_and_a_request_to_another_machine_are_noticed(tab):
    page, traffic = tab
    page.set_content("<div class='jp-Dialog'>News?</div><img src='https://example.org/a.png'>")
    with pytest.raises(AssertionError, match=r"interrupts: \['News\?'\]"):
        check_no_interruption(page)
    with pytest.raises(AssertionError, match=r"asks other machines: .*example\.org"):
        traffic.check()
