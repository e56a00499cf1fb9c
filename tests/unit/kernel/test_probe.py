"""Calling a student's function on the cases of a probe, and recording what it does."""

from __future__ import annotations

import builtins
import contextlib
import functools
import json
import logging
import os
import sys
import warnings

import IPython.display
import numpy as np
import pytest
from support.probes import made

from autograder.evidence import MIME, VERSION, decode, encode
from autograder.kernel.probe import (
    MAX_ARRAYS,
    MAX_PAIRS,
    EvidenceRecorded,
    capture,
    case,
    default_rng,
    known_answers,
    look_around,
    probe,
)


def record(function, *args, **kwargs):
    """Return the evidence of one call."""
    [found] = made(function, case("a call", *args, **kwargs)).record(function)
    return json.loads(json.dumps(found))


@pytest.fixture
def published(monkeypatch):
    """What is published as display output, in the order of publishing."""
    found = []
    monkeypatch.setattr(IPython.display, "publish_display_data", found.append)
    return found


@pytest.fixture
def told(monkeypatch):
    """Tells this process, by its environment, that it is a certain kernel."""

    def tell(name, value):
        monkeypatch.setenv(name, value)
        look_around()

    yield tell
    monkeypatch.undo()
    look_around()


# Where it runs ----------------------------------------------------------------------------------


def test_while_grading_the_evidence_is_published_and_the_cell_fails(published, told):
    told("NBGRADER_EXECUTION", "autograde")
    with pytest.raises(EvidenceRecorded, match="recorded, not judged"):
        probe(abs, case("a negative number", -2))
    [data] = published
    assert list(data) == [MIME]
    assert data[MIME] == {
        "version": VERSION,
        "cases": [{"returned": encode(2), "inputs": [encode(-2)], "shared": []}],
    }


def test_while_grading_known_answers_and_summaries_are_not_called(published, told):
    told("NBGRADER_EXECUTION", "autograde")
    called = []

    def author_only(*_):
        called.append(1)

    known_answers(
        mistakes={"wrong": author_only},
        edge_mistakes={"nearly": author_only},
        alternatives={"other": author_only},
        summary=author_only,
    )
    with pytest.raises(EvidenceRecorded):
        probe(abs, case("a negative number", -2))
    assert not called
    assert list(published[0][MIME]) == ["version", "cases"]


def test_for_the_reference_the_known_answers_are_recorded_too(published, told):
    told("AUTOGRADER_MODE", "reference")
    known_answers(
        mistakes={"as it is": lambda x: x},
        edge_mistakes={"zero": lambda _: 0},
        alternatives={"a root": lambda x: (x * x) ** 0.5},
    )
    probe(abs, case("a negative number", -2))
    evidence = published[0][MIME]
    returned = {
        group: {name: decode(cases[0]["returned"]) for name, cases in evidence[group].items()}
        for group in ("mistakes", "edge_mistakes", "alternatives")
    }
    assert returned == {
        "mistakes": {"as it is": -2},
        "edge_mistakes": {"zero": 0},
        "alternatives": {"a root": 2.0},
    }


def test_what_a_notebook_makes_of_its_environment_changes_nothing(published, told, monkeypatch):
    told("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setattr(os, "environ", {"AUTOGRADER_MODE": "reference"})
    with pytest.raises(EvidenceRecorded):
        probe(abs, case("a negative number", -2))
    assert list(published[0][MIME]) == ["version", "cases"]


def test_what_hidden_cases_draw_depends_on_the_salt(told):
    plain = default_rng(3).normal(size=4)
    np.testing.assert_array_equal(plain, np.random.default_rng(3).normal(size=4))
    drawn = []
    for salt in ("spring", "autumn", "spring"):
        told("AUTOGRADER_SALT", salt)
        drawn.append(default_rng(3).normal(size=4))
    np.testing.assert_array_equal(drawn[0], drawn[2])
    assert not np.isin(drawn[0], [*plain, *drawn[1]]).any()
    assert not np.isin(default_rng(4).normal(size=4), drawn).any()


def test_the_salt_of_captured_probes_holds_for_them_alone(told):
    told("AUTOGRADER_SALT", "spring")
    with capture("autumn"):
        inside = default_rng(3).normal()
    outside = default_rng(3).normal()
    told("AUTOGRADER_SALT", "autumn")
    assert inside == default_rng(3).normal() != outside


def test_by_hand_one_line_says_what_was_recorded(published, capsys):
    known_answers(mistakes={"as it is": lambda x: x})
    probe(abs, case("a negative number", -2), case("a positive number", 3))
    probe(value=3)
    assert not published
    assert capsys.readouterr().out.splitlines() == [
        "2 cases recorded; to see what each is worth, run: autograder check",
        "value recorded; to see what each is worth, run: autograder check",
    ]


def test_known_answers_are_those_of_the_next_probe_alone():
    with capture() as probes:
        known_answers(mistakes={"as it is": lambda x: x}, summary={"three": abs})
        probe(abs, case("two", -2), case("three", 3))
        probe(value=3)
    assert [list(one.known.mistakes) for one in probes] == [["as it is"], []]
    assert [one.summary for one in probes[0].cases] == [None, abs]


def test_known_answers_of_a_block_that_fails_are_not_those_of_the_next():
    with contextlib.suppress(ZeroDivisionError), capture():
        known_answers(mistakes={"as it is": lambda x: x})
        1 / 0  # noqa: B018
    with capture() as probes:
        probe(value=3)
    assert not probes[0].known.mistakes


def test_a_summary_of_a_case_that_is_not_there_is_an_error():
    known_answers(summary={"four": abs})
    with pytest.raises(ValueError, match="four"):
        probe(abs, case("two", -2))


def test_probes_are_collected_and_not_run_while_they_are_captured(published):
    with capture() as probes:
        probe("not even a function", case("a call"))
        probe(value=1)
    assert [one.asks_value for one in probes] == [False, True]
    assert not published


# How it calls -----------------------------------------------------------------------------------


def test_each_call_gets_its_own_copy_of_the_inputs():
    table, options = np.zeros(3), {"rows": [1, 2]}
    one = made(print, case("a call", table, options=options))

    def spoil(table, options):
        table += 1
        options["rows"].append(3)
        return table.sum()

    for _ in range(2):
        [found] = one.record(spoil)
        assert decode(found["returned"]) == 3.0
        assert decode(found["inputs"][0]).tolist() == [1.0, 1.0, 1.0]
        assert decode(found["inputs"][1]) == {"rows": [1, 2, 3]}
    assert table.tolist() == [0.0, 0.0, 0.0]
    assert options == {"rows": [1, 2]}


def test_arguments_that_are_one_object_stay_one_object():
    table = np.zeros(3)
    found = record(lambda a, b: a is b, table, table)
    assert decode(found["returned"]) is True


def test_inputs_that_cannot_be_recorded_are_left_out_of_the_comparison():
    found = record(lambda f, x: f(x), np.sin, 0.0)
    assert decode(found["inputs"][0]).why == "not compared"
    assert decode(found["inputs"][1]) == 0.0


def test_what_the_function_prints_logs_or_warns_goes_nowhere(capsys):
    def chatty():
        print("to stdout")
        print("to stderr", file=sys.stderr)
        sys.stdout.flush()
        logging.getLogger("student").warning("to the log")
        warnings.warn("a warning", stacklevel=1)
        np.float64(1) / np.float64(0)
        return 1

    assert decode(record(chatty)["returned"]) == 1
    assert capsys.readouterr() == ("", "")


def test_warning_filters_are_as_before_after_a_call():
    before = list(warnings.filters)
    record(lambda: warnings.simplefilter("always"))
    assert warnings.filters == before


def test_via_says_how_the_function_is_called():
    def twice(function, x):
        return function(function(x))

    assert decode(record(lambda x: x + 1, 5, call=twice)["returned"]) == 7


class OwnError(ValueError):
    pass


@pytest.mark.parametrize(
    ("error", "name", "base", "message"),
    [
        (ValueError("too long"), "ValueError", ValueError, "too long"),
        (OwnError(), "OwnError", ValueError, ""),
        (SystemExit(3), "SystemExit", SystemExit, "3"),
        (GeneratorExit(), "GeneratorExit", BaseException, ""),
        (KeyError("k"), "KeyError", LookupError, "'k'"),
    ],
)
def test_an_exception_is_recorded_and_ends_nothing(error, name, base, message):
    def fail():
        raise error

    found = record(fail, raises=base)
    assert set(found) == {"raised", "inputs"}
    assert (found["raised"]["type"], found["raised"]["message"]) == (name, message)
    assert f"builtins.{base.__name__}" in found["raised"]["bases"]
    assert found["raised"]["bases"][-2:] == ["builtins.BaseException", "builtins.object"]
    assert record(fail, raises=ZeroDivisionError) == record(fail, mentions=["k"]) == found


def test_an_exception_that_only_bears_the_name_of_a_built_in_is_not_of_its_type():
    fake = type("IndexError", (ValueError,), {"__module__": "builtins"})

    def fail():
        raise fake

    bases = record(fail)["raised"]["bases"]
    assert bases[:2] == ["?builtins.IndexError", "builtins.ValueError"]


def test_an_interrupt_is_not_an_answer():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        record(interrupted)


@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_an_exception_whose_message_cannot_be_read_is_recorded(error):
    class Mute(Exception):
        def __str__(self):
            raise error

    def fail():
        raise Mute

    assert record(fail)["raised"]["message"] == ""


def test_endless_recursion_is_a_recorded_exception():
    def again():
        return again()

    assert record(again)["raised"]["type"] == "RecursionError"


def test_inputs_are_recorded_as_they_are_after_an_exception():
    def spoil(rows):
        rows.append(1)
        raise ValueError

    assert decode(record(spoil, [])["inputs"][0]) == [1]


def test_calling_what_is_not_a_function_is_a_recorded_exception():
    [found] = made(None, case("a call", 1)).record(None)
    assert found["raised"]["type"] == "TypeError"


# Shared memory ----------------------------------------------------------------------------------


class Forgetful(np.ndarray):
    """Says that it shares memory with nothing."""

    def __array_function__(self, *_):
        return False


class Closed(tuple):
    """Shows nothing of what it holds."""

    def __iter__(self):
        return iter(())


@pytest.mark.parametrize(
    ("function", "pairs"),
    [
        (lambda a, b: a + b, []),
        (lambda a, b: a, [["the result", "argument 1"]]),
        (lambda a, b: b[::2, 1:], [["the result", "argument 2"]]),
        (lambda a, b: (a.copy(), b.T), [["result 2", "argument 2"]]),
        (lambda a, b: {"out": [a]}, [["the result", "argument 1"]]),
        (lambda a, b: [c := a + b, c], [["result 2", "result 1"]]),
        (lambda a, b: (a[:1].copy(), a[1:].copy()), []),
        (lambda a, b: 3, []),
        (lambda a, b: a.view(Forgetful), [["the result", "argument 1"]]),
        (lambda a, b: Closed((a,)), [["the result", "argument 1"]]),
    ],
    ids=[
        "new",
        "input",
        "view",
        "tuple",
        "dict",
        "twice",
        "copies",
        "number",
        "lying-view",
        "lying-tuple",
    ],
)
def test_fresh_cases_record_which_arrays_share_memory(function, pairs):
    found = record(function, np.zeros((2, 4)), np.ones((2, 4)), fresh=True)
    assert found["shared"] == pairs


def test_no_record_tells_whether_shared_memory_was_asked_about():
    plain, fresh = (record(lambda a: a, np.zeros(2), fresh=fresh) for fresh in (False, True))
    assert plain == fresh
    assert plain["shared"] == [["the result", "argument 1"]]


def test_memory_shared_by_very_many_arrays_is_recorded_within_limits():
    found = record(lambda a: [a] * 9_000, np.zeros(2))["shared"]
    assert len(found) == MAX_PAIRS
    assert MAX_ARRAYS * (MAX_ARRAYS - 1) // 2 > MAX_PAIRS


@pytest.mark.parametrize("name", ["any", "enumerate", "range"])
def test_a_rebound_built_in_changes_no_record(name):
    def share(a):
        return a, a[:1], a[1:]

    before, own = record(share, np.zeros(2)), getattr(builtins, name)
    try:
        setattr(builtins, name, lambda *args: [])
        after = record(share, np.zeros(2))
    finally:
        setattr(builtins, name, own)
    assert after == before
    assert len(after["shared"]) == 5


class Everything(type):
    def __eq__(cls, other):
        return True

    __hash__ = type.__hash__

    def __instancecheck__(cls, instance):
        return True

    def __subclasscheck__(cls, subclass):
        return True


def test_a_class_that_equals_every_other_is_recorded_as_what_it_is():
    own = Everything("Own", (ValueError,), {})

    def fail():
        raise own

    assert "builtins.IndexError" not in record(fail, raises=IndexError)["raised"]["bases"]


@pytest.mark.parametrize("module", [3, None, "numpy.linalg\0", "m" * 10_000])
def test_a_class_may_say_what_it_likes_of_its_module(module):
    own = type("Own", (ValueError,), {"__module__": module})

    def fail():
        raise own

    [first, *_] = record(fail)["raised"]["bases"]
    assert isinstance(first, str)
    assert len(first) <= 201


# What authors may write -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda: probe(),
        lambda: probe(abs),
        lambda: probe(abs, case("a call", 1), value=1),
        lambda: probe(value=1, function=abs),
        lambda: probe(case("a call"), value=1),
    ],
    ids=["nothing", "no case", "both", "both by name", "a case for a value"],
)
def test_a_probe_takes_a_function_with_cases_or_a_value(call):
    with capture(), pytest.raises(TypeError, match="probe"):
        call()


def test_a_case_cannot_be_worth_less_than_nothing():
    with pytest.raises(ValueError, match=r"'tiny': penalty is a number of points, got -1"):
        case("tiny", penalty=-1)


def test_a_case_takes_one_exception_type_or_several():
    assert case("a call").raises == ()
    assert case("a call", raises=ValueError).raises == (ValueError,)
    assert case("a call", raises=(ValueError, IndexError)).raises == (ValueError, IndexError)


def test_a_function_that_takes_an_argument_called_label_can_be_probed():
    partial = functools.partial(case, "a call")
    assert partial(1, rows=2).kwargs == {"rows": 2}
