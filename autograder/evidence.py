"""Record values as plain JSON and read such records back without trusting them.

This is the language that a student's kernel and the grading process share. A record is a small
tagged JSON object, never a pickle::

    {"kind": "array", "dtype": "float64", "shape": [2, 3], "data": "<base64, C order>"}

``encode`` looks at the storage of a value, not at what the value says about itself: it calls the
methods of the built-in base classes, so that an object that overrides ``shape``, ``__eq__`` or
``__class__`` is recorded as what it holds. ``decode`` accepts nothing that ``encode`` cannot have
written, and refuses oversized or deeply nested input before it allocates anything.
"""

from __future__ import annotations

import base64
import binascii
import builtins
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

MIME = "application/vnd.autograder.evidence+json"
"""MIME type of the one display output that carries the evidence of a probe."""

VERSION = 2
"""Version of the evidence format; both sides must agree."""

MAX_VALUE_BYTES = 2**19
"""The most that the arrays and strings of one recorded value may hold, in bytes.

As base64 this is 0.7 MB, so that the evidence of a case stays below 1 MiB.
"""

MAX_DEPTH = 12
"""The deepest nesting of containers in one recorded value."""

MAX_ITEMS = 10_000
"""The most items in the containers of one recorded value, all levels together."""

MAX_TEXT = 20_000
"""The longest recorded string, in characters; longer ones are cut."""

MAX_BASES = 50
"""The most base classes of an exception that are recorded."""

MAX_DIMENSIONS = 32
"""The most axes of a recorded array."""

DTYPES = frozenset(
    [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    ]
)
"""Names of the array data types that can be recorded."""

# Taken once, at import: a notebook that rebinds these names later changes nothing here.
globals()["__builtins__"] = dict(vars(builtins))
_ndarray, _generic, _dtype, _array = np.ndarray, np.generic, np.dtype, np.array
_ascontiguous, _frombuffer = np.ascontiguousarray, np.frombuffer
_b64encode, _b64decode = base64.b64encode, base64.b64decode
_type, _str, _len, _int = type, str, len, int
_mro, _name = type.__dict__["__mro__"].__get__, type.__dict__["__name__"].__get__
_module, _qualname = type.__dict__["__module__"].__get__, type.__dict__["__qualname__"].__get__
_builtin_types = {id(kind): kind.__name__ for kind in vars(builtins).values() if type(kind) is type}

_HEX = re.compile(r"-?0x[0-9a-f]+")


class EvidenceError(ValueError):
    """Evidence that the recorder cannot have written: malformed, oversized or too deep."""


class _CannotRecord(Exception):
    """Raised while encoding; becomes an ``unrecordable`` record with the reason."""


@dataclass(frozen=True)
class Unrecordable:
    """Stands for a value that could not be recorded, for example a generator."""

    type: str
    """Name of the value's type."""
    why: str
    """One phrase for the student: why the value cannot be compared."""


class _Budget:
    """What is left of the limits while one value is encoded or decoded."""

    def __init__(self) -> None:
        self.bytes = MAX_VALUE_BYTES
        self.items = MAX_ITEMS

    def take(self, nbytes: int = 0, items: int = 0) -> bool:
        self.bytes -= nbytes
        self.items -= items
        return self.bytes >= 0 and self.items >= 0


def bases_of(value: Any) -> tuple[type, ...]:
    """Return the real base classes of ``value``, its type first, whatever the value says."""
    bases: tuple[type, ...] = _mro(_type(value))
    return bases


def type_name(value: Any) -> str:
    """Return the name of the real type of ``value``, at most 80 characters."""
    return _str(_name(_type(value)))[:80]


def full_name(kind: type) -> str:
    """Return the name of a class with its module's, ``builtins.IndexError`` say.

    No class of a notebook can take the name of a built-in one.
    """
    if id(kind) in _builtin_types:
        return f"builtins.{_builtin_types[id(kind)]}"
    try:
        name = f"{_str(_module(kind))}.{_str(_qualname(kind))}"[:200]
    except Exception:  # the class may say what it likes
        name = "?"
    return f"?{name}" if name.startswith("builtins.") else name


def base_names(value: Any) -> list[str]:
    """Return the full names of the real base classes of ``value``, its type first."""
    return [full_name(kind) for kind in bases_of(value)[:MAX_BASES]]


def unrecordable(value: Any, why: str) -> dict[str, Any]:
    """Return the record that stands for ``value``, which cannot be recorded because of ``why``."""
    return {"kind": "unrecordable", "type": type_name(value), "why": why[:300]}


def encode(value: Any) -> dict[str, Any]:
    """Return the JSON record of ``value``; never raises for a value of any type.

    Recorded: None, bool, int, float, complex, str, tuple, list, dict, NumPy scalars and arrays of
    the types in `DTYPES`, and subclasses of these as their base class. Anything else, and what
    exceeds the limits of this module, gives a record of kind ``unrecordable``.
    """
    try:
        return _encode(value, MAX_DEPTH, _Budget())
    except _CannotRecord as reason:
        return unrecordable(value, _str(reason))
    except Exception as error:  # a hostile object may raise anything from anywhere
        return unrecordable(value, f"reading it raised {type_name(error)}")


def _encode(  # noqa: C901  one branch for each type, all of them alike
    value: Any, depth: int, budget: _Budget
) -> dict[str, Any]:
    if depth < 0:
        raise _CannotRecord(f"it is nested more than {MAX_DEPTH} levels deep")
    if not budget.take(items=1):
        raise _CannotRecord(f"it holds more than {MAX_ITEMS} items")
    if value is None:
        return {"kind": "none"}
    bases = bases_of(value)
    if bool in bases:
        return {"kind": "bool", "value": value is True}
    if _ndarray in bases:
        return _encode_array(_ndarray.view(value, _ndarray), "array", budget)
    if _generic in bases:
        return _encode_array(_ascontiguous(_array(value)).reshape(()), "scalar", budget)
    if int in bases:
        number = int.__index__(value)
        if not budget.take(nbytes=number.bit_length() // 8) or number.bit_length() > 4096:
            raise _CannotRecord("the integer has more than 4096 bits")
        return {"kind": "int", "value": hex(number)}
    if float in bases:
        return {"kind": "float", "value": float.hex(value)}
    if complex in bases:
        parts = complex.__complex__(value)
        return {"kind": "complex", "value": [float.hex(parts.real), float.hex(parts.imag)]}
    if str in bases:
        text = str.__getitem__(value, slice(0, MAX_TEXT))
        raw = str.encode(text, "utf-8", "replace")
        if not budget.take(nbytes=_len(raw)):
            raise _CannotRecord("its text is too long")
        return {"kind": "str", "value": raw.decode("utf-8")}
    for sequence, kind in ((tuple, "tuple"), (list, "list")):
        if sequence in bases:
            items = [_encode(item, depth - 1, budget) for item in sequence.__iter__(value)]
            return {"kind": kind, "items": items}
    if dict in bases:
        pairs = [
            [_encode(key, depth - 1, budget), _encode(item, depth - 1, budget)]
            for key, item in dict.items(value)
        ]
        return {"kind": "dict", "items": pairs}
    raise _CannotRecord(f"a value of type {type_name(value)} cannot be compared")


def _encode_array(array: Any, kind: str, budget: _Budget) -> dict[str, Any]:
    dtype = array.dtype.newbyteorder("<") if array.dtype.byteorder == ">" else array.dtype
    name = dtype.name
    if array.ndim > MAX_DIMENSIONS:
        raise _CannotRecord(f"an array with {array.ndim} axes cannot be compared")
    if name not in DTYPES:
        raise _CannotRecord(f"an array of dtype {array.dtype} cannot be compared")
    if not budget.take(nbytes=array.nbytes):
        raise _CannotRecord(
            f"an array of shape {array.shape} is larger than {MAX_VALUE_BYTES} bytes"
        )
    raw = _ascontiguous(array.astype(dtype, copy=False)).tobytes()
    record = {"kind": kind, "dtype": name, "data": _b64encode(raw).decode("ascii")}
    if kind == "array":
        record["shape"] = [_int(size) for size in array.shape]
    return record


def decode(record: Any) -> Any:
    """Return the value of a JSON record, or an `Unrecordable`.

    Arrays come back as little-endian, C-contiguous, read-only arrays of exactly the recorded dtype
    and shape.

    Raises:
        EvidenceError: the record is not one that `encode` writes.
    """
    return _decode(record, MAX_DEPTH, _Budget())


def _expect(condition: bool, message: str) -> None:
    if not condition:
        raise EvidenceError(message)


def fields(record: Any, *names: str) -> list[Any]:
    """Return the named fields of a JSON object that must have exactly these.

    Raises:
        EvidenceError: ``record`` is not an object, or has other fields.
    """
    _expect(type(record) is dict, "a record is not an object")
    _expect(set(record) == set(names), "a record has unexpected or missing fields")
    return [record[name] for name in names]


def text(value: Any, limit: int = MAX_TEXT) -> str:
    """Return ``value``, which must be a string of at most ``limit`` characters.

    Raises:
        EvidenceError: it is not.
    """
    _expect(type(value) is str and len(value) <= limit, "a text field is not a short string")
    return str(value)


def _decode_float(value: Any) -> float:
    try:
        return float.fromhex(text(value, 40))
    except (ValueError, OverflowError):
        raise EvidenceError("a number is malformed") from None


def _decode(record: Any, depth: int, budget: _Budget) -> Any:
    _expect(depth >= 0, "a record is nested too deeply")
    _expect(budget.take(items=1), "a record holds too many items")
    _expect(type(record) is dict, "a record is not an object")
    kind = record.get("kind")
    if kind == "none":
        fields(record, "kind")
        return None
    if kind == "bool":
        _, value = fields(record, "kind", "value")
        _expect(type(value) is bool, "a truth value is malformed")
        return value
    if kind == "int":
        _, value = fields(record, "kind", "value")
        _expect(bool(_HEX.fullmatch(text(value, 1100))), "an integer is malformed")
        return int(value, 16)
    if kind == "float":
        return _decode_float(fields(record, "kind", "value")[1])
    if kind == "complex":
        _, value = fields(record, "kind", "value")
        _expect(type(value) is list and len(value) == 2, "a complex number is malformed")
        return complex(_decode_float(value[0]), _decode_float(value[1]))
    if kind == "str":
        value = text(fields(record, "kind", "value")[1])
        _expect(budget.take(nbytes=len(value)), "a record is too large")
        return value
    if kind in ("tuple", "list"):
        _, items = fields(record, "kind", "items")
        _expect(type(items) is list, "a sequence is malformed")
        values = [_decode(item, depth - 1, budget) for item in items]
        return tuple(values) if kind == "tuple" else values
    if kind == "dict":
        return _decode_dict(fields(record, "kind", "items")[1], depth, budget)
    if kind == "array":
        _, dtype, shape, data = fields(record, "kind", "dtype", "shape", "data")
        return _decode_array(dtype, shape, data, budget)
    if kind == "scalar":
        _, dtype, data = fields(record, "kind", "dtype", "data")
        return _decode_array(dtype, [], data, budget)[()]
    if kind == "unrecordable":
        _, name, why = fields(record, "kind", "type", "why")
        return Unrecordable(text(name, 80), text(why, 1000))
    raise EvidenceError("a record has an unknown kind")


def _decode_dict(items: Any, depth: int, budget: _Budget) -> dict[Any, Any]:
    _expect(type(items) is list, "a mapping is malformed")
    result: dict[Any, Any] = {}
    for pair in items:
        _expect(type(pair) is list and len(pair) == 2, "a mapping is malformed")
        key = _decode(pair[0], depth - 1, budget)
        try:
            result[key] = _decode(pair[1], depth - 1, budget)
        except TypeError:
            raise EvidenceError("a mapping has a key that cannot be a key") from None
    return result


def _decode_array(dtype: Any, shape: Any, data: Any, budget: _Budget) -> Any:
    _expect(type(dtype) is str and dtype in DTYPES, "an array has an unknown dtype")
    _expect(type(shape) is list and len(shape) <= MAX_DIMENSIONS, "an array has a malformed shape")
    _expect(all(type(size) is int and size >= 0 for size in shape), "an array's shape is malformed")
    little = _dtype(dtype).newbyteorder("<")
    nbytes = math.prod(shape) * little.itemsize
    _expect(nbytes <= MAX_VALUE_BYTES and budget.take(nbytes=nbytes), "a record is too large")
    _expect(
        type(data) is str and len(data) <= 4 * (nbytes // 3 + 1), "an array's data is malformed"
    )
    try:
        raw = _b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise EvidenceError("an array's data is malformed") from None
    _expect(len(raw) == nbytes, "an array's data does not fit its shape")
    try:
        return _frombuffer(raw, dtype=little).reshape(shape)
    except ValueError:
        raise EvidenceError("an array has a malformed shape") from None
