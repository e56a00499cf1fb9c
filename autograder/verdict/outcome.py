"""Read evidence, a submission's and the solution's, into what each call did (grading process).

Nothing is trusted: whatever is not what a probe writes is refused, and no value is opened by code
that the student wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from autograder.evidence import (
    MAX_BASES,
    VERSION,
    EvidenceError,
    Unrecordable,
    decode,
    fields,
    text,
)
from autograder.kernel.probe import MAX_PAIRS, Case, Probe


@dataclass(frozen=True)
class Raised:
    """A call that raised an exception."""

    type: str
    """Name of the exception's type."""
    bases: tuple[str, ...]
    """Full names of the type and its base classes; see `autograder.evidence.full_name`."""
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
    if case.summary is None or isinstance(outcome.result, Raised | Unrecordable):
        return outcome
    try:
        return replace(outcome, facts=case.summary(outcome.result))
    except Exception:  # the author's measure met a value of another kind
        return replace(outcome, facts=NO_FACTS)


def _read_outcome(record: Any) -> Outcome:
    if type(record) is dict and "raised" in record:
        raised, inputs = fields(record, "raised", "inputs")
        name, bases, message = fields(raised, "type", "bases", "message")
        if type(bases) is not list or len(bases) > MAX_BASES:
            raise EvidenceError("the record of an exception is malformed")
        names = tuple(text(base, 201) for base in bases)
        exception = Raised(text(name, 80), names, text(message))
        return Outcome(exception, _read_inputs(inputs))
    returned, inputs, shared = fields(record, "returned", "inputs", "shared")
    if type(shared) is not list or len(shared) > MAX_PAIRS:
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


VALUE_CASE = Case("the value", (), {}, 0, (), (), None, False)
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
