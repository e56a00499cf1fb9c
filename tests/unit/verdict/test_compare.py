"""Comparing evidence with the reference: verdicts, and messages in the student's terms."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.probes import made, reference_of

from autograder.authoring.check import catching_case, weaknesses
from autograder.evidence import VERSION, EvidenceError, Unrecordable, encode
from autograder.probe import case
from autograder.verdict.compare import same_answer, verdict_on
from autograder.verdict.difference import MAX_SHOWN, describe
from autograder.verdict.outcome import read_evidence, read_outcomes, read_reference


def verdict_of(one, answer):
    """Judge an answer to a probe whose probed answer is the right one."""
    reference = reference_of(one)
    cases = json.loads(json.dumps(one.record(answer)))
    return verdict_on(reference, read_outcomes(cases, reference.cases))


def problem(expected, got, **options):
    """Return the message for a function that returns ``got`` where ``expected`` is right."""
    one = made(lambda: expected, case("a call"), **options)
    return verdict_of(one, lambda: got).cases[0].problem


def value_problem(expected, got, **options):
    """Return the message for a cell that computed ``got`` where ``expected`` is right."""
    return verdict_of(made(value=expected, **options), got).cases[0].problem


def raising(error):
    def answer(*_, **__):
        raise error

    return answer


# Results of functions ---------------------------------------------------------------------------

TABLE = np.arange(6.0).reshape(2, 3)


def changed(**entries):
    other = TABLE.copy()
    for place, value in entries.items():
        other[int(place[1]), int(place[2])] = value
    return other


@pytest.mark.parametrize(
    ("expected", "got", "message"),
    [
        (TABLE, TABLE.T, "expected shape (2, 3), got (3, 2)"),
        (TABLE, TABLE[None], "expected shape (2, 3), got (1, 2, 3)"),
        (TABLE, TABLE.astype("float32"), "expected dtype float64, got float32"),
        (TABLE, TABLE.astype(int), "expected dtype float64, got int64"),
        (TABLE, changed(e12=7), "1 of 6 entries differ; entry [1, 2]: expected 5, got 7"),
        (
            TABLE,
            changed(e01=0.5, e10=9),
            "2 of 6 entries differ; entry [0, 1]: expected 1, got 0.5",
        ),
        (TABLE, changed(e12=np.nan), "1 of 6 entries differ; entry [1, 2]: expected 5, got nan"),
        (np.array([2.0]), np.array([3.0]), "entry [0]: expected 2, got 3"),
        (np.array([1, 2]), np.array([1, 3]), "1 of 2 entries differ; entry [1]: expected 2, got 3"),
        (
            np.array([True, False]),
            np.array([True, True]),
            "1 of 2 entries differ; entry [1]: expected False, got True",
        ),
        (TABLE, TABLE.tolist(), "expected an array of shape (2, 3), got a list of 2 values"),
        (TABLE, None, "expected an array of shape (2, 3), got None"),
        (TABLE, 3.5, "expected an array of shape (2, 3), got 3.5"),
        (TABLE, "abc", "expected an array of shape (2, 3), got 'abc'"),
        (TABLE, {"a": 1}, "expected an array of shape (2, 3), got a dict of 1 entries"),
        (3.0, 4.0, "expected 3, got 4"),
        (3.0, None, "expected a number, got None"),
        (3.0, True, "expected a number, got True"),
        (3.0, "3.0", "expected a number, got '3.0'"),
        (3.0, TABLE, "expected a number, got an array of shape (2, 3) and dtype float64"),
        (0.1234567891, 0.25, "expected 0.123457, got 0.25"),
        (1 + 2j, 1 - 2j, "expected (1+2j), got (1-2j)"),
        (12, 2**400, "expected 12, got a huge integer"),
        (2.0, float("inf"), "expected 2, got inf"),
        (2.0, float("nan"), "expected 2, got nan"),
        (True, False, "expected True, got False"),
        (True, 1, "expected True, got 1"),
        (None, 0, "expected None, got 0"),
        ("left", "right", "expected 'left', got 'right'"),
        ("3", 3, "expected '3', got 3"),
        ((1, 2), (1, 3), "value 2 of 2: expected 2, got 3"),
        ((1, 2), (1, 2, 3), "expected 2 values, got 3"),
        ((1, 2), 1, "expected a tuple of 2 values, got 1"),
        ([1.5, 2.5], "ab", "expected a list of 2 values, got 'ab'"),
        ((TABLE, 1), (TABLE.T, 1), "value 1 of 2: expected shape (2, 3), got (3, 2)"),
        (((1, 2), 3), ((1, 5), 3), "value 1 of 2: value 2 of 2: expected 2, got 5"),
        ({"a": 1}, {"a": 2}, "at key 'a': expected 1, got 2"),
        ({"a": 1, "b": 2}, {"b": 2}, "the key 'a' is missing"),
        ({"a": 1}, {"a": 1, "b": 2}, "the key 'b' should not be there"),
        ({"a": 1}, [1], "expected a dict of 1 entries, got [1]"),
    ],
)
def test_a_message_says_how_the_result_differs(expected, got, message):
    assert problem(expected, got) == message


@pytest.mark.parametrize(
    ("got", "message"),
    [
        ((n for n in [1]), "got a value of type generator (a value of type generator cannot"),
        (np.array([None]), "got a value of type ndarray (an array of dtype object cannot be"),
        (np.zeros(2**20), "an array of shape (1048576,) is larger than 524288 bytes"),
    ],
)
def test_a_result_that_cannot_be_recorded_is_named_with_the_reason(got, message):
    assert message in problem(TABLE, got)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (TABLE, TABLE.copy(order="F")),
        (TABLE, TABLE * (1 + 1e-10)),
        (np.zeros(2), np.full(2, 1e-13)),
        (np.array([np.nan, np.inf, 1]), np.array([np.nan, np.inf, 1])),
        (np.zeros(0), np.zeros(0)),
        (np.array(2.0), 2.0),
        (2.0, np.float32(2.0)),
        (2.0, 2),
        (2, 2.0),
        (2.0, np.array(2.0)),
        (float("nan"), np.float64("nan")),
        (float("inf"), float("inf")),
        (True, np.bool_(True)),
        (True, np.array(True)),
        ((1, 2), [1, 2]),
        ("a", "a"),
        (None, None),
        ({"a": [1, (2, TABLE)]}, {"a": [1, (2, TABLE)]}),
        ({}, {}),
    ],
)
def test_equal_results_pass_whatever_their_storage(expected, got):
    assert problem(expected, got) is None


def test_the_probe_says_how_far_numbers_may_differ():
    assert problem(TABLE, TABLE + 1e-3) is not None
    assert problem(TABLE, TABLE + 1e-3, atol=1e-2) is None
    assert problem(100.0, 101.0, rtol=0.1) is None
    assert problem(100.0, 101.0, rtol=1e-3) == "expected 100, got 101"


@pytest.mark.parametrize("kind", [int, np.int64])
def test_whole_numbers_must_be_exactly_equal(kind):
    assert problem(kind(10**12), kind(10**12 + 1)) is not None
    assert problem(np.array([10**12]), np.array([10**12 + 1])) is not None


def test_a_number_too_large_for_a_float_is_just_a_wrong_number():
    assert problem(1.5, 10**400) == "expected 1.5, got a huge integer"
    assert problem(10**400, 1.5) == "expected a huge integer, got 1.5"


def test_a_long_text_of_the_students_is_shortened_to_one_line():
    message = problem(1.0, "line\n" * 1000)
    assert "\n" not in message
    assert len(message) < MAX_SHOWN + 60


# Values -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (np.array([2, 5, 4]), [2, 5, 4]),
        (np.array([2, 5, 4]), (2.0, 5, 4)),
        (np.array([2.0, 5.0]), np.array([2, 5])),
        ((2, 5, 4), np.array([2, 5, 4])),
        ([2, 5], (np.int64(2), 5.0)),
        (TABLE, TABLE.tolist()),
        (12, 12.0),
        (12.5, np.array(12.5)),
    ],
)
def test_a_value_may_be_a_list_or_an_array(expected, got):
    assert value_problem(expected, got) is None


@pytest.mark.parametrize(
    ("expected", "got", "message"),
    [
        (12, 13, "expected another number, got 13"),
        (12.5, None, "expected a number, got None"),
        ("left", "right", "expected another value, got 'right'"),
        (True, False, "expected another value, got False"),
        (None, 3, "expected another value, got 3"),
        ((2, 5, 4), (2, 8, 4), "value 2 of 3: expected another number, got 8"),
        ((2, 5, 4), [5, 4], "expected 3 values, got 2"),
        (TABLE, changed(e12=7), "1 of 6 entries differ; entry [1, 2] should not be 7"),
        (TABLE, TABLE.ravel(), "expected shape (2, 3), got (6,)"),
        (TABLE, [[1], [2, 3]], "expected an array of shape (2, 3), got a list of 2 values"),
        (TABLE, ["a", "b"], "expected an array of shape (2, 3), got a list of 2 values"),
    ],
)
def test_a_message_on_a_value_keeps_the_right_one_secret(expected, got, message):
    assert value_problem(expected, got) == message


@given(
    st.one_of(
        st.integers(10**5, 10**9),
        st.floats(1e5, 1e9),
        st.lists(st.integers(10**5, 10**9), min_size=1, max_size=4),
        st.lists(st.floats(1e5, 1e9), min_size=1, max_size=4).map(np.array),
    ),
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(0, 9),
        st.text("ab", max_size=3),
        st.lists(st.integers(0, 9), max_size=4),
        st.dictionaries(st.text("ab"), st.integers(0, 9)),
    ),
)
def test_no_message_on_a_value_contains_a_number_of_the_right_one(expected, got):
    message = value_problem(expected, got)
    assert message is not None
    for number in np.ravel(expected).tolist():
        assert f"{number:.6g}" not in message
        assert str(number) not in message


def test_a_list_of_numbers_beyond_any_array_is_just_a_wrong_value():
    assert "expected an array of shape (2,)" in value_problem(np.array([1.0, 2.0]), [10**400, 1.0])
    assert value_problem(TABLE, [[10**400, 1.0, 2.0], [3.0, 4.0, 5.0]]) is not None


# Exceptions -------------------------------------------------------------------------------------


class OwnIndexError(IndexError):
    pass


class Imposter(Exception):
    pass


Imposter.__name__ = "IndexError"


def judge_exception(answer, **options):
    options = {"raises": IndexError, **options}
    one = made(raising(IndexError("T=9 is more than 8 rows")), case("a call", **options))
    return verdict_of(one, answer).cases[0].problem


@pytest.mark.parametrize("error", [IndexError("x"), OwnIndexError(), IndexError()])
def test_the_right_exception_passes_and_so_do_its_subclasses(error):
    assert judge_exception(raising(error)) is None


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda: None, "expected an IndexError, but the call returned None"),
        (
            lambda: TABLE,
            "expected an IndexError, but the call returned "
            "an array of shape (2, 3) and dtype float64",
        ),
        (raising(KeyError("k")), "expected an IndexError, but the call raised KeyError: 'k'"),
        (raising(LookupError()), "expected an IndexError, but the call raised LookupError"),
        (raising(SystemExit()), "expected an IndexError, but the call raised SystemExit"),
        (raising(Imposter("x")), "expected an IndexError, but the call raised IndexError: x"),
    ],
)
def test_a_message_says_which_exception_was_expected(answer, message):
    assert judge_exception(answer) == message


def test_one_of_several_exception_types_is_enough():
    kinds = (ValueError, IndexError)
    assert judge_exception(raising(ValueError()), raises=kinds) is None
    assert judge_exception(lambda: 1, raises=kinds) == (
        "expected a ValueError or IndexError, but the call returned 1"
    )


@pytest.mark.parametrize("text", ["T=9, rows=8", "9 > 8", "(8, 4) is too short for 9.", "8:9"])
def test_a_message_that_mentions_what_it_must_passes(text):
    assert judge_exception(raising(IndexError(text)), mentions=(9, 8)) is None


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("too long", "9 and 8"),
        ("9 rows", "8"),
        ("T=19, rows=8", "9"),
        ("T=9.5, rows=8", "9"),
        ("9 of 0.8 and x8", "8"),
    ],
)
def test_a_message_that_does_not_mention_it_is_quoted(text, missing):
    assert judge_exception(raising(IndexError(text)), mentions=(9, 8)) == (
        f"the IndexError's message must name {missing}; it reads: {text!r}"
    )


def test_an_exception_where_a_result_is_expected_is_repeated():
    one = made(lambda: 3.0, case("a call"))
    assert verdict_of(one, raising(ValueError("no rows"))).cases[0].problem == (
        "raised ValueError: no rows"
    )


def test_a_solution_that_raises_asks_for_the_same_exception():
    one = made(raising(OwnIndexError("x")), case("a call"))
    assert verdict_of(one, raising(OwnIndexError("y"))).cases[0].problem is None
    assert verdict_of(one, lambda: 1).cases[0].problem == (
        "expected an OwnIndexError, but the call returned 1"
    )


# Inputs and memory ------------------------------------------------------------------------------


def test_a_changed_input_is_named_by_its_place():
    def spoil(a, b):
        b[0] = 9
        return a + 1

    one = made(lambda a, b: a + 1, case("a call", np.zeros(3), np.zeros(2)))
    assert verdict_of(one, spoil).cases[0].problem == (
        "the call changed its argument 2; inputs must be left as they were"
    )


def test_an_input_that_the_solution_changes_must_be_changed():
    def fill(a):
        a[:] = 1

    one = made(fill, case("a call", np.zeros(3)))
    assert verdict_of(one, lambda a: a.fill(1)).cases[0].problem is None
    assert verdict_of(one, lambda a: None).cases[0].problem is not None


def test_inputs_that_are_not_numbers_are_no_change():
    one = made(
        lambda a, f: 1,
        case("a call", np.array([np.nan, np.inf]), np.sin),
    )
    assert verdict_of(one, lambda a, f: 1).cases[0].problem is None


def test_shared_memory_fails_where_fresh_arrays_are_asked_for():
    one = made(lambda a: a + 0, case("a call", np.zeros(3), fresh=True))
    assert verdict_of(one, lambda a: a).cases[0].problem == (
        "the result shares memory with argument 1; return an array of its own (a copy)"
    )
    assert verdict_of(made(lambda a: a + 0, case("a call", np.zeros(3))), lambda a: a).failed == ()


# Measures ---------------------------------------------------------------------------------------


def spread(array):
    return {"shape": array.shape, "deviation": float(array.std())}


def judge_measured(got, summary=spread):
    one = made(lambda: TABLE, case("a call"), summary=summary, rtol=0.1)
    return verdict_of(one, lambda: got).cases[0].problem


@pytest.mark.parametrize(
    ("got", "message"),
    [
        (TABLE[::-1], None),
        (TABLE.T, "shape: expected (2, 3), got (3, 2)"),
        (TABLE * 3, "deviation: expected 1.70783, got 5.12348"),
        (None, "expected an array of shape (2, 3), got None"),
        ([1, 2], "expected an array of shape (2, 3), got [1, 2]"),
        (object(), "returned a value of type object (a value of type object cannot be compared)"),
    ],
)
def test_what_is_measured_is_compared_and_named(got, message):
    assert judge_measured(got) == message


def test_a_measure_may_give_a_plain_number():
    assert judge_measured(TABLE[::-1], summary=np.sum) is None
    assert judge_measured(TABLE * 2, summary=np.sum) == "expected 15, got 30"


@pytest.mark.parametrize("nothing", [None, object()], ids=["None", "not recordable"])
def test_a_mistake_may_return_something_that_cannot_be_measured(nothing):
    one = made(
        lambda: TABLE,
        case("a call"),
        summary=spread,
        mistakes={"returns nothing": lambda: nothing},
        rtol=0.1,
    )
    assert verdict_of(one, lambda: nothing).mistake == "returns nothing"
    assert verdict_of(one, lambda: TABLE.T).mistake is None


# Mistakes ---------------------------------------------------------------------------------------

DOUBLE = made(
    lambda x: x * 2,
    case("three", 3),
    case("a table", np.arange(4.0)),
    case("zero", 0, penalty=1),
    case("minus one", -1, penalty=0.5),
    mistakes={"adds two": lambda x: x + 2, "squares": lambda x: x**2},
    edge_mistakes={"fails for zero": lambda x: x * 2 if np.any(x) else None},
    alternatives={"a sum": lambda x: x + x},
)


def test_a_right_answer_passes_and_nothing_is_said():
    verdict = verdict_of(DOUBLE, lambda x: 2 * x)
    assert not verdict.failed
    assert verdict.mistake is None
    assert verdict.points(4) == 4


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        (lambda x: 2 + x, "adds two"),
        (lambda x: x * x, "squares"),
        (lambda x: 2 * x if np.any(x) else None, "fails for zero"),
        (lambda x: x + 2 if np.any(x) else 5, None),
        (lambda x: x + 2.001, None),
        (lambda x: None, None),
        (raising(ValueError()), None),
    ],
)
def test_a_mistake_is_named_only_if_all_results_are_its_own(answer, mistake):
    assert verdict_of(DOUBLE, answer).mistake == mistake


def test_no_mistake_is_named_when_two_fit():
    one = made(
        lambda x: x * 2,
        case("two", 5),
        mistakes={"forgets it": lambda x: x, "does nothing": lambda x: x},
    )
    assert verdict_of(one, lambda x: x).mistake is None


def test_mistakes_that_raise_are_told_by_their_exception():
    one = made(
        lambda x: x * 2,
        case("two", 5),
        mistakes={
            "raises": raising(ValueError("a")),
            "leaves it out": raising(NotImplementedError()),
        },
    )
    assert verdict_of(one, raising(ValueError("b"))).mistake == "raises"
    assert verdict_of(one, raising(TypeError())).mistake is None


def test_mistakes_that_differ_in_their_effects_only_are_told_apart():
    def in_place(x):
        x *= 2
        return x

    def in_place_of_a_copy(x):
        y = x * 2
        x *= 2
        return y

    one = made(
        lambda x: x * 2,
        case("a call", np.ones(3), fresh=True),
        mistakes={"changes its input": in_place, "also changes it": in_place_of_a_copy},
    )
    assert verdict_of(one, in_place).mistake == "changes its input"
    assert verdict_of(one, in_place_of_a_copy).mistake == "also changes it"
    assert weaknesses(reference_of(one), 1) == []


# Points -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "points"),
    [
        (lambda x: x * 2, 4),
        (lambda x: x * 2 if np.any(x) else None, 3),
        (lambda x: x * 2 if np.all(x != -1) else None, 3.5),
        (lambda x: x * 2 if np.ndim(x) or x > 0 else None, 2.5),
        (lambda x: x * 2 if np.ndim(x) else None, 0),
        (lambda x: 0, 0),
    ],
    ids=["right", "edge", "other edge", "both edges", "core and edges", "core"],
)
def test_core_cases_decide_and_edges_share(answer, points):
    assert verdict_of(DOUBLE, answer).points(4) == points


def test_points_are_never_negative():
    assert verdict_of(DOUBLE, lambda x: x * 2 if np.ndim(x) or x > 0 else None).points(1) == 0


# The author's side ------------------------------------------------------------------------------


def weak(points=1, **changes):
    arguments = {"cases": [case("three", 3)], "mistakes": {"adds two": lambda x: x + 2}, **changes}
    cases = arguments.pop("cases")
    return weaknesses(reference_of(made(lambda x: x * 2, *cases, **arguments)), points)


def test_a_good_probe_has_no_weakness():
    assert weaknesses(reference_of(DOUBLE), 4) == []
    assert weak() == []


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"mistakes": {"adds three": lambda x: x + 3}}, ["the checks accept: adds three"]),
        (
            {"cases": [case("three", 3), case("zero", 0, penalty=1)], "points": 1},
            ["its edge cases take 1 points, the question has only 1"],
        ),
        (
            {"alternatives": {"a power": lambda x: x**2}},
            ["the alternative 'a power' fails 'three': expected 6, got 9"],
        ),
        (
            {"mistakes": {"adds two": lambda x: x + 2, "gives five": lambda x: 5}},
            ["no case tells 'gives five' from 'adds two'"],
        ),
        (
            {"edge_mistakes": {"adds four": lambda x: x + 4}},
            ["an edge mistake fails a core case: adds four"],
        ),
        (
            {
                "edge_mistakes": {"adds three": lambda x: x + 3},
                "cases": [case("three", 3), case("minus three", -3, penalty=0.5)],
            },
            [],
        ),
        ({"edge_mistakes": {"doubles": lambda x: x + x}}, ["the checks accept: doubles"]),
        (
            {"cases": [case("three", 3, raises=ValueError)]},
            ["the solution fails 'three': expected a ValueError, but the call returned 6"],
        ),
        (
            {
                "cases": [case("three", 3), case("zero", 0, penalty=0.5)],
                "mistakes": {"wrong at zero only": lambda x: x * 2 or 1},
            },
            ["the checks accept: wrong at zero only"],
        ),
    ],
    ids=[
        "accepted mistake",
        "edges too large",
        "failing alternative",
        "mistakes alike",
        "edge mistake too wrong",
        "caught edge mistake",
        "accepted edge mistake",
        "failing solution",
        "mistake that only an edge shows",
    ],
)
def test_a_weak_probe_is_named(changes, found):
    assert weak(**changes) == found


def test_the_case_that_catches_a_mistake_is_known():
    reference = reference_of(DOUBLE)
    assert catching_case(reference, reference.mistakes["adds two"]) == "three"
    assert catching_case(reference, reference.edge_mistakes["fails for zero"]) == "zero"
    assert catching_case(reference, reference.alternatives["a sum"]) == ""


def test_two_answers_are_the_same_if_all_their_results_are():
    reference = reference_of(DOUBLE)
    solution, alternative = reference.solution, reference.alternatives["a sum"]
    assert same_answer(reference, solution, alternative)
    assert not same_answer(reference, solution, reference.edge_mistakes["fails for zero"])


# Reading evidence -------------------------------------------------------------------------------

RETURNED = {"returned": encode(1), "inputs": [], "shared": []}
RAISED = {"raised": {"type": "E", "bases": ["m.E"], "message": ""}, "inputs": []}


def without(record, key):
    return {name: value for name, value in record.items() if name != key}


@pytest.mark.parametrize("record", [RETURNED, RAISED])
def test_what_a_probe_writes_is_read(record):
    reference = reference_of(made(lambda: 1, case("a call")))
    assert len(read_evidence(reference, {"version": VERSION, "cases": [record]})) == 1


@pytest.mark.parametrize(
    "evidence",
    [
        None,
        [],
        "evidence",
        {},
        {"version": VERSION},
        {"version": VERSION + 1, "cases": [RETURNED]},
        {"version": True, "cases": [RETURNED]},
        {"version": float(VERSION), "cases": [RETURNED]},
        {"version": VERSION, "cases": [RETURNED], "mistakes": {}},
        {"version": VERSION, "cases": []},
        {"version": VERSION, "cases": [RETURNED, RETURNED]},
        {"version": VERSION, "cases": {"0": RETURNED}},
        {"version": VERSION, "cases": [None]},
        {"version": VERSION, "cases": [without(RETURNED, "shared")]},
        {"version": VERSION, "cases": [{**RETURNED, "raised": {}}]},
        {"version": VERSION, "cases": [{**RETURNED, "inputs": None}]},
        {"version": VERSION, "cases": [{**RETURNED, "inputs": [encode(1)] * 101}]},
        {"version": VERSION, "cases": [{**RETURNED, "inputs": [1]}]},
        {"version": VERSION, "cases": [{**RETURNED, "shared": "ab"}]},
        {"version": VERSION, "cases": [{**RETURNED, "shared": [["a"]]}]},
        {"version": VERSION, "cases": [{**RETURNED, "shared": [["a", "b"]] * 1001}]},
        {"version": VERSION, "cases": [{**RETURNED, "shared": [["a" * 41, "b"]]}]},
        {"version": VERSION, "cases": [{**RETURNED, "returned": {"kind": "pickle"}}]},
        {"version": VERSION, "cases": [without(RAISED, "inputs")]},
        {"version": VERSION, "cases": [{**RAISED, "raised": None}]},
        {"version": VERSION, "cases": [{**RAISED, "raised": without(RAISED["raised"], "type")}]},
        {"version": VERSION, "cases": [{**RAISED, "raised": {**RAISED["raised"], "bases": "no"}}]},
        {"version": VERSION, "cases": [{**RAISED, "raised": {**RAISED["raised"], "bases": [1]}}]},
    ],
)
def test_evidence_that_no_probe_writes_is_refused(evidence):
    reference = reference_of(made(lambda: 1, case("a call")))
    with pytest.raises(EvidenceError):
        read_evidence(reference, evidence)


def test_reference_evidence_must_belong_to_the_probe():
    good = {
        "version": VERSION,
        "cases": [RETURNED],
        "mistakes": {"m": [RAISED]},
        "edge_mistakes": {},
        "alternatives": {},
    }
    one = made(lambda: 1, case("a call"))
    assert list(read_reference(one, good).mistakes) == ["m"]
    for bad in (
        without(good, "mistakes"),
        {**good, "mistakes": []},
        {**good, "mistakes": {"m": []}},
        {**good, "version": 0},
        {**good, "cases": []},
    ):
        with pytest.raises(EvidenceError):
            read_reference(one, bad)


# Descriptions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(0.1), "0.1"),
        (np.int8(-3), "-3"),
        (np.array(2.5), "2.5"),
        (np.array(True), "True"),
        (np.bool_(False), "False"),
        (1e-20, "1e-20"),
        (-float("inf"), "-inf"),
        ((2, 5, 4), "(2, 5, 4)"),
        ([1.5, 2], "a list of 2 values"),
        (list(range(9)), "a list of 9 values"),
        ((), "()"),
        ({1: 2}, "a dict of 1 entries"),
        ("a\nb", "'a\\nb'"),
        (Unrecordable("set", "no order"), "a value of type set (no order)"),
        (np.zeros((2, 0)), "an array of shape (2, 0) and dtype float64"),
    ],
)
def test_a_value_is_described_in_a_short_phrase(value, text):
    assert describe(value) == text


# What a careless comparison would let pass ------------------------------------------------------


@pytest.mark.parametrize("got", [1e300, 0.0, -np.inf, np.nan])
def test_nothing_is_close_to_infinity_but_infinity(got):
    expected = np.array([1.0, np.inf])
    assert problem(expected, np.array([1.0, got])) is not None
    assert problem(expected, expected.copy()) is None


@pytest.mark.parametrize("expected", [2**53, 2**53 + 1, -(2**60), 10**30])
def test_large_integers_are_compared_exactly(expected):
    assert problem(expected, float(expected) * (1 + 1e-12)) is not None
    assert problem(expected, expected) is None


def test_a_float_just_as_large_as_an_integer_is_that_integer():
    assert problem(2**60, float(2**60)) is None
    assert problem(2**53 + 1, float(2**53)) is not None


def test_the_recorded_inputs_must_be_as_many_as_the_case_has():
    one = made(lambda a, b: a + b, case("a sum", 1, 2))
    reference = reference_of(one)
    [outcome] = reference.solution
    fewer = replace(outcome, inputs=outcome.inputs[:1])
    assert verdict_on(reference, [outcome]).cases[0].problem is None
    assert "the recorded inputs" in verdict_on(reference, [fewer]).cases[0].problem


def test_answers_that_share_no_wrong_result_but_only_that_they_raise_are_not_one():
    one = made(lambda x: x, case("a call", 3), mistakes={"raises": raising(ValueError("a"))})
    assert verdict_of(one, raising(ValueError("b"))).mistake == "raises"
    assert verdict_of(one, raising(TypeError("a"))).mistake is None
