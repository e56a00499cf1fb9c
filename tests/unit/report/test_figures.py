"""`autograder report`: how a class did, on a page and in the terminal."""

from __future__ import annotations

import re
import shutil
import time
from html.parser import HTMLParser
from itertools import pairwise

import pytest
import sqlalchemy
from click.testing import CliRunner
from rich.console import Console
from support.grading import BAD, grade, make_class, run
from support.lessons import ROOT, write_tiny_course

from autograder.commands.cli import main
from autograder.course import load_course, student_id
from autograder.gradebook.database import engine_of
from autograder.notes import Kind, Note, kind_of
from autograder.plugins import standings
from autograder.plugins.standings import Row, StudentResult
from autograder.report import figures as report
from autograder.report import page as report_page
from autograder.report import tables as report_tables
from autograder.report import words as report_words
from autograder.report.figures import discrimination, histogram
from autograder.results import (
    NOT_ANSWERED,
    NotebookResult,
    QuestionResult,
    Status,
    SubmissionResult,
)

# nbgrader gives a submission its assignment and notebooks before it adds it to the session.
pytestmark = pytest.mark.filterwarnings(r"ignore:Object of type <\w+> not in session")

LIMIT = 20.0
"""Seconds for a class of 500, which take less than one on an idle machine."""

POINTS = {"a": ("1_first", 1.0), "b": ("2_second", 2.0), "c": ("2_second", 4.0)}

WAITS, BROKEN, ABSENT = "waits", "broken", "absent"
STATUS = {
    WAITS: Status.BY_HAND,
    BROKEN: Status.NOT_GRADABLE,
    ABSENT: Status.NOT_SUBMITTED,
}


def student(name, *answers, penalty=0.0, mistake="", reason="", record=True):
    """Return a student's results in the questions a, b and c: a score or a status each."""
    rows = []
    for answer, (question, (notebook, points)) in zip(answers, POINTS.items(), strict=True):
        status = STATUS.get(answer, Status.GRADED)
        score = answer if status == Status.GRADED else 0.0 if answer == ABSENT else None
        rows.append(
            Row(
                "lesson", name, notebook, question, status, score, points, "", penalty / 2,
                mistake, reason, "none", graded_with="",
            )
        )  # fmt: skip
    return StudentResult(name, tuple(rows), SubmissionResult(name, "lesson") if record else None)


def made(*results, names=False):
    return report.make("lesson", results, names)


def question(found, name):
    return next(each for each in found.questions if each.name == name)


# Statistics, worked by hand ---------------------------------------------------------------------


def test_the_discrimination_is_pearsons_correlation():
    # Deviations from 0.5 and 2.5: the products add up to 2, the squares to 1 and 5.
    assert discrimination([(0, 1), (0, 2), (1, 3), (1, 4)]) == pytest.approx(2 / 5**0.5)
    assert discrimination([(0, 3), (1, 2), (2, 1)]) == pytest.approx(-1)


def test_of_all_or_nothing_it_is_the_point_biserial_correlation():
    right, wrong = [5, 7, 9], [2, 4]
    everyone = right + wrong
    mean = sum(everyone) / 5
    deviation = (sum((x - mean) ** 2 for x in everyone) / 5) ** 0.5
    expected = (7 - 3) / deviation * (3 / 5 * 2 / 5) ** 0.5
    pairs = [(1, x) for x in right] + [(0, x) for x in wrong]
    assert discrimination(pairs) == pytest.approx(expected)


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        [(0, 0), (1, 1)],
        [(1, 0.2), (1, 0.4), (1, 0.6)],
        [(0, 0.3), (1, 0.3), (2, 0.1 + 0.2)],
    ],
    ids=["nobody", "two students", "all the same", "the same but for rounding"],
)
def test_where_there_is_no_correlation_there_is_none(pairs):
    assert discrimination(pairs) is None
    assert report_words.correlation(discrimination(pairs)) == "n/a"


def test_a_question_is_compared_with_the_others_not_with_itself():
    # Without a, the scores of b and c are 6, 4, 2 and 0 while those of a are 0, 1, 0 and 1:
    # deviations ±3, ±1 and ±½, products -1.5 + 0.5 + 0.5 - 1.5 = -2, squares 20 and 1.
    found = made(
        student("s1", 0.0, 2.0, 4.0),
        student("s2", 1.0, 2.0, 2.0),
        student("s3", 0.0, 0.0, 2.0),
        student("s4", 1.0, 0.0, 0.0),
    )
    assert question(found, "a").discrimination == pytest.approx(-2 / 20**0.5)


def test_what_is_not_graded_counts_neither_for_nor_against_a_student():
    everything = (
        student("s1", 1.0, 2.0, 4.0),
        student("s2", 1.0, 1.0, 2.0),
        student("s3", 0.0, 0.0, 0.0),
    )
    # As good as s2 in all that could be graded: half of the points of b.
    unlucky = student("s4", 1.0, 1.0, BROKEN)
    same = made(*everything, student("s4", 1.0, 1.0, 2.0))
    assert question(made(*everything, unlucky), "a").discrimination == pytest.approx(
        question(same, "a").discrimination
    )


def test_marks_are_counted_and_what_is_not_graded_is_no_zero():
    found = made(
        student("s1", 1.0, 2.0, 4.0),
        student("s2", 1.0, 0.5, WAITS),
        student("s3", 0.0, BROKEN, BROKEN),
        student("s4", 1.0, ABSENT, ABSENT),
        student("s5", ABSENT, ABSENT, ABSENT),
    )
    a, b, c = found.questions
    assert (a.notebook, a.name, a.points) == ("1_first", "a", 1)
    assert (a.full, a.part, a.zero, a.not_graded) == (3, 0, 1, 0)
    assert a.share(a.full) == 0.75
    assert (b.full, b.part, b.zero) == (1, 1, 0)
    assert report_words.not_graded(b) == "1 not gradable, 1 not handed in"
    assert (c.full, c.part, c.zero, c.waiting) == (1, 0, 0, 1)
    assert c.share(c.full) == 1
    assert c.width(c.full) == 0.25


def test_each_submission_has_one_state_and_scores_are_of_those_that_could_be_graded():
    found = made(
        student("s1", 1.0, 2.0, 4.0),
        student("s2", 1.0, 1.0, 1.0, penalty=1.0),
        student("s3", 1.0, 2.0, WAITS),
        student("s4", 0.0, BROKEN, BROKEN),
        student("s5", BROKEN, BROKEN, BROKEN, record=False),
        student("s6", ABSENT, ABSENT, ABSENT),
    )
    assert (found.students, found.submitted, found.missing) == (6, 5, 1)
    assert (found.graded, found.waiting, found.not_gradable, found.not_yet) == (2, 1, 1, 1)
    assert found.scores == (2, 3, 7)
    assert (found.mean, found.median) == (4, 3)
    assert (found.max_score, found.waiting_points) == (7, 4)
    assert "worth up to 4 points" in report_words.scores_note(found)


def test_without_a_score_there_is_no_mean():
    found = made(student("s1", BROKEN, BROKEN, BROKEN))
    assert (found.mean, found.median) == (None, None)
    page = report_page.page(found)
    assert "No submission has a score yet." in page
    assert 'role="img"' not in page
    assert "nan" not in page.lower()


@pytest.mark.parametrize(
    ("scores", "maximum", "edges", "counts"),
    [
        ([0, 1, 1.5, 2, 3], 3, [0, 0.3, 3], None),
        ([0, 2.9, 3, 35, 36], 36, [0, 3, 36], [2, 1] + [0] * 9 + [2]),
        ([-1, 100], 100, [0, 10, 100], [1] + [0] * 8 + [1]),
        ([13], 12, [0, 2, 14], [0] * 6 + [1]),
        ([0], 0, [0, 1, 1], [1]),
    ],
)
def test_the_histogram_has_round_bins_up_to_the_maximum(scores, maximum, edges, counts):
    found, heights = histogram(scores, maximum)
    assert [found[0], found[1], found[-1]] == edges
    assert counts in (None, heights)
    assert sum(heights) == len(scores)
    assert len(heights) == len(found) - 1


def test_mistakes_are_counted_the_commonest_first_and_only_where_points_were_lost():
    found = made(
        student("s1", 0.0, 2.0, 4.0, mistake="mixes up signs"),
        student("s2", 0.0, 2.0, 1.0, mistake="mixes up signs"),
        student("s3", 1.0, 0.0, 4.0, reason=NOT_ANSWERED),
        student("s4", 1.0, 0.0, 4.0, reason="it raised an error"),
        student("s5", 1.0, 2.0, 4.0, mistake="mixes up signs"),
    )
    assert [(each.where, each.text, each.count) for each in found.mistakes] == [
        ("a", "mixes up signs", 2),
        ("c", "mixes up signs", 1),
    ]
    assert (found.lost, found.named, found.blank) == (5, 3, 1)
    assert "5 graded answers lost points: 3 by" in report_words.lost_note(found)


@pytest.mark.parametrize(
    ("value", "shown"), [(None, "n/a"), (2.0, "2"), (2.25, "2.2"), (-0.01, "0"), (-1.5, "−1.5")]
)
def test_numbers_are_short(value, shown):
    assert report_words.number(value) == shown


# Reasons and repairs ----------------------------------------------------------------------------


def test_a_report_without_names_tells_kinds_which_quote_nothing():
    notes = [Note(Kind.RENAMED, "the file s01.ipynb was recognized as 1_double.ipynb")]
    assert kind_of(notes[0]) == "a file under another name was recognized"
    assert kind_of("s01") is Kind.OTHER


# A class in a gradebook -------------------------------------------------------------------------


@pytest.fixture
def hostile(classroom):
    """A class whose ids, file names and texts would be markup."""
    renamed = NotebookResult(
        Status.GRADED,
        repairs=[Note(Kind.RENAMED, "the file <img src=x>.ipynb was recognized as 1_double.ipynb")],
    )
    mistake = QuestionResult("1_double", Status.GRADED, 0, 3, [], "changes <script>its</script>")
    for folder in ("<i>x", "b[1]", "e\x1b[31m"):
        classroom.hand_in(folder)
        name = student_id(folder)
        classroom.score(name, double=0, size=1)
        classroom.record(name, renamed, double=mistake)
    broken = NotebookResult(
        Status.NOT_GRADABLE,
        Note(Kind.DIFFERENT_ANSWERS, "a<b>.ipynb and c.ipynb hold different answers"),
    )
    classroom.hand_in("c&d")
    classroom.score("c&d", size=0)
    classroom.record("c&d", broken)
    classroom.gradebook.add_student("n<o>")
    return classroom


def call(root, *arguments):
    return CliRunner().invoke(main, ["--course", str(root), "report", *arguments])


def page_of(root, *arguments):
    result = call(root, "tiny", *arguments)
    assert result.exit_code == 0, result.output
    return (root / "reports" / "tiny.html").read_text(encoding="utf-8"), result.output


IDS = ("<i>x", "b[1]", "e\\x1b[31m", "c&d", "n<o>")
ESCAPED = ("&lt;i&gt;x", "b[1]", "e\\x1b[31m", "c&amp;d", "n&lt;o&gt;")


def test_without_names_nobody_can_be_recognized(hostile):
    page, shown = page_of(hostile.course.root)
    for text in (*IDS, *ESCAPED, "img src", ".ipynb", "\x1b"):
        assert text not in page, text
        assert text not in shown, text
    for text in ("a file under another name was recognized", "several files hold different"):
        assert text in page
        assert text in shown


def test_with_names_they_are_listed_and_nothing_is_markup(hostile):
    page, shown = page_of(hostile.course.root, "--names")
    for escaped in ESCAPED:
        assert escaped in page
    for name in IDS:
        assert name in shown
    for markup in ("<i>", "<script", "<img", "<o>", "a<b>", "\x1b"):
        assert markup not in page
    assert "changes &lt;script&gt;its&lt;/script&gt;" in page
    assert "the file &lt;img src=x&gt;.ipynb was recognized as 1_double.ipynb" in page
    assert "\x1b" not in shown
    assert "n<o>" in shown.split("Nothing handed in by 1 student")[1]


def test_points_are_the_gradebooks(classroom):
    """Are a person's points and late penalties counted, whatever the record says?"""
    for name, by_hand in (("s1", 2), ("s2", 0.5)):
        classroom.hand_in(name)
        classroom.score(name, by_hand=by_hand, penalty=0.25, double=3, size=1)
        classroom.record(name, double=QuestionResult("1_double", Status.GRADED, 0, 3))
    found = report.read(classroom.course, "tiny")
    assert found.scores == (4, 5.5)
    assert question(found, "double").full == 2
    assert (question(found, "reason").full, question(found, "reason").part) == (1, 1)


def test_a_submission_that_is_not_gradable_at_all_is_one_line(classroom):
    broken = NotebookResult(Status.NOT_GRADABLE, "the grader failed (OSError: disk full)")
    classroom.hand_in("s1")
    classroom.record("s1", broken, broken, notes=["the submission has no timestamp; it counts"])
    classroom.hand_in("s2")
    found = report.read(classroom.course, "tiny", names=True)
    assert [(each.where, each.text, each.students) for each in found.failures] == [
        (report.EVERYWHERE, standings.NOT_YET, ("s2",)),
        (report.EVERYWHERE, "the grader failed (OSError: disk full)", ("s1",)),
    ]
    assert [(each.where, each.count) for each in found.repairs] == [(report.EVERYWHERE, 1)]


def test_the_terminal_shows_what_the_page_shows(hostile):
    found = report.read(hostile.course, "tiny")
    console = Console(width=140, record=True)
    for table in report_tables.tables(found):
        console.print(table)
    text = console.export_text()
    for words in ("Mean", "Median", "double", "1_double", "changes <script>its</script>", "n/a"):
        assert words in text
    line = next(line for line in text.splitlines() if "│ double" in line)
    assert "3 (100%)" in line  # zero marks
    assert "1 not gradable" in line


def test_a_bar_is_as_long_as_the_answers_are_many():
    row = report.QuestionFigures("n", "q", 1, full=6, part=1, zero=3, waiting=2)
    assert report_tables._bar(row) == "█" * 6 + "▒" + "·" * 3


def test_the_same_class_gives_the_same_bytes(hostile, tmp_path):
    files = [tmp_path / "one.html", tmp_path / "new" / "two.html"]
    for file in files:
        result = call(hostile.course.root, "tiny", "--output", str(file))
        assert result.exit_code == 0
        assert str(file) in result.output.replace("\n", "")
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_large_class_takes_no_more_queries_than_a_small_one(classroom):
    def queries():
        found = []
        engine = engine_of(classroom.course.coursedir.db_url)

        def count(*arguments):
            found.append(arguments[2])

        sqlalchemy.event.listen(engine, "before_cursor_execute", count)
        try:
            report.read(classroom.course, "tiny")
        finally:
            sqlalchemy.event.remove(engine, "before_cursor_execute", count)
        return len(found)

    def join(names):
        for name in names:
            classroom.hand_in(name)
            classroom.score(name, double=3, size=1)
            classroom.record(name)

    join(["s1", "s2"])
    few = queries()
    join([f"t{number}" for number in range(20)])
    assert queries() == few


def test_a_class_of_500_is_told_in_seconds(classroom):
    everyone = [f"s{number:03}" for number in range(500)]
    book = classroom.gradebook
    released = book.find_assignment("tiny")
    cells = [(n.id, cell.id) for n in released.notebooks for cell in n.grade_cells]
    insert = {
        table: sqlalchemy.text(
            f"INSERT INTO {table} ({', '.join(columns)}) "
            f"VALUES ({', '.join(':' + column for column in columns)})"
        )
        for table, columns in {
            "student": ("id",),
            "submitted_assignment": ("id", "assignment_id", "student_id"),
            "submitted_notebook": ("id", "assignment_id", "notebook_id"),
            "grade": ("id", "cell_id", "notebook_id", "auto_score", "needs_manual_grade"),
        }.items()
    }
    for number, name in enumerate(everyone):
        classroom.hand_in(name)
        classroom.record(name)
        book.db.execute(insert["student"], {"id": name})
        book.db.execute(
            insert["submitted_assignment"],
            {"id": name, "assignment_id": released.id, "student_id": name},
        )
        for notebook in released.notebooks:
            own = {"id": f"{name}{notebook.name}", "notebook_id": notebook.id}
            book.db.execute(insert["submitted_notebook"], {**own, "assignment_id": name})
        for notebook_id, cell_id in cells:
            notebook = next(n.name for n in released.notebooks if n.id == notebook_id)
            grade = {"id": f"{name}{cell_id}"[:32], "cell_id": cell_id, "auto_score": number % 2}
            grade |= {"notebook_id": f"{name}{notebook}", "needs_manual_grade": False}
            book.db.execute(insert["grade"], grade)
    book.db.commit()
    start = time.monotonic()
    found = report.read(classroom.course, "tiny")
    page = report_page.page(found)
    assert time.monotonic() - start < LIMIT
    assert (found.submitted, found.graded) == (500, 500)
    assert question(found, "size").full == 250
    assert ">250</small>" in page


# The page ---------------------------------------------------------------------------------------


class Elements(HTMLParser):
    """The elements of a page, in order, and which of them were left open."""

    VOID = ("meta", "rect", "br", "wbr", "path", "use", "link", "img", "input")

    def __init__(self, page):
        super().__init__()
        self.found, self.open = [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def all(self, *tags):
        return [attributes for tag, attributes in self.found if tag in tags]


@pytest.fixture
def page(hostile):
    return report_page.page(report.read(hostile.course, "tiny", names=True))


def test_the_page_asks_for_nothing_else(page):
    elements = Elements(page)
    assert elements.all("script", "link", "img", "iframe", "object", "base", "form") == []
    for _, attributes in elements.found:
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in ("src", "href", "xlink:href", "action", "data"):
                assert value.startswith("#")
    for target in re.findall(r"url\(([^)]*)\)", page):
        assert target.strip("'\"").startswith("#")
    assert "@import" not in page


def test_the_page_can_be_read_by_everyone(page):
    elements = Elements(page)
    assert elements.open == []
    assert elements.all("html") == [{"lang": "en"}]
    assert any(meta.get("name") == "viewport" for meta in elements.all("meta"))
    headings = [tag for tag, _ in elements.found if re.fullmatch("h[1-6]", tag)]
    levels = [int(tag[1]) for tag in headings]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    assert len(elements.all("caption")) == len(elements.all("table")) == 4
    assert all("scope" in header for header in elements.all("th"))
    for svg in elements.all("svg"):
        assert svg.get("aria-hidden") == "true" or svg["role"] == "img"
    [chart] = [svg for svg in elements.all("svg") if svg.get("role") == "img"]
    assert "viewbox" in chart
    assert chart["width"] == "100%"
    assert "height" not in chart
    title = re.search(rf'<title id="{chart["aria-labelledby"]}">([^<]*)</title>', page)[1]
    assert title.startswith("Histogram of 3 scores from 0 to 6 points.")
    assert "1 to 1.5: 3. Mean 1, median 1." in title


@pytest.mark.parametrize("pair", ["#222 #fff", "#595959 #fff", "#24598a #fff", "#222 #f0f0f0"])
def test_letters_stand_out(pair):
    """Is the contrast at least the 4.5 that WCAG asks for, and is the color in use?"""

    def luminance(color):
        digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
        parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return sum(w * x for w, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    style = (ROOT / "autograder/report/templates/class_report/index.html.j2").read_text(
        encoding="utf-8"
    )
    low, high = sorted(map(luminance, pair.split()))
    assert all(color in style for color in pair.split())
    assert (high + 0.05) / (low + 0.05) >= 4.5


# Errors that people can mend --------------------------------------------------------------------


def assert_one_sentence(result, *parts):
    assert result.exit_code == 2
    assert result.stdout == ""
    [text] = result.stderr.splitlines()
    for part in parts:
        assert part in text


def test_an_unknown_lesson_is_named(classroom):
    assert_one_sentence(call(classroom.course.root, "none"), "There is no lesson 'none'")


def test_without_a_gradebook_none_is_made(tmp_path):
    root = write_tiny_course(tmp_path / "course")
    assert_one_sentence(call(root, "tiny"), "There is no gradebook", "Run: autograder build tiny")
    assert not list(root.glob("gradebook.db*"))


def test_a_lesson_that_was_not_released_is_named(classroom):
    lessons = classroom.course.root / "lessons"
    shutil.copytree(lessons / "tiny", lessons / "other")
    assert_one_sentence(
        call(classroom.course.root, "other"), "not in the gradebook. Run: autograder build other"
    )


def test_when_nothing_is_graded_the_command_for_it_is_told(classroom):
    classroom.hand_in("s1")
    classroom.gradebook.add_student("s2")
    assert_one_sentence(
        call(classroom.course.root, "tiny"),
        "Nothing of tiny has been graded yet. Run: autograder grade tiny",
    )
    assert not (classroom.course.root / "reports" / "tiny.html").exists()


def test_a_page_that_cannot_be_written_is_named(hostile, tmp_path):
    (tmp_path / "file").touch()
    result = call(hostile.course.root, "tiny", "--output", str(tmp_path / "file" / "page.html"))
    assert_one_sentence(result, "The report cannot be written to ")


# A class that was graded ------------------------------------------------------------------------


@pytest.mark.slow
def test_a_graded_class_is_told_as_it_was_made(tmp_path):
    root = make_class(tmp_path / "course")
    grade(root, "--jobs", "1", status=1)
    found = report.read(load_course(root), "tiny", names=True)
    assert (found.students, found.waiting, found.not_gradable) == (4, 3, 1)
    assert [(each.where, each.text, each.students) for each in found.mistakes] == [
        ("double", "squares the numbers", ("s02",))
    ]
    assert found.scores == (1, 4, 4)
    assert [(each.where, each.students) for each in found.failures] == [("1_double", (BAD,))]
    assert [question.name for question in found.questions] == ["double", "size", "reason"]
    _, out, _ = run(root, "autograder.commands.cli", "report", "tiny")
    assert out.rstrip().endswith("Class report: reports/tiny.html")
    page = (root / "reports" / "tiny.html").read_text(encoding="utf-8")
    assert "squares the numbers" in page
    assert not re.search(r"\bs0[12]\b|b\[1\]|a00", page)
