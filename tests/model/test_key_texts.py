"""The strings of keys, compared with Python's own numbers and times."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from provhouse.model.key_texts import can_be_key, key_text

SCALES = [(9, 0), (9, 2), (9, 6), (20, 10), (38, 38)]
TIMES = [
    (datetime(2024, 1, 5, 10), "2024-01-05T10:00:00"),
    (datetime(2024, 1, 5, 10, 20, 30, 120_000), "2024-01-05T10:20:30.12"),
    (datetime(1, 1, 1), "0001-01-01T00:00:00"),
    (datetime(1969, 12, 31, 23, 59, 59, 999_999), "1969-12-31T23:59:59.999999"),
]


def texts(values: list[object], kind: pa.DataType | None = None) -> list[str | None]:
    found: list[str | None] = key_text(pa.array(values, kind)).to_pylist()
    return found


def test_a_uuid_is_its_text_in_lower_case() -> None:
    found = uuid4()
    kind = pa.uuid()
    assert can_be_key(kind)
    assert texts([found.bytes, None], kind) == [str(found), None]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_doubles_read_back_with_the_fewest_digits(values: list[float]) -> None:
    for value, text in zip(values, texts([*values], pa.float64()), strict=True):
        assert text
        assert float(text) == value
        assert isinstance(json.loads(text), float | int)
        exact = (
            Decimal(value) if value == int(value) and abs(value) < 2**53 else Decimal(repr(value))
        )
        assert Decimal(text) == exact


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False)))
def test_floats_read_back_with_the_fewest_digits(values: list[float]) -> None:
    for value, text in zip(values, texts([*values], pa.float32()), strict=True):
        assert text
        assert np.float32(text) == np.float32(value)
        assert len(Decimal(text).normalize().as_tuple().digits) <= 9


def test_numbers_are_written_as_in_canonical_json() -> None:
    """The examples follow RFC 8785 and ECMAScript's conversion of numbers to strings."""
    values = [
        0.0,
        -0.0,
        17.0,
        0.1,
        1e-6,
        1e-7,
        1.5e-7,
        1e20,
        1e21,
        -1.25e22,
        5e-324,
        2.0**-24,
        None,
    ]
    assert texts([*values]) == [
        "0", "0", "17", "0.1", "0.000001", "1e-7", "1.5e-7", "100000000000000000000", "1e+21",
        "-1.25e+22", "5e-324", "5.960464477539063e-8", None,
    ]  # fmt: skip
    assert texts([float("nan"), float("inf"), -float("inf")]) == ["NaN", "Infinity", "-Infinity"]
    assert texts([0.1, 16777216.0, None], pa.float32()) == ["0.1", "16777216", None]


@pytest.mark.parametrize(("precision", "scale"), SCALES)
def test_decimals_have_no_trailing_zeros(precision: int, scale: int) -> None:
    units = [0, 1, -1, 10, 120, -123456, 10 ** (precision - 1)]
    values = [Decimal(unit).scaleb(-scale) for unit in units]
    for value, text in zip(values, texts([*values], pa.decimal128(precision, scale)), strict=True):
        assert text
        assert "e" not in text.lower()
        assert Decimal(text) == value
        assert not ("." in text and text.endswith("0"))


@pytest.mark.parametrize(("time", "text"), TIMES)
def test_times(time: datetime, text: str) -> None:
    """An instant has the name of its UTC time, whatever zone the column is shown in."""
    assert texts([time, None], pa.timestamp("us")) == [text, None]
    instant = time.replace(tzinfo=UTC)
    assert texts([instant, None], pa.timestamp("us", "Asia/Kathmandu")) == [text + "Z", None]
    if time.year > 1:
        assert texts([time], pa.timestamp("ns")) == [text]
    if not time.microsecond:
        assert texts([time], pa.timestamp("s")) == [text]


def test_types_of_keys() -> None:
    assert texts([True, False, None]) == ["true", "false", None]
    assert texts(["a", "1.0"]) == ["a", "1.0"]
    kinds = [pa.binary(), pa.list_(pa.int8()), pa.duration("s"), pa.float16(), pa.time64("us")]
    assert not any(map(can_be_key, kinds))
