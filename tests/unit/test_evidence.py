"""Records of values: what is recorded, and that nothing but a record is ever accepted."""

from __future__ import annotations

import contextlib
import json
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder import evidence
from autograder.evidence import EvidenceError, Unrecordable, decode, encode

# What can be recorded ---------------------------------------------------------------------------

dtypes = st.sampled_from(sorted(evidence.DTYPES)).map(np.dtype)
recordable_arrays = dtypes.flatmap(
    lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, min_side=0, max_side=4))
)
numpy_scalars = dtypes.flatmap(lambda dtype: arrays.arrays(dtype, ()).map(lambda one: one[()]))
keys = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5)
)
plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-(2**4095), max_value=2**4095),
    st.floats(),
    st.complex_numbers(),
    st.text(st.characters(exclude_categories=["Cs"])),
    recordable_arrays,
    numpy_scalars,
)
recordable = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(keys, inner, max_size=4),
    ),
    max_leaves=8,
)


def through_json(value: Any) -> Any:
    return decode(json.loads(json.dumps(encode(value))))


def same(one: Any, other: Any) -> bool:
    """Return whether two values are of the same kind and equal, bit for bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray | np.generic):
        little = one.dtype.newbyteorder("<")
        return bool(
            little == other.dtype
            and one.shape == other.shape
            and np.asarray(one).astype(little).tobytes() == np.asarray(other).tobytes()
        )
    if isinstance(one, float):
        return one.hex() == other.hex()
    if isinstance(one, complex):
        return same(one.real, other.real) and same(one.imag, other.imag)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return same(list(one), list(other)) and same(list(one.values()), list(other.values()))
    return bool(one == other)


@given(recordable)
def test_what_is_recorded_comes_back_as_it_was(value):
    assert same(value, through_json(value))


@given(recordable)
def test_recording_again_gives_the_same_record(value):
    assert encode(through_json(value)) == encode(value)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).astype(">f8"),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(12.0)[::-2],
        np.broadcast_to(np.arange(3), (4, 3)),
        np.zeros((0, 3)),
        np.array(2.5),
    ],
    ids=["big endian", "column order", "negative stride", "stretched", "empty", "no axes"],
)
def test_an_array_comes_back_whatever_its_layout(array):
    back = through_json(array)
    assert same(array, back)
    assert back.flags.c_contiguous
    assert not back.flags.writeable
    assert back.dtype.byteorder != ">"


def test_a_text_is_cut_at_its_limit():
    assert through_json("ab" * evidence.MAX_TEXT) == "ab" * (evidence.MAX_TEXT // 2)


def test_half_of_a_surrogate_pair_does_not_stop_recording():
    assert through_json("a\ud800b") == "a?b"


# What cannot be recorded ------------------------------------------------------------------------


def _nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


_own = []
_own.append(_own)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ((n for n in range(3)), "a value of type generator cannot be compared"),
        ({1, 2}, "a value of type set cannot be compared"),
        (len, "cannot be compared"),
        (np.array([1, "a"], object), "an array of dtype object cannot be compared"),
        (np.array(["a"]), "an array of dtype <U1 cannot be compared"),
        (np.datetime64("2026-01-01"), "cannot be compared"),
        (np.zeros(2, [("x", float)]), "cannot be compared"),
        (np.zeros(2**16 + 1), "an array of shape (65537,) is larger than 524288 bytes"),
        (np.broadcast_to(0.0, (2**40,)), "is larger than 524288 bytes"),
        ([np.zeros(2**15), np.zeros(2**15), 1.0, np.zeros(1)], "is larger than 524288 bytes"),
        ([0] * evidence.MAX_ITEMS, "it holds more than 10000 items"),
        (["x" * 20_000] * 60, "its text is too long"),
        (_nested(evidence.MAX_DEPTH + 1), "it is nested more than 12 levels deep"),
        (_own, "it is nested more than 12 levels deep"),
        (2**4096, "the integer has more than 4096 bits"),
        ([1, {2: object()}], "a value of type object cannot be compared"),
    ],
)
def test_what_cannot_be_recorded_gives_its_type_and_the_reason(value, why):
    found = through_json(value)
    assert isinstance(found, Unrecordable)
    assert found.type == type(value).__name__
    assert why in found.why


@pytest.mark.parametrize(
    "value", [_nested(evidence.MAX_DEPTH), [0] * (evidence.MAX_ITEMS - 1), np.zeros(2**16), 2**4095]
)
def test_what_is_just_within_the_limits_is_recorded(value):
    assert same(value, through_json(value))


@pytest.mark.parametrize(
    "value",
    [
        np.zeros(2, [(f"a_field_with_a_long_name_{i}", float) for i in range(100)]),
        np.zeros((1,) * 40),
        type("X" * 200, (), {})(),
    ],
    ids=["long dtype", "many axes", "long type name"],
)
def test_recording_gives_a_record_that_can_be_read(value):
    through_json(value)


def test_recording_does_not_fail_for_a_type_whose_name_cannot_be_read():
    class Kind(type):
        __name__ = property(lambda cls: 1 / 0)  # type: ignore[assignment]

    class Nameless(metaclass=Kind):
        pass

    found = through_json(Nameless())
    assert found.type in ("?", "Nameless")


# Objects that lie -------------------------------------------------------------------------------


def _fail(*_: object, **__: object) -> Any:
    raise RuntimeError("a recorder should not ask me")


class LyingArray(np.ndarray):
    shape = property(lambda self: (99,))
    dtype = property(lambda self: np.dtype(int))
    nbytes = property(lambda self: 0)
    size = property(lambda self: 99)
    __class__ = property(lambda self: list)
    __eq__ = __ne__ = lambda self, other: True  # type: ignore[assignment]
    __array__ = __array_ufunc__ = __array_function__ = _fail
    __reduce__ = __reduce_ex__ = __getitem__ = __iter__ = __len__ = _fail
    astype = tobytes = tolist = view = copy = __array_finalize__ = lambda self, *_: None
    __hash__ = None  # type: ignore[assignment]


class LyingFloat(float):
    __class__ = property(lambda self: int)
    __float__ = __int__ = __index__ = hex = __eq__ = __repr__ = __reduce__ = _fail
    __hash__ = float.__hash__


class LyingInt(int):
    __index__ = __int__ = bit_length = __eq__ = __hash__ = __reduce__ = _fail


class LyingComplex(complex):
    __complex__ = __eq__ = _fail
    __hash__ = None  # type: ignore[assignment]
    real = imag = property(_fail)


class LyingText(str):
    __getitem__ = encode = __len__ = __str__ = __eq__ = _fail
    __hash__ = str.__hash__


class LyingList(list):
    __iter__ = __len__ = __getitem__ = __eq__ = __class__ = _fail
    __hash__ = None  # type: ignore[assignment]


class LyingTuple(tuple):
    __iter__ = __len__ = __getitem__ = __eq__ = _fail
    __hash__ = None  # type: ignore[assignment]


class LyingDict(dict):
    items = keys = values = __iter__ = __len__ = __getitem__ = __eq__ = _fail
    __hash__ = None  # type: ignore[assignment]


class LyingScalar(np.float64):
    __array__ = __float__ = item = astype = __eq__ = __reduce__ = _fail
    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("liar", "held"),
    [
        (np.arange(3.0).view(LyingArray), np.arange(3.0)),
        (LyingFloat(0.5), 0.5),
        (LyingInt(3), 3),
        (LyingComplex(1, 2), 1 + 2j),
        (LyingText("abc"), "abc"),
        (LyingList([1, 2]), [1, 2]),
        (LyingTuple((1, 2)), (1, 2)),
        (LyingDict({1: 2}), {1: 2}),
        (LyingScalar(0.5), np.float64(0.5)),
        (np.ma.array([1.0, 2.0], mask=[True, False]), np.array([1.0, 2.0])),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_object_is_recorded_as_what_it_holds_not_as_what_it_says(liar, held):
    assert same(held, through_json(liar))


def test_an_object_that_claims_to_be_a_number_is_not_recorded_as_one():
    class Pretender:
        __class__ = property(lambda self: float)
        __float__ = lambda self: 1.0  # noqa: E731
        __array__ = lambda self, *_: np.array(1.0)  # noqa: E731

    assert through_json(Pretender()) == Unrecordable(
        "Pretender", "a value of type Pretender cannot be compared"
    )


# Records that were not written by the recorder --------------------------------------------------

json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.integers(min_value=-(2**70), max_value=2**70),
        st.floats(),
        st.text(max_size=20),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=10,
)
kinds = st.sampled_from(
    [
        "none",
        "bool",
        "int",
        "float",
        "complex",
        "str",
        "tuple",
        "list",
        "dict",
        "array",
        "scalar",
        "unrecordable",
        "other",
    ]
)
names = st.sampled_from(["value", "items", "dtype", "shape", "data", "type", "why", "extra"])
lookalikes = st.builds(
    lambda kind, rest: {"kind": kind, **rest}, kinds, st.dictionaries(names, json_values)
)
array_lookalikes = st.fixed_dictionaries(
    {
        "kind": st.just("array"),
        "dtype": st.sampled_from([*sorted(evidence.DTYPES), "object", "U9", "V1", "O", "f8"]),
        "shape": st.one_of(
            st.lists(
                st.one_of(
                    st.integers(min_value=-2, max_value=3),
                    st.sampled_from([2**20, 2**31, 2**62, 2**64, 10**30]),
                ),
                max_size=34,
            ),
            json_values,
        ),
        "data": st.one_of(
            st.binary(max_size=12).map(lambda raw: evidence.base64.b64encode(raw).decode()),
            json_values,
        ),
    }
)


def _refuse_or_decode(record: Any) -> None:
    with contextlib.suppress(EvidenceError):
        decode(record)


@given(st.one_of(json_values, lookalikes, array_lookalikes))
@settings(max_examples=400)
def test_any_json_is_decoded_or_refused_as_evidence(record):
    _refuse_or_decode(record)


def _places(record: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = record.items() if isinstance(record, dict) else enumerate(record)
    found = [path] if path else []
    for key, value in items:
        inner = (*path, key)
        found += _places(value, inner) if isinstance(value, dict | list) else [inner]
    return found


@given(recordable, st.data())
@settings(max_examples=200)
def test_a_changed_record_is_decoded_or_refused_as_evidence(value, data):
    record = json.loads(json.dumps(encode(value)))
    *way, last = data.draw(st.sampled_from(_places(record)), label="place")
    inner = record
    for key in way:
        inner = inner[key]
    if data.draw(st.booleans(), label="remove"):
        del inner[last]
    else:
        inner[last] = data.draw(st.one_of(json_values, lookalikes), label="new value")
    _refuse_or_decode(record)


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "array", "dtype": "float64", "shape": [2**40], "data": ""},
        {"kind": "array", "dtype": "float64", "shape": [2**62] * 30, "data": "AAAA"},
        {"kind": "array", "dtype": "float64", "shape": [0, 10**30], "data": ""},
        {"kind": "array", "dtype": "float64", "shape": [1], "data": "A" * 2**26},
        {"kind": "array", "dtype": "float64", "shape": [True], "data": "A" * 12},
        {"kind": "array", "dtype": "object", "shape": [1], "data": "AAAAAAAAAAA="},
        {"kind": "scalar", "dtype": "float64", "data": "A" * 2**26},
        {"kind": "int", "value": "1" * 10**6},
        {"kind": "int", "value": 3},
        {"kind": "float", "value": "0x1p99999"},
        {"kind": "float", "value": 0.5},
        {"kind": "bool", "value": 1},
        {"kind": "complex", "value": ["0x1p0"]},
        {"kind": "str", "value": "x" * (evidence.MAX_TEXT + 1)},
        {"kind": "list", "items": [{"kind": "none"}] * (evidence.MAX_ITEMS + 1)},
        {"kind": "list", "items": {"0": {"kind": "none"}}},
        {"kind": "tuple", "items": [{"kind": "str", "value": "x" * 20_000}] * 60},
        {"kind": "dict", "items": [[{"kind": "list", "items": []}, {"kind": "none"}]]},
        {"kind": "dict", "items": [[{"kind": "none"}]]},
        {"kind": "none", "value": None},
        {"kind": "unrecordable", "type": "x" * 81, "why": ""},
        {"kind": None},
        {},
        [],
        None,
        "none",
    ],
)
def test_a_record_that_the_recorder_does_not_write_is_refused(record):
    with pytest.raises(EvidenceError):
        decode(record)


def test_a_record_is_refused_however_deeply_it_is_nested():
    record: Any = {"kind": "none"}
    for _ in range(100_000):
        record = {"kind": "list", "items": [record]}
    with pytest.raises(EvidenceError, match="nested too deeply"):
        decode(record)
    while record.get("items"):  # taken apart by hand: the interpreter would recurse
        record = record["items"].pop()


def test_refusing_an_oversized_record_allocates_next_to_nothing():
    records = [
        {"kind": "array", "dtype": "complex128", "shape": [2**30], "data": ""},
        {"kind": "array", "dtype": "float64", "shape": [1], "data": "A" * 2**24},
        {"kind": "list", "items": [{"kind": "list", "items": []}] * 10**6},
    ]
    tracemalloc.start()
    try:
        for record in records:
            with pytest.raises(EvidenceError):
                decode(record)
        assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    finally:
        tracemalloc.stop()


def test_the_arrays_of_one_value_share_one_limit():
    """Each fits, and together they do not; neither when recorded nor when read."""
    part = np.zeros(evidence.MAX_VALUE_BYTES // 2 // 8 + 1)
    assert encode([part])["kind"] == "list"
    assert encode([part, part])["kind"] == "unrecordable"
    one = encode(part)
    assert len(decode({"kind": "list", "items": [one]})) == 1
    with pytest.raises(EvidenceError):
        decode({"kind": "list", "items": [one, one]})
