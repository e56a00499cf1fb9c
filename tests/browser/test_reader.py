"""The reader of a feedback page finds what went wrong, on a wide screen and on a telephone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from support import browser as browsers
from support.browser import MATHJAX, keep_picture
from support.grading import one_student, run
from support.lessons import ROOT
from support.pages import CONTRAST, page_problems

from examples import answers

pytestmark = pytest.mark.browser

LESSON, NOTEBOOK = "lesson4_learned_positions", "2_forward_broadcast"
ANSWER = "chaffs/add_positions__rows_by_batch.py"
WIDTHS = [1280, 400]
MIN_FONT = 12
"""Pixels."""

TEXTS = """() => [...document.querySelectorAll("TABLE th, TABLE td")].map(cell => {
    const style = getComputedStyle(cell);
    const range = document.createRange();
    range.selectNodeContents(cell);
    const text = range.getBoundingClientRect(), box = cell.getBoundingClientRect();
    let clipped = text.right > box.right + 1 || text.bottom > box.bottom + 1;
    for (let each = cell; each; each = each.parentElement)
        if (getComputedStyle(each).overflowX !== "visible"
                && text.right > each.getBoundingClientRect().right + 1) clipped = true;
    return {
        text: cell.textContent.trim(),
        seen: cell.checkVisibility({opacityProperty: true, visibilityProperty: true}),
        font: parseFloat(style.fontSize),
        clipped: clipped || text.right > innerWidth,
    };
})"""
"""What there is to say about each cell of a table."""


@pytest.fixture(scope="module")
def feedback(tmp_path_factory) -> Path:
    """The page of a submission with one wrong answer, made as an instructor makes it."""
    root = one_student(tmp_path_factory.mktemp("class") / "course", LESSON, NOTEBOOK, ANSWER)
    run(root, "nbgrader", "autograde", LESSON)
    run(root, "nbgrader", "generate_feedback", LESSON)
    run(root, "autograder.commands.cli", "report", LESSON)
    return root / "feedback" / "s01" / LESSON / f"{NOTEBOOK}.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsers.started() as browser:
        yield browser


@pytest.fixture
def mistake() -> str:
    return answers.read(ROOT / "tests" / "submissions" / LESSON / ANSWER).header["mistake"]


# What the reader must find ----------------------------------------------------------------------


def check_fits(page: Page) -> None:
    """Check that the page need not be moved sideways."""
    width, room = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= room, f"the page is {width} pixels wide, the window {room}"


def check_table(page: Page, selector: str, *expected: str) -> None:
    """Check that a table is there and that each of its texts can be read."""
    cells = page.evaluate(TEXTS.replace("TABLE", selector))
    texts = [cell["text"] for cell in cells]
    for text in expected:
        assert text in texts, f"{selector} lacks {text!r}: {texts}"
    for cell in cells:
        if cell["text"]:
            assert cell["seen"], f"hidden: {cell}"
            assert cell["font"] >= MIN_FONT, f"too small: {cell}"
            assert not cell["clipped"], f"cut off: {cell}"


def check_contrast(page: Page) -> None:
    """Check that every text stands out from what is behind it."""
    found = page.evaluate(CONTRAST)
    assert not found, f"too pale: {found}"


def check_sentence(page: Page, mistake: str) -> None:
    """Check that the mistake is said, in the summary and beside the cases."""
    shown = page.locator("body").inner_text()
    assert shown.count(f"It looks like this answer {mistake}.") == 2, f"does not say: {mistake}"


def check_page(page: Page, mistake: str) -> None:
    check_fits(page)
    check_table(page, ".summary table", "add_positions", "0 of 4")
    check_table(
        page,
        ".output_html table",
        *("Case", "Result", "What happened"),
        *("as many sequences as tokens", "passed", "a batch of one", "failed"),
    )
    check_sentence(page, mistake)
    check_contrast(page)


# The stories ------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", WIDTHS)
def test_the_mistake_and_the_cases_can_be_read(browser, feedback, mistake, width):
    with browsers.window(browser, width) as (page, traffic):
        page.goto(feedback.as_uri())
        check_page(page, mistake)
        traffic.check(MATHJAX)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_report_on_the_class_can_be_read(browser, feedback, width):
    report = feedback.parents[3] / "reports" / f"{LESSON}.html"
    assert page_problems(report.read_text(encoding="utf-8")) == []
    with browsers.window(browser, width) as (page, traffic):
        page.goto(report.as_uri())
        check_fits(page)
        check_contrast(page)
        assert page.locator("svg[role=img]").first.bounding_box()["width"] > 250
        traffic.check()


def test_a_picture_of_the_answer_and_its_verdict(browser, feedback, pictures):
    with browsers.window(browser, 900, 2000) as (page, _):
        page.goto(feedback.as_uri())
        answer = page.locator(".nbgrader_cell", has_text="B = token_emb.shape[0]").bounding_box()
        table = page.locator(".output_html table").bounding_box()
        top, bottom = answer["y"], table["y"] + table["height"] + 10
        clip = {"x": 0, "y": top, "width": 900, "height": bottom - top}
        keep_picture(page.screenshot(full_page=True, clip=clip), pictures / "feedback.png")


# The checks can fail ----------------------------------------------------------------------------

STYLES = {
    "wide": ("body { min-width: 1500px }", "pixels wide"),
    "wide table": ("table { min-width: 1500px }", "cut off"),
    "small": ("td { font-size: 9px !important }", "too small"),
    "hidden": (".output_html table { visibility: hidden }", "hidden"),
    "gone": (".output_html table { display: none }", "hidden"),
    "pale": ("td { color: #ccc !important }", "too pale"),
    "cut off": ("table { table-layout: fixed } td { white-space: nowrap }", "cut off"),
}
"""Styles that spoil the page, and what the checks say."""


@pytest.mark.parametrize("name", STYLES)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_that_cannot_be_read_is_noticed(browser, feedback, mistake, name, width):
    style, problem = STYLES[name]
    with browsers.window(browser, width) as (page, _):
        page.goto(feedback.as_uri())
        page.add_style_tag(content=style)
        with pytest.raises(AssertionError, match=problem):
            check_page(page, mistake)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("as many sequences as tokens", "a case", "lacks 'as many sequences as tokens'"),
        ("It looks like this answer ", "", "does not say: cuts P"),
    ],
)
def test_a_page_that_does_not_say_what_happened_is_noticed(
    browser, feedback, mistake, tmp_path, old, new, problem
):
    text = feedback.read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "page.html").write_text(text.replace(old, new), encoding="utf-8")
    with browsers.window(browser) as (page, _):
        page.goto((tmp_path / "page.html").as_uri())
        with pytest.raises(AssertionError, match=problem):
            check_page(page, mistake)
