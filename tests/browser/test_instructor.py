"""An instructor in JupyterLab: grades with Formgrader, by machine and by hand, for the feedback."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, FrameLocator, Locator, Page, expect
from support import browser as browsers
from support import lab_server
from support.answers import cell_of
from support.browser import MATHJAX, keep_picture
from support.grading import configure, one_student, run
from support.lab_server import Server

from autograder.lesson import hidden

pytestmark = pytest.mark.browser

LESSON, NOTEBOOK, QUESTION = "lesson4_learned_positions", "6_exercises", "exercise3_reason"
WRITTEN = """\
The table has the rows 0 to 7 and no others. A row added now would be random, because no gradient
has ever reached it. The sinusoid is computed from t, so it has a vector for every position."""
SCORE, COMMENT = 1.5, "Right. And P[-1], whose row is it?"


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A course with a submission in which exercise 1 is wrong and the written answer too short."""
    root = tmp_path_factory.mktemp("class") / "course"
    one_student(root, LESSON, NOTEBOOK, "chaffs/exercise1__batch_of_two.py")
    file = root / "submitted" / "s01" / LESSON / f"{NOTEBOOK}.ipynb"
    node = nbformat.read(file, as_version=4)
    cell_of(node, QUESTION).source = WRITTEN
    nbformat.write(node, file)
    return root


@pytest.fixture
def root(made, tmp_path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "course"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsers.started() as browser:
        yield browser


def open_formgrader(page: Page, server: Server) -> FrameLocator:
    """Open Formgrader from the menu, and wait for its list of assignments."""
    page.goto(f"{server.url}lab?reset&token={server.token}")
    page.locator(".lm-MenuBar-item", has_text="Nbgrader").click()
    page.locator('[data-command="nbgrader:open-formgrader"]').click()
    frame = page.frame_locator('iframe[src$="/formgrader"]')
    expect(frame.locator("#main-table, .page-header").last).to_be_visible()
    expect(frame.get_by_text("Loading, please wait...")).to_have_count(0)
    return frame


def row(frame: FrameLocator, text: str) -> Locator:
    return frame.locator("#main-table tr", has_text=text)


def confirm(frame: FrameLocator, text: str) -> None:
    """Wait for the answer to a click; check that it is this one, and close it."""
    dialog = frame.locator(".modal.in")
    expect(dialog).to_be_visible()
    assert text in dialog.inner_text()
    dialog.locator(".modal-footer button").click()
    expect(dialog).to_have_count(0)


# What the instructor must see -------------------------------------------------------------------


def check_formgrader(frame: FrameLocator, lesson: str) -> None:
    """Check that Formgrader lists the lesson and complains about nothing."""
    said = frame.locator("body").inner_text()
    assert row(frame, lesson).count() == 1, f"Formgrader does not list {lesson}: {said}"
    alerts = [text for text in frame.locator(".alert").all_inner_texts() if text.strip()]
    assert not alerts, f"Formgrader complains: {alerts}"


def check_scheme(frame: FrameLocator, lines: list[str]) -> None:
    """Check that the marking scheme can be read beside the answer."""
    said = " ".join(frame.locator("body").inner_text().split())
    for line in lines:
        assert line in said, f"the marking scheme lacks: {line}"


def check_exported(root: Path, expected: float) -> None:
    """Check the score of the written answer in the export, and the sum."""
    run(root, "nbgrader", "export")
    with (root / "grades.csv").open(newline="", encoding="utf-8") as stream:
        rows = {each["question"]: each for each in csv.DictReader(stream)}
    assert {each["status"] for each in rows.values()} == {"graded"}
    assert float(rows[QUESTION]["score"]) == SCORE
    assert sum(float(each["score"]) for each in rows.values()) == expected


# The story --------------------------------------------------------------------------------------


def scheme(root: Path) -> list[str]:
    """Return some plain lines of the lesson's marking scheme."""
    node = nbformat.read(root / "lessons" / LESSON / f"{NOTEBOOK}.ipynb", as_version=4)
    marks = hidden.SCHEME_BEGIN, hidden.SCHEME_END
    text = "\n".join(hidden.split(cell.source, *marks)[0] for cell in node.cells)
    words = [line.strip("* ") for line in text.split("\n")]
    found = [line for line in words if line and not set(line) & set('`*"_')]
    assert len(found) > 2
    return found


def test_an_instructor_grades_and_sends_feedback(root, browser, tmp_path, pictures):
    with (
        lab_server.running(root, tmp_path / "home", "--role=instructor") as server,
        browsers.window(browser) as (page, traffic),
    ):
        frame = open_formgrader(page, server)
        check_formgrader(frame, LESSON)

        row(frame, LESSON).locator(".num-submissions a").click()
        expect(row(frame, "s01")).to_contain_text("needs autograding")
        row(frame, "s01").locator(".autograde a").click()
        confirm(frame, f"Successfully autograded '{LESSON}' for student 's01'")
        expect(row(frame, "s01")).to_contain_text("needs manual grading")
        expect(row(frame, "s01")).to_contain_text("4 / 8")

        frame.get_by_role("link", name="Manual Grading").click()
        frame.get_by_role("link", name=LESSON).click()
        frame.get_by_role("link", name=NOTEBOOK).click()
        frame.locator("#main-table").get_by_role("link", name="Submission #1").click()
        score = frame.locator(f"input.score#{QUESTION}")
        expect(score).to_have_class("score tabbable needs_manual_grade")
        check_scheme(frame, scheme(root))
        enter(page, score, str(SCORE), "/api/grade/")
        comment = frame.locator(f"#{QUESTION}-comment")
        enter(page, comment, COMMENT, "/api/comment/")
        keep_picture(picture(page, comment), pictures / "formgrader.png")

        frame = open_formgrader(page, server)
        row(frame, LESSON).locator(".num-submissions a").click()
        expect(row(frame, "s01")).to_contain_text("5.5 / 8")
        row(frame, "s01").locator(".generate-feedback a").click()
        confirm(frame, f"Successfully generated feedback for '{LESSON}' for student 's01'")
        traffic.check(MATHJAX)
        assert traffic.refused, "nothing is known to be asked for elsewhere any more"

    [feedback] = (root / "feedback").rglob("*.html")
    text = feedback.read_text(encoding="utf-8")
    assert COMMENT in text
    assert "5.5 of 8 points" in text
    assert not any(line in text for line in scheme(root))
    check_exported(root, 5.5)


def picture(page: Page, comment: Locator) -> bytes:
    """Return a picture of the marking scheme, the answer, its score and the comment."""
    page.set_viewport_size({"width": 1400, "height": 600})
    comment.evaluate(
        "field => { $('body, html').stop(true); field.scrollIntoView({block: 'end'}); }"
    )
    return page.locator('iframe[src$="/formgrader"]').screenshot()


def enter(page: Page, field: Locator, text: str, address: str) -> None:
    """Type into a field of the page, and wait until it is saved."""
    with page.expect_response(
        lambda answer: address in answer.url and answer.request.method in ("PUT", "POST")
    ) as saved:
        field.fill(text)
        field.blur()
    assert saved.value.ok


# The checks can fail ----------------------------------------------------------------------------


def test_a_course_without_an_id_is_noticed(root, browser, tmp_path):
    configure(root, "\nc.CourseDirectory.course_id = ''\n")
    with (
        lab_server.running(root, tmp_path / "home", "--role=instructor") as server,
        browsers.window(browser) as (page, _),
    ):
        frame = open_formgrader(page, server)
        with pytest.raises(AssertionError, match=r"complains: .*course id has not been set"):
            check_formgrader(frame, LESSON)
        with pytest.raises(AssertionError, match="does not list another"):
            check_formgrader(frame, "another")
        with pytest.raises(AssertionError, match="the marking scheme lacks"):
            check_scheme(frame, scheme(root))
