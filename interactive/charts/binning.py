"""Divide the rows of a column into bars: numbers by range, dates by day, and strings by value."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from provhouse.model.errors import BadInput, UsageError

from .bars import MAX_BARS, Axis, Bars, smallest
from .number_ranges import ranges, short

Binning = int | str | Sequence[float] | None
"""A division of a column into bars: the number of bars, a string, the borders, or None.

For dates, a string is a unit of time. For numbers, it is ``log``, ``clip`` (between the percentiles
1 and 99) or two borders such as ``0..60``. With ``clip`` or two borders, the numbers outside have
one bar on each side. With None, numbers get a bar for each value if they span only a few integers,
and are divided into about 40 ranges otherwise. Dates get a bar for each day, and strings get a bar
for each of the 30 most frequent values.
"""
CHARTED = (
    pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_date,
    pa.types.is_timestamp, pa.types.is_time, pa.types.is_boolean, pa.types.is_string,
    pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null,
)  # fmt: skip
"""The column types that can be shown as bars."""
TEXTS = 30
UNITS = {"day": "D", "month": "M", "year": "Y"}
MISSING = "(missing)"


def can_be_shown(kind: pa.DataType) -> bool:
    """Return whether a column of the given type can be shown as bars."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return any(is_kind(kind) for is_kind in CHARTED)


def parsed(text: str) -> Binning:
    """Return the binning that a string such as ``60`` or ``0,15,60`` stands for."""
    if text.isdecimal():
        return int(text)
    try:
        return [float(part) for part in text.split(",")] if text else None
    except ValueError:
        return text


def bars(table: pa.Table, column: str, binning: Binning = None) -> Bars:
    """Return the bars of ``column``.

    Raises UsageError if the column is missing or cannot have these bars, and BadInput if it has
    only NULLs or an infinite number. NaN counts as NULL.
    """
    values = _column(table, column)
    kind = values.type
    if isinstance(binning, int) and not 0 < binning <= MAX_BARS:
        raise UsageError(
            f"{column!r} cannot have {binning:,} bars",
            f"A view has between 1 and {MAX_BARS:,} bars",
            f"Choose fewer, for example --by {column}=50",
        )
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return _dates(column, values, binning)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _numbers(column, values, binning)
    return _texts(column, values, binning)


def grid(table: pa.Table, across: str, up: str, binning: int | None = None) -> Bars:
    """Return the bars of a grid: one for each pair of ranges of ``across`` and of ``up``."""
    x, y = (bars(table, column, binning) for column in (across, up))
    if (cells := x.number * y.number) > MAX_BARS:
        raise UsageError(
            f"The grid of {across!r} and {up!r} would have {cells:,} cells",
            f"A view has at most {MAX_BARS:,} bars",
            f"Choose fewer ranges, for example --grid {across},{up}=40",
        )
    codes = x.codes.astype(np.uint16) * y.number + y.codes
    return Bars(x.axes + y.axes, smallest(codes, cells))


def _column(table: pa.Table, column: str) -> pa.ChunkedArray:
    if table.column_names.count(column) != 1:
        raise UsageError(
            f"There is no column {column!r}"
            if column not in table.column_names
            else f"There are several columns {column!r}",
            f"The columns are: {', '.join(table.column_names)}",
            "Name one of them",
        )
    values = table.column(column)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if not can_be_shown(values.type):
        raise UsageError(
            f"The column {column!r} cannot be charted",
            f"Its type is {values.type}",
            "Choose a column of numbers, dates or text",
        )
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    if len(values) and values.null_count == len(values):
        raise BadInput(
            f"The column {column!r} is empty", "All its values are NULL", "Choose another column"
        )
    return values


def _numbers(column: str, values: pa.ChunkedArray, binning: Binning) -> Bars:
    numbers, missing = _floats(column, values)
    known = numbers[~missing] if missing.any() else numbers
    if binning is not None and not isinstance(binning, int | str):
        return _between(column, numbers, missing, list(binning))
    found = ranges(known, binning)
    if found is None and isinstance(binning, str):
        raise _wrong_binning(column, values.type, binning)
    if found is None:
        raise UsageError(
            f"The range of {column!r} is too large to be divided",
            f"Its values are from {short(float(known.min()))} to {short(float(known.max()))}",
            f"Give the borders, for example --by {column}=0,15,60",
        )
    axis = Axis(
        column, "number", found.labels, found.edges.tolist(), False,
        below=found.below, above=found.above, log=found.log,
    )  # fmt: skip
    return _with_missing(axis, found.codes(numbers), missing)


def _floats(column: str, values: pa.ChunkedArray) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return a column as floats, and a mask of its NULLs."""
    missing = values.is_null().to_numpy()
    numbers = values.cast(pa.float64(), safe=False).fill_null(0.0).to_numpy()
    if not np.isfinite(numbers).all():
        raise BadInput(
            f"The column {column!r} has an infinite number",
            f"The first is in row {int(np.argmin(np.isfinite(numbers))) + 1:,}",
            "Remove it, or choose another column",
        )
    return numbers, missing


def _between(
    column: str, numbers: NDArray[np.float64], missing: NDArray[np.bool_], borders: list[float]
) -> Bars:
    """Return bars between given borders, a bar below the first border, and one above the last."""
    if borders != sorted(set(borders)) or not np.isfinite(borders).all() or not borders:
        raise UsageError(
            f"The borders for {column!r} are not in ascending order",
            f"They are {', '.join(map(short, borders)) or 'none'}",
            f"Write them as --by {column}=0,15,60",
        )
    if len(borders) > MAX_BARS - 2:
        raise UsageError(f"{column!r} has {len(borders):,} borders", "", "Choose fewer")
    middle = [f"{short(one)} to {short(other)}" for one, other in pairwise(borders)]
    labels = [f"below {short(borders[0])}", *middle, f"{short(borders[-1])} and more"]
    codes = np.searchsorted(borders, numbers, side="right")
    axis = Axis(column, "text", labels, None, False, borders=tuple(borders))
    return _with_missing(axis, codes, missing)


def _dates(column: str, values: pa.ChunkedArray, binning: Binning) -> Bars:
    if binning is not None and binning not in UNITS:
        raise _wrong_binning(column, values.type, binning)
    if pa.types.is_timestamp(values.type) and values.type.tz:
        values = pc.local_timestamp(values)
    missing = values.is_null().to_numpy()
    days = values.cast(pa.date32()).cast(pa.int32()).fill_null(0).to_numpy()
    known = days[~missing]
    units = [str(binning)] if binning else list(UNITS)
    for unit in units:
        at = days.astype("datetime64[D]").astype(f"datetime64[{UNITS[unit]}]").astype(np.int64)
        low = int(at[~missing].min()) if known.size else 0
        number = int(at[~missing].max()) - low + 1 if known.size else 0
        if number < MAX_BARS:
            break
    else:
        raise UsageError(
            f"{column!r} would have {number:,} bars",
            f"A view has at most {MAX_BARS:,} bars",
            f"Choose a coarser unit, for example --by {column}=year",
        )
    starts = np.arange(low, low + number).astype(f"datetime64[{UNITS[unit]}]")
    edges = starts.astype("datetime64[D]").astype(np.int64).astype(float).tolist()
    axis = Axis(column, "date", starts.astype(str).tolist(), edges, False)
    return _with_missing(axis, at - low, missing)


def _texts(column: str, values: pa.ChunkedArray, binning: Binning) -> Bars:
    """Return a bar for each of the most frequent strings, and one bar for all other strings."""
    if binning is not None and not isinstance(binning, int):
        raise _wrong_binning(column, values.type, binning)
    encoded = values.cast(pa.string()).dictionary_encode().unify_dictionaries()
    missing = encoded.is_null().to_numpy()
    chunks = [chunk.indices.fill_null(0).to_numpy() for chunk in encoded.chunks]
    codes = np.concatenate([np.empty(0, np.int32), *chunks])
    texts = encoded.chunk(0).dictionary.to_pylist() if encoded.num_chunks else []
    counts = np.bincount(codes[~missing], minlength=len(texts))
    order = sorted(range(len(texts)), key=lambda code: (-counts[code], texts[code]))
    top = order[: binning or TEXTS]
    place = np.full(max(1, len(texts)), len(top))
    place[top] = np.arange(len(top))
    labels = [texts[code] for code in top]
    others = len(top) if len(order) > len(top) else None
    if others is not None:
        labels.append(f"({len(order) - len(top):,} others)")
    return _with_missing(Axis(column, "text", labels, None, False, others), place[codes], missing)


def _with_missing(axis: Axis, codes: NDArray[Any], missing: NDArray[np.bool_]) -> Bars:
    """Return the bars of an axis, with an additional bar if there are rows without a value."""
    labels = axis.labels
    if some := bool(missing.any()):
        codes = np.where(missing, len(labels), codes)
        labels = [*labels, MISSING]
    made = replace(axis, labels=labels, missing=some)
    return Bars((made,), smallest(codes, len(labels)))


def _wrong_binning(column: str, kind: pa.DataType, binning: Binning) -> UsageError:
    return UsageError(
        f"{column!r} cannot be divided by {binning!r}",
        f"Its type is {kind}",
        "Divide numbers into N ranges, at borders, by log, by clip, or between LOW..HIGH; dates by "
        "day, month or year; and limit text to its N most frequent values",
    )
