"""Compare evidence with reference evidence, case by case, in the student's terms.

Pure functions on decoded records: nothing here executes student code or touches nbgrader.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autograder.evidence import (
    VERSION,
    EvidenceError,
    Unrecordable,
    decode,
    fields,
    text,
)
from autograder.kernel.probe import Case, Probe

MAX_SHOWN = 160
"""The longest piece of a student's own text that a message repeats, in characters."""


@dataclass(frozen=True)
class Raised:
    """A call that raised an exception."""

    type: str
    """Name of the exception's type."""
    wanted: bool
    """Whether it is of a type that the case asks for, a subclass included."""
    message: str


@dataclass(frozen=True)
class Outcome:
    """What one call did, decoded."""

    result: Any
    """The returned value, or a `Raised`."""
    inputs: tuple[Any, ...]
    """The inputs as they were after the call."""
    shared: tuple[tuple[str, str], ...] = ()
    """Places that share memory."""
    facts: Any = None
    """What the case's measure says about the result; `NO_FACTS` if it cannot be measured."""


NO_FACTS = object()
"""Stands for the measure of a result of a kind that the measure does not expect."""


def read_outcomes(records: Any, cases: Sequence[Case]) -> list[Outcome]:
    """Return the outcomes in the list of the records of these cases, measured.

    Raises:
        EvidenceError: the records are not what a probe with these cases writes.
    """
    if type(records) is not list or len(records) != len(cases):
        raise EvidenceError("the number of recorded cases is not right")
    outcomes = [_read_outcome(record) for record in records]
    return [_measured(case, outcome) for case, outcome in zip(cases, outcomes, strict=True)]


def _measured(case: Case, outcome: Outcome) -> Outcome:
    if case.measure is None or isinstance(outcome.result, Raised | Unrecordable):
        return outcome
    try:
        return replace(outcome, facts=case.measure(outcome.result))
    except Exception:  # the author's measure met a value of another kind
        return replace(outcome, facts=NO_FACTS)


def _read_outcome(record: Any) -> Outcome:
    if type(record) is dict and "raised" in record:
        raised, inputs = fields(record, "raised", "inputs")
        name, wanted, message = fields(raised, "type", "wanted", "message")
        if type(wanted) is not bool:
            raise EvidenceError("the record of an exception is malformed")
        exception = Raised(text(name, 80), wanted, text(message))
        return Outcome(exception, _read_inputs(inputs))
    returned, inputs, shared = fields(record, "returned", "inputs", "shared")
    if type(shared) is not list or len(shared) > 1000:
        raise EvidenceError("the record of shared memory is malformed")
    pairs = []
    for pair in shared:
        if type(pair) is not list or len(pair) != 2:
            raise EvidenceError("the record of shared memory is malformed")
        pairs.append((text(pair[0], 40), text(pair[1], 40)))
    return Outcome(decode(returned), _read_inputs(inputs), tuple(pairs))


def _read_inputs(inputs: Any) -> tuple[Any, ...]:
    if type(inputs) is not list or len(inputs) > 100:
        raise EvidenceError("the record of the inputs is malformed")
    return tuple(decode(value) for value in inputs)


@dataclass(frozen=True)
class Reference:
    """All that is needed to judge the evidence of one probe."""

    probe: Probe
    """The probe as the lesson's author wrote it."""
    solution: tuple[Outcome, ...]
    mistakes: Mapping[str, tuple[Outcome, ...]] = field(default_factory=dict)
    edge_mistakes: Mapping[str, tuple[Outcome, ...]] = field(default_factory=dict)
    alternatives: Mapping[str, tuple[Outcome, ...]] = field(default_factory=dict)

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases to judge."""
        return judged_cases(self.probe)


VALUE_CASE = Case("the value", (), {}, 0, (), (), None, None, False)
"""Stands for the one case of a probe that asks for a value."""


def judged_cases(probe: Probe) -> tuple[Case, ...]:
    """Return the cases of a probe that are judged; one stands for a probed value."""
    return (VALUE_CASE,) if probe.asks_value else probe.cases


def read_reference(probe: Probe, evidence: Any) -> Reference:
    """Return the reference of ``probe`` from the evidence of a reference run.

    Raises:
        EvidenceError: the evidence does not belong to this probe.
    """
    version, cases, *groups = fields(
        evidence, "version", "cases", "mistakes", "edge_mistakes", "alternatives"
    )
    if version != VERSION:
        raise EvidenceError("the evidence has another version")
    judged = judged_cases(probe)
    read = []
    for group in groups:
        if type(group) is not dict:
            raise EvidenceError("a group of answers is malformed")
        read.append({name: tuple(read_outcomes(answer, judged)) for name, answer in group.items()})
    return Reference(probe, tuple(read_outcomes(cases, judged)), *read)


def read_evidence(reference: Reference, evidence: Any) -> list[Outcome]:
    """Return the outcomes in a submission's evidence for the probe of ``reference``.

    Raises:
        EvidenceError: the evidence is not what that probe writes.
    """
    version, cases = fields(evidence, "version", "cases")
    if type(version) is not int or version != VERSION:
        raise EvidenceError("the evidence has another version")
    return read_outcomes(cases, reference.cases)


@dataclass(frozen=True)
class CaseVerdict:
    """Whether one case passed, and why not."""

    label: str
    edge: float
    problem: str | None
    """None if the case passed; otherwise one sentence for the student."""


@dataclass(frozen=True)
class Verdict:
    """What a probe's evidence is worth."""

    cases: tuple[CaseVerdict, ...]
    mistake: str | None = None
    """Description of the known mistake that gives exactly these results, if one does."""

    @property
    def failed(self) -> tuple[CaseVerdict, ...]:
        """The cases that did not pass."""
        return tuple(case for case in self.cases if case.problem is not None)

    @property
    def fails_core(self) -> bool:
        """Whether a core case failed, so that the question earns nothing."""
        return any(case.edge == 0 for case in self.failed)

    @property
    def lost_edges(self) -> float:
        """Points lost on edge cases."""
        return sum(case.edge for case in self.failed)

    def points(self, maximum: float) -> float:
        """Return the points earned out of ``maximum``."""
        return 0.0 if self.fails_core else max(0.0, maximum - self.lost_edges)


def judge(reference: Reference, outcomes: Sequence[Outcome]) -> Verdict:
    """Return the verdict on the outcomes of one probe."""
    cases = tuple(
        CaseVerdict(case.label, case.edge, _problem(reference.probe, case, expected, got))
        for case, expected, got in zip(reference.cases, reference.solution, outcomes, strict=True)
    )
    verdict = Verdict(cases)
    if not verdict.failed:
        return verdict
    return Verdict(cases, _name(reference, outcomes))


def _name(reference: Reference, outcomes: Sequence[Outcome]) -> str | None:
    """Return the one known mistake that gives these results, if there is just one.

    If none gives exactly these, a mistake that fails with other exceptions in the same cases counts
    too: a loop and a slice that go wrong in the same way raise different ones.
    """
    known = {**reference.mistakes, **reference.edge_mistakes}
    for any_exception in (False, True):
        matches = [
            name
            for name, mistake in known.items()
            if same_answer(reference, mistake, outcomes, any_exception=any_exception)
        ]
        if matches:
            return matches[0] if len(matches) == 1 else None
    return None


def same_answer(
    reference: Reference,
    first: Sequence[Outcome],
    second: Sequence[Outcome],
    *,
    any_exception: bool = False,
) -> bool:
    """Return whether two answers gave the same results in every case.

    ``any_exception`` lets exceptions of different types pass for one another in cases that ask for
    none, if the answers also share a wrong result.
    """
    probe = reference.probe
    differ = share = False
    for case, expected, one, other in zip(
        reference.cases, reference.solution, first, second, strict=True
    ):
        if isinstance(one.result, Raised) or isinstance(other.result, Raised):
            if type(one.result) is not type(other.result):
                return False
            if one.result.type != other.result.type:
                differ = True
                if case.raises or isinstance(expected.result, Raised) or not any_exception:
                    return False
        elif _result_problem(probe, case, one, other) or _result_problem(probe, case, other, one):
            return False  # both ways, since a measured dict may lack keys that the other has
        elif _problem(probe, case, expected, one):
            share = True
        if set(one.shared) != set(other.shared):
            return False
        if len(one.inputs) != len(other.inputs) or any(
            _difference(a, b, probe.rtol, probe.atol)
            for a, b in zip(one.inputs, other.inputs, strict=True)
        ):
            return False
    return share or not differ


def _problem(probe: Probe, case: Case, expected: Outcome, got: Outcome) -> str | None:
    if case.raises or isinstance(expected.result, Raised):
        problem = _exception_problem(case, expected.result, got.result)
    elif isinstance(got.result, Raised):
        problem = f"raised {describe(got.result)}"
    else:
        problem = _result_problem(probe, case, expected, got)
    if problem:
        return problem
    if len(expected.inputs) != len(got.inputs):
        return "the recorded inputs are not those of this case"
    for i, (before, after) in enumerate(zip(expected.inputs, got.inputs, strict=True)):
        if _difference(before, after, 0, 0):
            return f"the call changed its argument {i + 1}; inputs must be left as they were"
    if case.fresh and got.shared:
        first, second = got.shared[0]
        return f"{first} shares memory with {second}; return an array of its own (a copy)"
    return None


def _exception_problem(case: Case, expected: Any, got: Any) -> str | None:
    wanted = " or ".join(kind.__name__ for kind in case.raises) or expected.type
    article = "an" if wanted[:1] in "AEIOU" else "a"
    if not isinstance(got, Raised):
        return f"expected {article} {wanted}, but the call returned {describe(got)}"
    if not (got.wanted if case.raises else got.type == expected.type):
        return f"expected {article} {wanted}, but the call raised {describe(got)}"
    missing = [word for word in case.mentions if not _mentions(got.message, word)]
    if missing:
        named = " and ".join(missing)
        return f"the {got.type}'s message must name {named}; it reads: {_shorten(got.message)!r}"
    return None


def _mentions(message: str, word: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(word)}(?!\w|\.\d)", message) is not None


def _result_problem(probe: Probe, case: Case, expected: Outcome, got: Outcome) -> str | None:
    options: dict[str, Any] = {"rtol": probe.rtol, "atol": probe.atol}
    if case.measure is None or isinstance(expected.result, Unrecordable):
        secret = probe.asks_value
        return _difference(expected.result, got.result, **options, lenient=secret, secret=secret)
    if isinstance(got.result, Unrecordable):
        return f"returned {describe(got.result)}"
    wanted, facts = expected.facts, got.facts
    if wanted is NO_FACTS:
        return _difference(expected.result, got.result, **options)
    if facts is NO_FACTS:
        return _kind_problem(expected.result, got.result) or (
            f"returned {describe(got.result)}, not what was asked for"
        )
    if isinstance(wanted, dict) and isinstance(facts, dict):
        for key in wanted:
            if key not in facts:
                return f"{key}: expected {describe(wanted[key])}, got nothing"
            if _difference(wanted[key], facts[key], **options):
                return f"{key}: expected {describe(wanted[key])}, got {describe(facts[key])}"
        return None
    return _difference(wanted, facts, **options)


_Number = (bool, int, float, complex, np.generic)


def _is_number(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 0
    return isinstance(value, _Number)


def _kind_problem(expected: Any, got: Any) -> str | None:
    """Return what is wrong with the kind of ``got``, whatever its values."""
    if isinstance(got, Raised | Unrecordable):
        return f"got {describe(got)}"
    if isinstance(expected, np.ndarray) and expected.ndim and not isinstance(got, np.ndarray):
        return f"expected an array of shape {expected.shape}, got {describe(got)}"
    return None


def _difference(
    expected: Any,
    got: Any,
    rtol: float,
    atol: float,
    *,
    lenient: bool = False,
    secret: bool = False,
    where: str = "",
) -> str | None:
    """Return one phrase that says how ``got`` differs from ``expected``, or None.

    ``lenient`` takes lists of numbers for arrays and the other way round. ``secret`` leaves the
    expected number out of the phrase.
    """
    if isinstance(expected, Unrecordable):
        same = isinstance(got, Unrecordable) and expected.type == got.type
        return None if same else f"{where}expected {describe(expected)}, got {describe(got)}"
    if isinstance(got, Raised | Unrecordable):
        return f"{where}got {describe(got)}"
    if lenient:
        expected, got = _meet(expected, got)
    options: dict[str, Any] = {"lenient": lenient, "secret": secret}
    if expected is None or isinstance(expected, bool | np.bool_ | str):
        return _plain_difference(expected, got, where, secret)
    if _is_number(expected):
        return _number_difference(expected, got, rtol, atol, where, secret)
    if isinstance(expected, np.ndarray):
        return _array_difference(expected, got, rtol, atol, where, lenient, secret)
    if isinstance(expected, tuple | list):
        if not isinstance(got, tuple | list):
            wanted = f"a {type(expected).__name__} of {len(expected)} values"
            return f"{where}expected {wanted}, got {describe(got)}"
        if len(expected) != len(got):
            return f"{where}expected {len(expected)} values, got {len(got)}"
        for i, (one, other) in enumerate(zip(expected, got, strict=True)):
            place = f"{where}value {i + 1} of {len(expected)}: "
            problem = _difference(one, other, rtol, atol, where=place, **options)
            if problem:
                return problem
        return None
    if isinstance(expected, dict):
        if not isinstance(got, dict):
            return f"{where}expected {describe(expected)}, got {describe(got)}"
        for key in expected:
            if key not in got:
                return f"{where}the key {key!r} is missing"
            problem = _difference(
                expected[key], got[key], rtol, atol, where=f"{where}at key {key!r}: ", **options
            )
            if problem:
                return problem
        extra = [key for key in got if key not in expected]
        return f"{where}the key {_shorten(repr(extra[0]))} should not be there" if extra else None
    return f"{where}expected {describe(expected)}, got {describe(got)}"


def _meet(expected: Any, got: Any) -> tuple[Any, Any]:
    """Make arrays of numbers and lists of numbers comparable with one another."""
    if isinstance(expected, np.ndarray) and expected.ndim and isinstance(got, tuple | list):
        try:
            numbers = np.array(got)
        except (ValueError, OverflowError):
            return expected, got
        if numbers.dtype.kind in "biufc":
            got = numbers
    elif isinstance(expected, tuple | list) and isinstance(got, np.ndarray) and got.ndim:
        got = got.tolist()
    return expected, got


def _plain_difference(expected: Any, got: Any, where: str, secret: bool) -> str | None:
    if isinstance(expected, bool | np.bool_):
        if isinstance(got, np.ndarray) and got.ndim == 0:
            got = got[()]
        if isinstance(got, bool | np.bool_) and bool(got) == bool(expected):
            return None
    elif type(got) is type(expected) and got == expected:
        return None
    wanted = "another value" if secret else describe(expected)
    return f"{where}expected {wanted}, got {describe(got)}"


def _number_difference(
    expected: Any, got: Any, rtol: float, atol: float, where: str, secret: bool
) -> str | None:
    if not _is_number(got) or isinstance(got, bool | np.bool_):
        return f"{where}expected a number, got {describe(got)}"
    if _close(expected, got, rtol, atol):
        return None
    wanted = "another number" if secret else describe(expected)
    return f"{where}expected {wanted}, got {describe(got)}"


def _close(expected: Any, got: Any, rtol: float, atol: float) -> bool:
    if isinstance(expected, int | np.integer) and isinstance(got, int | np.integer):
        return int(expected) == int(got)
    if isinstance(expected, int | np.integer) and abs(int(expected)) >= 2**53:
        return bool(expected == got)
    try:
        one, other = complex(expected), complex(got)
    except OverflowError:
        return False
    return bool(np.isclose(other, one, rtol=rtol, atol=atol, equal_nan=True))


def _all_close(expected: Any, got: Any, rtol: float, atol: float) -> Any:
    """Return where two arrays agree, as `numpy.isclose` does with NaN equal NaN, but faster."""
    close = np.abs(got - expected) <= atol + rtol * np.abs(expected)
    both_nan = (got != got) & (expected != expected)
    return (close & np.isfinite(expected)) | (got == expected) | both_nan


def _array_difference(
    expected: Any, got: Any, rtol: float, atol: float, where: str, lenient: bool, secret: bool
) -> str | None:
    if not isinstance(got, np.ndarray):
        return f"{where}expected an array of shape {expected.shape}, got {describe(got)}"
    if expected.shape != got.shape:
        return f"{where}expected shape {expected.shape}, got {got.shape}"
    if expected.dtype != got.dtype and not (
        lenient and expected.dtype.kind in "iuf" and got.dtype.kind in "iuf"
    ):
        return f"{where}expected dtype {expected.dtype}, got {got.dtype}"
    with np.errstate(all="ignore"):
        if expected.dtype.kind in "fc" or got.dtype.kind in "fc":
            wrong = ~_all_close(expected, got, rtol, atol)
        else:
            wrong = got != expected
    count = int(wrong.sum())
    if not count:
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    place = f"entry [{', '.join(map(str, at))}]" if at else "the entry"
    share = f"{count} of {wrong.size} entries differ; " if wrong.size > 1 else ""
    if secret:
        return f"{where}{share}{place} should not be {describe(got[at])}"
    return f"{where}{share}{place}: expected {describe(expected[at])}, got {describe(got[at])}"


def _shorten(value: str) -> str:
    value = " ".join(value.split())
    return value if len(value) <= MAX_SHOWN else value[: MAX_SHOWN - 1] + "…"


def describe(value: Any) -> str:
    """Return a short phrase for a decoded value, for use inside a sentence."""
    if isinstance(value, Raised):
        return _shorten(f"{value.type}: {value.message}" if value.message else value.type)
    if isinstance(value, Unrecordable):
        return _shorten(f"a value of type {value.type} ({value.why})")
    if value is None:
        return "None"
    if isinstance(value, np.ndarray) and value.ndim:
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    if _is_number(value) and not isinstance(value, bool | np.bool_):
        number = value[()] if isinstance(value, np.ndarray) else value
        if isinstance(number, int | np.integer):
            return _shorten(str(int(number))) if abs(int(number)) < 10**30 else "a huge integer"
        if isinstance(number, float | np.floating):
            return f"{float(number):.6g}" if math.isfinite(number) else str(float(number))
        return _shorten(str(number))
    if isinstance(value, bool | np.bool_ | np.ndarray):
        return str(bool(value))
    if isinstance(value, str):
        return _shorten(repr(value[: 2 * MAX_SHOWN]))
    if isinstance(value, tuple | list):
        plain = all(isinstance(item, int) for item in value)
        if plain and len(value) <= 8:
            return _shorten(repr(value))
        return f"a {type(value).__name__} of {len(value)} values"
    return f"a {type(value).__name__} of {len(value)} entries"


def weaknesses(reference: Reference, points: float) -> list[str]:
    """Return what is wrong with a probe itself, one sentence each; empty for a good one."""
    found = []
    edges = sum(case.edge for case in reference.cases)
    if edges and edges >= points:
        found.append(f"its edge cases take {edges:g} points, the question has only {points:g}")
    verdict = judge(reference, reference.solution)
    found += [f"the solution fails {case.label!r}: {case.problem}" for case in verdict.failed]
    for judged, outcome in zip(reference.cases, reference.solution, strict=True):
        if isinstance(outcome.result, Unrecordable):
            why = outcome.result.why
            found.append(f"the solution's result in {judged.label!r} cannot be recorded: {why}")
    for name, answer in reference.mistakes.items():
        if not judge(reference, answer).fails_core:
            found.append(f"the checks accept: {name}")
    for name, answer in reference.edge_mistakes.items():
        verdict = judge(reference, answer)
        if verdict.fails_core:
            found.append(f"an edge mistake fails a core case: {name}")
        elif not verdict.failed:
            found.append(f"the checks accept: {name}")
    for name, answer in reference.alternatives.items():
        for case in judge(reference, answer).failed:
            found.append(f"the alternative {name!r} fails {case.label!r}: {case.problem}")
    known = [*reference.mistakes.items(), *reference.edge_mistakes.items()]
    for i, (name, answer) in enumerate(known):
        for other, another in known[:i]:
            if same_answer(reference, answer, another):
                found.append(f"no case tells {name!r} from {other!r}")
    return found


def catching_case(reference: Reference, answer: Sequence[Outcome]) -> str:
    """Return the label of the first case that a wrong answer fails."""
    return next((case.label for case in judge(reference, answer).failed), "")


def reference_from_probe(probe: Probe, cases: Any) -> Reference:
    """Return the reference of ``probe`` made in this very process; ``cases`` is the solution's."""
    evidence = {"version": VERSION, "cases": cases}
    for group in ("mistakes", "edge_mistakes", "alternatives"):
        answers = getattr(probe, group)
        evidence[group] = {name: probe.record(answer) for name, answer in answers.items()}
    return read_reference(probe, evidence)


def author_summary(probe: Probe, cases: Any) -> str:
    """Return the line that an author sees when a check cell is run by hand."""
    reference = reference_from_probe(probe, cases)
    count = len(reference.cases)
    wrong = len(reference.mistakes) + len(reference.edge_mistakes)
    recorded = (
        "value recorded" if probe.asks_value else f"{count} case{'s' * (count != 1)} recorded"
    )
    problems = weaknesses(reference, math.inf)
    if problems:
        return f"{recorded}; weak check: " + "; ".join(problems)
    return (
        f"{recorded}; {wrong} mistakes caught, {len(reference.alternatives)} alternatives accepted"
    )
