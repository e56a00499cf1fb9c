"""From evidence to points, reasons, and the one output that nbgrader reads."""

from __future__ import annotations

import copy
import json
import platform

import pytest
from nbformat.v4 import new_code_cell, new_output
from nbgrader import utils
from support.answers import answered, cell_of, index_of, solved
from support.lessons import check, managed
from support.probes import made, reference_of

from autograder.evidence import VERSION, encode
from autograder.execution.run import Limits
from autograder.execution.runs import CellRun, End
from autograder.execution.sandbox import SandboxPolicy
from autograder.lesson.model import Question
from autograder.pipeline import OwnBench, grade, prepare
from autograder.probe import case
from autograder.verdict.score import judge_cell

POINTS = 3

PROBE = made(
    lambda x: x * 2,
    case("three & more", 3),
    case("zero", 0, penalty=1),
    case("minus one", -1, penalty=0.5),
    mistakes={"adds <b>two</b>": lambda x: x + 2},
    edge_mistakes={"gives None for zero": lambda x: x * 2 or None},
)


def question(points=POINTS):
    return Question("q_check", "q", "1_only", points, False)


def recorded(one, answer):
    """Return the evidence that a submission's kernel publishes for an answer."""
    return json.loads(json.dumps({"version": VERSION, "cases": one.record(answer)}))


def judged(run, *probes, points=POINTS):
    """Judge a run; return the verdict, nbgrader's points and the outputs."""
    known = tuple(reference_of(one) for one in probes or (PROBE,))
    verdict, outputs = judge_cell(question(points), known, run)
    cell = check("q_check", "", points)
    cell.outputs = outputs
    score, maximum = utils.determine_grade(cell)
    assert maximum == points
    assert score == verdict.points
    return verdict, score, outputs


def judged_answer(answer, **options):
    return judged(CellRun(evidence=[recorded(PROBE, answer)]), **options)


def html_of(outputs):
    return "\n".join(o.data.get("text/html", "") for o in outputs if "data" in o)


def edges_wrong(*values):
    return lambda x: None if x in values else x * 2


# Points -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "points"),
    [
        (lambda x: 2 * x, 3),
        (edges_wrong(0), 2),
        (edges_wrong(-1), 2.5),
        (edges_wrong(0, -1), 1.5),
        (edges_wrong(3), 0),
        (lambda x: None, 0),
    ],
    ids=["right", "edge", "other-edge", "edges", "core", "all"],
)
def test_nbgrader_reads_the_points_that_were_earned(answer, points):
    verdict, score, _ = judged_answer(answer)
    assert (verdict.points, score) == (points, points)


@pytest.mark.parametrize("points", [1, 0.5, 10, 2.75])
def test_nbgrader_reads_full_and_no_points_of_any_question(points):
    assert judged_answer(lambda x: 2 * x, points=points)[1] == points
    assert judged_answer(lambda x: None, points=points)[1] == 0


@pytest.mark.parametrize("points", [1, 1.5])
def test_edges_that_take_all_points_leave_none_and_not_less(points):
    assert judged_answer(edges_wrong(0, -1), points=points)[1] == 0


def test_points_with_many_digits_are_read_exactly():
    one = made(abs, case("two", -2), case("three", -3, penalty=1 / 3))
    run = CellRun(evidence=[recorded(one, lambda x: 2 if x == -2 else 0)])
    assert judged(run, one, points=1)[1] == 1 - 1 / 3


def test_full_marks_have_no_error_no_result_and_no_stderr():
    _, _, outputs = judged_answer(lambda x: 2 * x)
    assert [output.output_type for output in outputs] == ["display_data"]


def test_the_outputs_of_the_students_code_are_not_shown_and_change_nothing():
    noise = [
        new_output("stream", name="stderr", text="warning"),
        new_output("execute_result", {"text/plain": "1000"}),
        new_output("error", ename="EvidenceRecorded", evalue="", traceback=[]),
    ]
    run = CellRun(outputs=noise, evidence=[recorded(PROBE, lambda x: 2 * x)])
    _, score, outputs = judged(run)
    assert score == POINTS
    assert "1000" not in str(outputs)


def test_several_probes_of_a_cell_are_one_question():
    other = made(value=5, mistakes={"is six": 6})
    right = recorded(PROBE, lambda x: 2 * x)
    for value, points in ((5, 3), (6, 0)):
        run = CellRun(evidence=[right, recorded(other, value)])
        verdict, score, _ = judged(run, PROBE, other)
        assert score == points
    assert verdict.mistake == "is six"


def test_a_core_case_that_fails_in_any_probe_of_a_cell_decides_the_question():
    other = made(value=5)
    for answer, value in ((lambda x: x, 5), (lambda x: 2 * x, 6)):
        run = CellRun(evidence=[recorded(PROBE, answer), recorded(other, value)])
        assert judged(run, PROBE, other)[1] == 0


# Reasons ----------------------------------------------------------------------------------------


def test_a_full_score_has_a_table_of_passed_cases_and_no_problem():
    verdict, _, outputs = judged_answer(lambda x: 2 * x)
    assert verdict.problems == ()
    assert verdict.mistake is None
    assert "<strong>3 of 3 points.</strong>" in html_of(outputs)
    assert html_of(outputs).count("passed") == 3


def test_a_lost_edge_says_what_it_cost():
    verdict, _, outputs = judged_answer(edges_wrong(-1))
    assert verdict.problems == ("minus one: expected a number, got None",)
    assert "<strong>2.5 of 3 points.</strong>" in html_of(outputs)
    assert "failed (−0.5)" in html_of(outputs)
    assert html_of(outputs).count("passed") == 2


def test_a_known_mistake_is_named_in_the_authors_words():
    verdict, _, outputs = judged_answer(lambda x: x + 2)
    assert verdict.mistake == "adds <b>two</b>"
    assert "It looks like this answer" in html_of(outputs)
    assert judged_answer(edges_wrong(0))[0].mistake == "gives None for zero"


def test_a_failed_core_case_says_that_all_are_needed():
    _, _, outputs = judged_answer(edges_wrong(3))
    assert "A question earns points only when all of its main cases pass." in html_of(outputs)
    assert "failed (" not in html_of(outputs)


def test_cases_that_failed_in_the_same_way_are_one_problem():
    verdict, _, _ = judged_answer(lambda x: None)
    assert verdict.problems == ("3 cases: expected a number, got None",)


def test_text_of_authors_and_students_is_escaped():
    def fail(_):
        raise ValueError("<script>alert('x')</script>")

    for answer in (fail, lambda x: "<img src=x>", lambda x: x + 2):
        page = html_of(judged_answer(answer)[2])
        for tag in ("<script", "<img", "<b>"):
            assert tag not in page
        assert "three &amp; more" in page
    assert "&lt;script&gt;" in html_of(judged_answer(fail)[2])


def test_text_of_the_students_is_escaped_in_a_reason_too():
    error = new_output("error", ename="<b>E", evalue="<script>", traceback=[])
    _, _, outputs = judged(CellRun(outputs=[error]))
    assert "<script" not in html_of(outputs)
    assert "<b>" not in html_of(outputs)


# Evidence that cannot be judged -----------------------------------------------------------------

RIGHT = recorded(PROBE, lambda x: 2 * x)


def changed(**changes):
    return {**copy.deepcopy(RIGHT), **changes}


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (
            CellRun(),
            "This check recorded nothing, so there is nothing to judge.",
        ),
        (
            CellRun(
                outputs=[
                    new_output(
                        "error", ename="NameError", evalue="name 'q' is not defined", traceback=[]
                    )
                ]
            ),
            "This check recorded nothing, so there is nothing to judge. The check ended with "
            "NameError: name 'q' is not defined. No cell that ran before defines it.",
        ),
        (
            CellRun(outputs=[new_output("error", ename="ValueError", evalue="x", traceback=[])]),
            "This check recorded nothing, so there is nothing to judge. "
            "The check ended with ValueError: x.",
        ),
        (
            CellRun(evidence=[RIGHT, RIGHT]),
            "This check recorded more than one result, which is not accepted.",
        ),
        (
            CellRun(End.TIMEOUT, reason="it did not finish within 30 s"),
            "This check was stopped: it did not finish within 30 s.",
        ),
        (
            CellRun(End.DIED, evidence=[RIGHT, RIGHT], reason="the kernel died"),
            "This check was stopped: the kernel died.",
        ),
    ],
    ids=["nothing", "no answer", "error", "double", "stopped", "stopped and double"],
)
def test_a_check_without_one_record_earns_nothing_and_says_why(run, reason):
    verdict, score, outputs = judged(run)
    assert score == 0
    assert verdict.problems == (reason,)
    assert "<strong>0 of 3 points.</strong>" in html_of(outputs)


def raised(name, message):
    return CellRun(outputs=[new_output("error", ename=name, evalue=message, traceback=[])])


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (raised("ValueError", "no."), "The answer cell ended with ValueError: no."),
        (raised("ZeroDivisionError", ""), "The answer cell ended with ZeroDivisionError."),
        (
            raised("ModuleNotFoundError", "No module named 'google.colab'"),
            "The answer cell ended with ModuleNotFoundError: No module named 'google.colab'. "
            "Only what the course has installed can be imported there.",
        ),
        (
            raised("SyntaxError", "f-string: expecting '}' (1.py, line 3)"),
            "The answer cell ended with SyntaxError: f-string: expecting '}' (1.py, line 3). "
            f"The work is graded with Python {platform.python_version()}.",
        ),
        (
            CellRun(End.TIMEOUT, reason="it did not finish within 30 s"),
            "The answer cell was stopped: it did not finish within 30 s.",
        ),
        (CellRun(), "The check ended with NameError: q. No cell that ran before defines it."),
        (None, "The check ended with NameError: q. No cell that ran before defines it."),
    ],
)
def test_the_reason_names_what_ended_the_answer_cell(answer, reason):
    verdict, _ = judge_cell(question(), (reference_of(PROBE),), raised("NameError", "q"), answer)
    assert verdict.problems == (
        f"This check recorded nothing, so there is nothing to judge. {reason}",
    )


def test_an_answer_cell_that_ended_early_costs_nothing_by_itself():
    run = CellRun(evidence=[RIGHT])
    verdict, _ = judge_cell(question(), (reference_of(PROBE),), run, raised("ValueError", "no"))
    assert verdict.points == POINTS


@pytest.mark.parametrize(
    "evidence",
    [
        None,
        [],
        "x",
        3,
        {},
        changed(version=VERSION + 1),
        changed(cases=None),
        changed(cases=[]),
        changed(cases=RIGHT["cases"][:2]),
        changed(cases=RIGHT["cases"] * 2),
        changed(points=3),
        changed(cases=[{"returned": encode(6)}] * 3),
        changed(cases=[{"returned": {"kind": "pickle"}, "inputs": [], "shared": []}] * 3),
    ],
)
def test_malformed_evidence_earns_nothing_and_says_why(evidence):
    verdict, score, outputs = judged(CellRun(evidence=[evidence]))
    assert score == 0
    assert verdict.problems[0].startswith("What this check recorded cannot be used: ")
    assert outputs[-1].output_type == "error"


def test_evidence_that_was_complete_when_the_cell_was_stopped_is_judged():
    run = CellRun(End.FLOOD, evidence=[RIGHT], reason="it printed too much")
    assert judged(run)[1] == POINTS


def test_inputs_of_other_cases_do_not_pass_for_these():
    cases = copy.deepcopy(RIGHT["cases"])
    for one in cases:
        one["inputs"] = []
    assert judged(CellRun(evidence=[changed(cases=cases)]))[1] == 0


# A whole notebook -------------------------------------------------------------------------------


def graded(course, notebook, node, tmp_path):
    """Grade a notebook as submissions are; return it and the verdicts by question."""
    bench = OwnBench(node, prepare(notebook, course.root))
    with SandboxPolicy().opened(tmp_path) as sandbox:
        found = grade(notebook, notebook.path, bench, sandbox, Limits())
    return found.node, {judged.question.name: judged for judged in found.verdicts}


@pytest.mark.parametrize(
    ("answer", "points", "mistake"),
    [
        ("def double(numbers):\n    return numbers + numbers", 3, None),
        (
            "def double(numbers):\n    if numbers.size:\n        return numbers * 2",
            2,
            "gives nothing for nothing",
        ),
        ("def double(numbers):\n    return numbers**2", 0, "squares the numbers"),
    ],
    ids=["right", "edge", "mistake"],
)
def test_an_executed_notebook_is_judged(course, first, tmp_path, answer, points, mistake):
    node, verdicts = graded(course, first, answered(first, double=answer), tmp_path)
    assert verdicts["double"].points == points
    assert verdicts["double"].mistake == mistake
    cell = cell_of(node, "double_check")
    assert utils.determine_grade(cell) == (points, 3)
    assert cell.execution_count is None


def test_a_blank_notebook_earns_nothing_and_says_that_nothing_was_answered(
    course, second, tmp_path
):
    node, verdicts = graded(course, second, copy.deepcopy(second.blank), tmp_path)
    for name in ("size", "reason"):
        assert verdicts[name].points == 0
        assert verdicts[name].problems == ("Not answered yet.",)
    assert utils.determine_grade(cell_of(node, "size_check"))[0] == 0
    assert utils.determine_grade(cell_of(node, "reason"))[0] == 0


def test_an_answer_cell_that_was_left_blank_earns_what_its_check_saw(course, first, tmp_path):
    """The student may have answered in a way that nobody can recognize."""
    node = copy.deepcopy(first.blank)
    own = new_code_cell("exec('def double(numbers):\\n    return 2 * numbers')")
    node.cells.insert(index_of(node, "double_check"), own)
    verdict = graded(course, first, node, tmp_path)[1]["double"]
    assert (verdict.points, verdict.problems) == (3, ())


def test_written_answers_wait_for_a_person(course, second, tmp_path):
    node, verdicts = graded(course, second, solved(second), tmp_path)
    assert verdicts["size"].points == 1
    assert verdicts["reason"].points is None
    assert verdicts["reason"].problems == ()
    assert utils.determine_grade(cell_of(node, "reason"))[0] is None


def test_without_the_judge_a_probe_earns_nothing():
    error = new_output(
        "error", ename="EvidenceRecorded", evalue="recorded, not judged", traceback=[]
    )
    meta = managed("q_check", grade=True, points=3)
    cell = new_code_cell(outputs=[error], metadata=meta)
    assert utils.determine_grade(cell)[0] == 0
