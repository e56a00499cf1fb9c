"""Call a student's function on prepared cases and record what it does.

This module runs in the student's kernel, from the hidden part of a check cell. It knows no right
answer, and in a submission's kernel nothing of what is asked for (see
`autograder.lesson.hidden.grading_source`): it records evidence (see `autograder.evidence`), which
the grading process compares with the evidence of the lesson's own solution.

What `probe` does with its record depends on where it runs, which is looked up once, before any
cell is run (see `look_around`):

=============  ====================================  =========================================
where          how it is told                        what happens
=============  ====================================  =========================================
grading        ``NBGRADER_EXECUTION=autograde``      evidence is published, then an exception is
                                                     raised, so that a cell that nobody judges
                                                     earns nothing
reference      ``AUTOGRADER_MODE=reference``         evidence is published, with that of the
                                                     known mistakes and alternatives
by hand        otherwise (JupyterLab, nbconvert)     one line is printed
=============  ====================================  =========================================
"""

from __future__ import annotations

import base64
import builtins
import contextlib
import copy
import hashlib
import io
import marshal
import os
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from autograder.evidence import (
    MAX_TEXT,
    MIME,
    VERSION,
    base_names,
    bases_of,
    encode,
    type_name,
    unrecordable,
)

# The functions below find the built-ins here, as they are now, whatever a notebook makes of them.
globals()["__builtins__"] = dict(vars(builtins))

__all__ = ["Case", "EvidenceRecorded", "Probe", "case", "default_rng", "probe"]

# Taken once, at import, before any student code has run (see `autograder.execution.run`).
_shares_memory, _may_share_memory, _ndarray = np.shares_memory, np.may_share_memory, np.ndarray
_b64decode, _loads = base64.b64decode, marshal.loads
_FunctionType = types.FunctionType
_deepcopy, _TooHard = copy.deepcopy, np.exceptions.TooHardError
_numpy_rng, _sha256 = np.random.default_rng, hashlib.sha256

MAX_WORK = 10_000
"""How hard to look for shared memory; beyond it arrays with overlapping bounds count as shared."""

MAX_ARRAYS, MAX_PAIRS = 64, 1_000
"""The most arrays of a result that are looked at, and of pairs that are recorded."""

_MISSING: Any = object()

NOT_JUDGED = "recorded, not judged: this cell earns points through the judge alone"

_in_check = False
"""Whether `run_check` runs, which ends a check with several probes by itself."""

_mode = ""
"""Whether this is a kernel for "grading" or for a "reference"; empty where a person runs it."""

_salt = ""
"""What the inputs that hidden cases draw depend on, besides their seeds."""


def look_around() -> None:
    """Look up in the environment where this process runs.

    It is done at import, and again by a process that was forked for a kernel, before its first
    cell: what a notebook makes of its environment later changes nothing.
    """
    global _mode, _salt
    grading = os.environ.get("NBGRADER_EXECUTION") == "autograde"
    _mode = "grading" if grading else os.environ.get("AUTOGRADER_MODE", "")
    _salt = os.environ.get("AUTOGRADER_SALT", "")


look_around()


def default_rng(seed: int) -> Generator:
    """Return NumPy's generator for a hidden case; what it draws depends on the course's salt too.

    Known answers that draw the very numbers of the notebook use ``np.random.default_rng``.

    Args:
        seed: 0 or a positive integer. Where no salt is set, ``numpy.random.default_rng(seed)``.
    """
    if not _salt:
        return _numpy_rng(seed)
    digest = _sha256(_salt.encode("utf-8", "surrogatepass")).digest()
    return _numpy_rng([seed, int.from_bytes(digest[:16], "little")])


class EvidenceRecorded(Exception):
    """Raised at the end of a probe while grading: the evidence is recorded, not judged."""

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows: not the lines of the hidden block that led here."""
        return [f"{type(self).__name__}: {self}"]


@dataclass(frozen=True)
class Case:
    """One call of the student's function; made by `case`."""

    label: str
    """What the case looks at, in words that a student reads."""
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    penalty: float
    """Points lost when only this case fails; 0 for a core case, which decides the question."""
    raises: tuple[type[BaseException], ...]
    """Exception types that count as right; empty if the call must return."""
    mentions: tuple[str, ...]
    """What the message of the exception must contain."""
    call: Callable[..., Any] | None
    """How the function is called: ``call(function, *args, **kwargs)``."""
    fresh: bool
    """Whether the arrays of the result must share no memory with the inputs or one another."""
    summary: Callable[[Any], Any] | None = None
    """Maps the recorded result to what is compared; see `known_answers`."""


def case(
    label: str,
    *args: Any,
    penalty: float = 0,
    raises: type[BaseException] | tuple[type[BaseException], ...] | None = None,
    mentions: Sequence[Any] = (),
    call: Callable[..., Any] | None = None,
    fresh: bool = False,
    **kwargs: Any,
) -> Case:
    """Describe one call of the probed function.

    Args:
        label: what the case looks at, in words that a student reads.
        args: positional arguments, copied deeply before each call.
        penalty: 0 for a core case: if any of these fails, the question earns nothing. Otherwise the
            number of points that this case alone is worth.
        raises: the exception type (or types) that the call must raise. Subclasses count.
        mentions: numbers or words that the exception's message must contain.
        call: how to call, as ``call(function, *args, **kwargs)``; by default
            ``function(*args, **kwargs)``. It runs in the student's kernel, so it must not contain
            the right answer.
        fresh: the arrays of the result must share no memory with the inputs or one another.
        kwargs: keyword arguments, copied deeply before each call.
    """
    if penalty < 0:
        raise ValueError(f"case {label!r}: penalty is a number of points, got {penalty}")
    kinds = raises if isinstance(raises, tuple) else (raises,) if raises is not None else ()
    return Case(
        label=label,
        args=args,
        kwargs=kwargs,
        penalty=penalty,
        raises=kinds,
        mentions=tuple(str(word) for word in mentions),
        call=call,
        fresh=fresh,
    )


@dataclass(frozen=True)
class KnownAnswers:
    """What the author knows of the answers to a probe; made by `known_answers`."""

    mistakes: Mapping[str, Any] = field(default_factory=dict)
    edge_mistakes: Mapping[str, Any] = field(default_factory=dict)
    alternatives: Mapping[str, Any] = field(default_factory=dict)
    summary: Callable[[Any], Any] | Mapping[str, Callable[[Any], Any]] | None = None


@dataclass(frozen=True)
class Probe:
    """A probe as its author wrote it; made by `probe`."""

    function: Any
    value: Any
    cases: tuple[Case, ...]
    known: KnownAnswers = KnownAnswers()
    rtol: float = 1e-9
    atol: float = 1e-12

    @property
    def asks_value(self) -> bool:
        """Whether the probe records a plain value, not calls of a function."""
        return self.value is not _MISSING

    def record(self, answer: Any) -> list[dict[str, Any]]:
        """Return the evidence of ``answer``, one record per case (one in all for a value)."""
        if self.asks_value:
            return [{"returned": encode(answer), "inputs": [], "shared": []}]
        return [_record_call(answer, one) for one in self.cases]


_listener: Callable[[Probe], None] | None = None
"""Set by `capture`: takes the probes instead of running them."""


@contextlib.contextmanager
def capture(salt: str = "") -> Iterator[list[Probe]]:
    """Collect the probes that are made inside the ``with`` block instead of running them.

    Args:
        salt: what the inputs of their cases depend on.

    Known answers belong to the probes of their own block, also where a block ends between the two.
    """
    global _known, _listener, _salt
    probes: list[Probe] = []
    before = _listener, _salt
    _listener, _salt, _known = probes.append, salt, None
    try:
        yield probes
    finally:
        (_listener, _salt), _known = before, None


_known: KnownAnswers | None = None
"""What `known_answers` has said, for the next probe."""


def known_answers(
    *,
    mistakes: Mapping[str, Any] | None = None,
    edge_mistakes: Mapping[str, Any] | None = None,
    alternatives: Mapping[str, Any] | None = None,
    summary: Callable[[Any], Any] | Mapping[str, Callable[[Any], Any]] | None = None,
) -> None:
    """Say what is known of the answers to the next probe.

    It stands, with all that only it uses, between the marks of known answers (see
    `autograder.lesson.hidden`), whose lines never reach a student's kernel. Answers are functions,
    or values if the probe asks for a value.

    Args:
        mistakes: wrong answers by description. Each must fail a core case.
        edge_mistakes: wrong answers that fail no core case, but an edge case.
        alternatives: other right answers by name. Each must pass every case.
        summary: maps a result to what is compared, for questions that can be answered right in many
            ways: one function for all cases, or one for each label. It gets the result as it was
            recorded and runs where it is judged.
    """
    global _known
    _known = KnownAnswers(
        dict(mistakes or {}), dict(edge_mistakes or {}), dict(alternatives or {}), summary
    )


def _summarized(cases: tuple[Case, ...], known: KnownAnswers) -> tuple[Case, ...]:
    summary = known.summary
    if not isinstance(summary, Mapping):
        return tuple(replace(one, summary=summary) for one in cases)
    if unknown := summary.keys() - {one.label for one in cases}:
        raise ValueError(f"known_answers has a summary for a case that is not there: {unknown}")
    return tuple(replace(one, summary=summary.get(one.label)) for one in cases)


def probe(
    function: Any = _MISSING,
    *cases: Case,
    value: Any = _MISSING,
    rtol: float = 1e-9,
    atol: float = 1e-12,
) -> None:
    """Record what the student's function does in each case, or a plain value.

    Args:
        function: the student's function. Leave it out to record a ``value``.
        cases: the calls to make, each from `case`.
        value: what the student's cell computed, for questions that ask for a number or an array.
        rtol, atol: how far numbers may differ from the solution's: ``atol + rtol * |expected|``.

    Raises:
        EvidenceRecorded: while a submission is graded, unless `run_check` raises it at the end of
            the check.
    """
    global _known
    if (function is _MISSING) == (value is _MISSING):
        raise TypeError("probe takes a function with its cases, or value=, but not both")
    if (function is _MISSING) != (not cases):
        raise TypeError("probe needs at least one case for a function, and none for a value")
    known, _known = _known or KnownAnswers(), None
    made = Probe(function, value, _summarized(cases, known), known, rtol, atol)
    if _listener is not None:
        _listener(made)
        return
    answer = made.value if made.asks_value else made.function
    evidence: dict[str, Any] = {"version": VERSION, "cases": made.record(answer)}
    if _mode == "grading":
        _publish(evidence)
        if not _in_check:
            raise EvidenceRecorded(NOT_JUDGED)
    elif _mode == "reference":
        for group in ("mistakes", "edge_mistakes", "alternatives"):
            answers: Mapping[str, Any] = getattr(known, group)
            evidence[group] = {name: made.record(answer) for name, answer in answers.items()}
        _publish(evidence)
    else:
        count = len(evidence["cases"])
        said = "value" if made.asks_value else f"{count} case{'s' * (count != 1)}"
        print(f"{said} recorded; to see what each is worth, run: autograder check")


def run_check(blob: str, salt: str = "") -> None:
    """Execute a check cell in the caller's namespace, given as bytecode by `lesson.hidden`.

    Args:
        blob: the bytecode, as text.
        salt: what the inputs of its cases depend on, besides their seeds.

    The bytecode is that of a function whose parameters are the names that the hidden block takes
    from this module and from the built-ins. It gets them as they were before any student code ran.
    """
    global _in_check, _salt
    _salt = salt
    namespace = sys._getframe(1).f_globals
    namespace["__builtins__"] = builtins
    code = _loads(_b64decode(blob))
    names = code.co_varnames[: code.co_argcount]
    _in_check = True
    try:
        _FunctionType(code, namespace)(*[_PRISTINE[name] for name in names])
    finally:
        _in_check = False
    raise EvidenceRecorded(NOT_JUDGED)


def _publish(evidence: dict[str, Any]) -> None:
    from IPython.display import publish_display_data

    publish_display_data({MIME: evidence})  # type: ignore[no-untyped-call]


class _Silence(io.TextIOBase):
    """Swallows what the probed function prints; prints never change a score."""

    def write(self, text: str) -> int:
        return len(text)


def _record_call(function: Any, one: Case) -> dict[str, Any]:
    args, kwargs = _deepcopy((one.args, dict(one.kwargs)))
    inputs = [*args, *kwargs.values()]
    silence = _Silence()
    try:
        with (
            contextlib.redirect_stdout(silence),
            contextlib.redirect_stderr(silence),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            if one.call is None:
                result = function(*args, **kwargs)
            else:
                result = one.call(function, *args, **kwargs)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit and the like are a failed case, not an end
        return {"raised": _encode_exception(error), "inputs": [_after(x) for x in inputs]}
    return {
        "returned": encode(result),
        "inputs": [_after(x) for x in inputs],
        "shared": _shared(result, inputs),
    }


def _after(value: Any) -> dict[str, Any]:
    """Return the record of an input after the call; functions and generators are left out."""
    record = encode(value)
    return unrecordable(value, "not compared") if record["kind"] == "unrecordable" else record


def _encode_exception(error: BaseException) -> dict[str, Any]:
    try:
        message = str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:  # it may raise anything, SystemExit too
        message = ""
    return {
        "type": type_name(error),
        "bases": base_names(error),
        "message": encode(message[:MAX_TEXT]).get("value", ""),
    }


def _arrays(value: Any, depth: int = 4) -> list[Any]:
    bases = bases_of(value)
    if _ndarray in bases:
        return [_ndarray.view(value, _ndarray)]
    items: list[Any] = []
    for sequence in (tuple, list):
        if sequence in bases:
            items = list(sequence.__iter__(value))
    if dict in bases:
        items = list(dict.values(value))
    return [found for item in items if depth for found in _arrays(item, depth - 1)]


def _overlap(first: Any, second: Any) -> bool:
    try:
        return bool(_shares_memory(first, second, MAX_WORK))  # type: ignore[arg-type]
    except _TooHard:
        return bool(_may_share_memory(first, second))


def _shared(result: Any, inputs: Sequence[Any]) -> list[list[str]]:
    """Return the pairs of places that share memory, as ``[place in the result, other place]``."""
    results = _arrays(result)[:MAX_ARRAYS]
    names = [f"result {i + 1}" for i in range(len(results))] if len(results) > 1 else ["the result"]
    pairs = []
    for i, array in enumerate(results):
        for j, other in enumerate(results[:i]):
            if _overlap(array, other):
                pairs.append([names[i], names[j]])
        for k, value in enumerate(inputs):
            if any(_overlap(array, other) for other in _arrays(value)):
                pairs.append([names[i], f"argument {k + 1}"])
    return pairs[:MAX_PAIRS]


_PRISTINE: dict[str, Any] = {
    **vars(builtins),
    "case": case,
    "default_rng": default_rng,
    "known_answers": known_answers,
    "probe": probe,
    "Case": Case,
    "EvidenceRecorded": EvidenceRecorded,
}
"""What a hidden block may use of this module and of the built-ins, as it was at the start."""
