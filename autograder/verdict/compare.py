"""Compare evidence with reference evidence, case by case, in the student's terms.

Pure functions on decoded records, in the grading process: nothing here executes student code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autograder.evidence import Unrecordable, full_name
from autograder.kernel.probe import Case, Probe
from autograder.verdict.difference import describe, difference, kind_problem, shorten
from autograder.verdict.outcome import NO_FACTS, Outcome, Raised, Reference


@dataclass(frozen=True)
class CaseVerdict:
    """Whether one case passed, and why not."""

    label: str
    penalty: float
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
        return any(case.penalty == 0 for case in self.failed)

    @property
    def lost_edges(self) -> float:
        """Points lost on edge cases."""
        return sum(case.penalty for case in self.failed)

    def points(self, maximum: float) -> float:
        """Return the points earned out of ``maximum``."""
        return 0.0 if self.fails_core else max(0.0, maximum - self.lost_edges)


def verdict_on(reference: Reference, outcomes: Sequence[Outcome]) -> Verdict:
    """Return the verdict on the outcomes of one probe."""
    cases = tuple(
        CaseVerdict(case.label, case.penalty, _problem(reference.probe, case, expected, got))
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
        if case.fresh and set(one.shared) != set(other.shared):
            return False
        if len(one.inputs) != len(other.inputs) or any(
            difference(a, b, probe.rtol, probe.atol)
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
        if difference(before, after, 0, 0):
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
    if not (_is_of(got, case) if case.raises else got.type == expected.type):
        return f"expected {article} {wanted}, but the call raised {describe(got)}"
    missing = [word for word in case.mentions if not _mentions(got.message, word)]
    if missing:
        named = " and ".join(missing)
        return f"the {got.type}'s message must name {named}; it reads: {shorten(got.message)!r}"
    return None


def _is_of(got: Raised, case: Case) -> bool:
    """Return whether an exception is of a type that a case asks for, a subclass included."""
    return any(full_name(kind) in got.bases for kind in case.raises)


def _mentions(message: str, word: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(word)}(?!\w|\.\d)", message) is not None


def _result_problem(probe: Probe, case: Case, expected: Outcome, got: Outcome) -> str | None:
    options: dict[str, Any] = {"rtol": probe.rtol, "atol": probe.atol}
    if case.summary is None or isinstance(expected.result, Unrecordable):
        secret = probe.asks_value
        return difference(expected.result, got.result, **options, lenient=secret, secret=secret)
    if isinstance(got.result, Unrecordable):
        return f"returned {describe(got.result)}"
    wanted, facts = expected.facts, got.facts
    if wanted is NO_FACTS:
        return difference(expected.result, got.result, **options)
    if facts is NO_FACTS:
        return kind_problem(expected.result, got.result) or (
            f"returned {describe(got.result)}, not what was asked for"
        )
    if isinstance(wanted, dict) and isinstance(facts, dict):
        for key in wanted:
            if key not in facts:
                return f"{key}: expected {describe(wanted[key])}, got nothing"
            if difference(wanted[key], facts[key], **options):
                return f"{key}: expected {describe(wanted[key])}, got {describe(facts[key])}"
        return None
    return difference(wanted, facts, **options)
