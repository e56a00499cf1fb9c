"""Say in one phrase how a recorded value differs from the solution's (grading process, pure)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograder.evidence import Unrecordable
from autograder.verdict.outcome import Raised

MAX_SHOWN = 160
"""The longest piece of a student's own text that a message repeats, in characters."""


_Number = (bool, int, float, complex, np.generic)


def _is_number(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 0
    return isinstance(value, _Number)


def kind_problem(expected: Any, got: Any) -> str | None:
    """Return what is wrong with the kind of ``got``, whatever its values."""
    if isinstance(got, Raised | Unrecordable):
        return f"got {describe(got)}"
    if isinstance(expected, np.ndarray) and expected.ndim and not isinstance(got, np.ndarray):
        return f"expected an array of shape {expected.shape}, got {describe(got)}"
    return None


def difference(  # noqa: C901  one branch for each kind of value
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
            problem = difference(one, other, rtol, atol, where=place, **options)
            if problem:
                return problem
        return None
    if isinstance(expected, dict):
        if not isinstance(got, dict):
            return f"{where}expected {describe(expected)}, got {describe(got)}"
        for key in expected:
            if key not in got:
                return f"{where}the key {key!r} is missing"
            problem = difference(
                expected[key], got[key], rtol, atol, where=f"{where}at key {key!r}: ", **options
            )
            if problem:
                return problem
        extra = [key for key in got if key not in expected]
        return f"{where}the key {shorten(repr(extra[0]))} should not be there" if extra else None
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


def shorten(value: str) -> str:
    value = " ".join(value.split())
    return value if len(value) <= MAX_SHOWN else value[: MAX_SHOWN - 1] + "…"


def describe(value: Any) -> str:
    """Return a short phrase for a decoded value, for use inside a sentence."""
    if isinstance(value, Raised):
        return shorten(f"{value.type}: {value.message}" if value.message else value.type)
    if isinstance(value, Unrecordable):
        return shorten(f"a value of type {value.type} ({value.why})")
    if value is None:
        return "None"
    if isinstance(value, np.ndarray) and value.ndim:
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    if _is_number(value) and not isinstance(value, bool | np.bool_):
        number = value[()] if isinstance(value, np.ndarray) else value
        if isinstance(number, int | np.integer):
            return shorten(str(int(number))) if abs(int(number)) < 10**30 else "a huge integer"
        if isinstance(number, float | np.floating):
            return f"{float(number):.6g}" if math.isfinite(number) else str(float(number))
        return shorten(str(number))
    if isinstance(value, bool | np.bool_ | np.ndarray):
        return str(bool(value))
    if isinstance(value, str):
        return shorten(repr(value[: 2 * MAX_SHOWN]))
    if isinstance(value, tuple | list):
        plain = all(isinstance(item, int) for item in value)
        if plain and len(value) <= 8:
            return shorten(repr(value))
        return f"a {type(value).__name__} of {len(value)} values"
    return f"a {type(value).__name__} of {len(value)} entries"
