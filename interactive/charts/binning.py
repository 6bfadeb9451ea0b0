"""Divide the rows of a column into bars: numbers in ranges, dates by day, text by value."""

import math
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from provhouse.model.errors import BadInput, UsageError

from .bars import MAX_BARS, Axis, Bars, Kind, smallest

Binning = int | str | Sequence[float] | None
"""A way to make bars: their number, a unit of time, the borders between them, or None.

With None, if there are only a few whole numbers, each has a bar; other numbers are divided into
about 40 ranges. Dates have a bar for each day, and text has one for each of its 30 most frequent
values.
"""
CHARTED = (
    pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_date,
    pa.types.is_timestamp, pa.types.is_time, pa.types.is_boolean, pa.types.is_string,
    pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null,
)  # fmt: skip
"""The types of columns that have bars."""
EXACT = 2**53
"""Up to this bound, floating-point numbers represent every whole number."""
FEW = 60
"""If a range has at most this many whole numbers, each number has a bar of its own."""
RANGES = 40
TEXTS = 30
UNITS = {"day": "D", "month": "M", "year": "Y"}
MISSING = "(missing)"


def bars(table: pa.Table, column: str, binning: Binning = None) -> Bars:
    """Return the bars of a column.

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
    """Return the bars of a grid: one for each pair of a range of ``across`` and one of ``up``."""
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
    if not any(is_kind(values.type) for is_kind in CHARTED):
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
    if isinstance(binning, str):
        raise _wrong_binning(column, values.type, binning)
    known = numbers[~missing] if missing.any() else numbers
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    if binning is not None and not isinstance(binning, int):
        return _between(column, numbers, missing, list(binning))
    whole = bool((known == np.floor(known)).all()) and max(-low, high) < EXACT
    if binning is None and whole and high - low < FEW:
        edges = np.arange(low, high + 2) if known.size else np.empty(0)
        labels = [f"{edge:.0f}" for edge in edges[:-1]]
    else:
        if not math.isfinite(high - low):
            raise UsageError(
                f"The range of {column!r} is too large to be divided",
                f"Its values are from {_short(low)} to {_short(high)}",
                f"Give the borders, for example --by {column}=0,15,60",
            )
        edges = _ranges(low, high, binning, whole)
        last = 1 if whole and binning is None else 0  # 0 to 4, 5 to 9
        labels = [f"{_short(one)} to {_short(other - last)}" for one, other in pairwise(edges)]
    codes = np.searchsorted(edges, numbers, side="right") - 1
    codes = np.clip(codes, 0, max(0, len(labels) - 1))  # the last range includes its end
    return _made(column, "number", codes, labels, edges.tolist(), missing)


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


def _ranges(low: float, high: float, number: int | None, whole: bool) -> NDArray[np.float64]:
    """Return the borders of equal ranges. They are round numbers unless ``number`` is set."""
    if high == low:
        return np.array([low, high + 1 if whole else math.nextafter(high, math.inf)])
    if number:
        return np.linspace(low, high, number + 1, dtype=np.float64)
    width = (high - low) / RANGES
    if width < sys.float_info.min or max(-low, high) / width > EXACT:  # few floats lie between
        return np.unique(np.linspace(low, high, RANGES + 1, dtype=np.float64))
    step = 10.0 ** math.floor(math.log10(width))
    step = next(step * times for times in (1, 2, 5, 10) if (high - low) / (step * times) <= RANGES)
    if whole:
        step = max(1.0, step)
    first, last = math.floor(low / step), math.floor(high / step) + 1
    borders: NDArray[np.float64] = np.arange(first, last + 1, dtype=np.float64) * step
    return np.minimum(borders, sys.float_info.max)


def _between(
    column: str, numbers: NDArray[np.float64], missing: NDArray[np.bool_], borders: list[float]
) -> Bars:
    """Return bars between given borders, a bar below the first border, and one above the last."""
    if borders != sorted(set(borders)) or not np.isfinite(borders).all() or not borders:
        raise UsageError(
            f"The borders for {column!r} are not in ascending order",
            f"They are {', '.join(map(_short, borders)) or 'none'}",
            f"Write them as --by {column}=0,15,60",
        )
    if len(borders) > MAX_BARS - 2:
        raise UsageError(f"{column!r} has {len(borders):,} borders", "", "Choose fewer")
    middle = [f"{_short(one)} to {_short(other)}" for one, other in pairwise(borders)]
    labels = [f"below {_short(borders[0])}", *middle, f"{_short(borders[-1])} and more"]
    codes = np.searchsorted(borders, numbers, side="right")
    return _made(column, "text", codes, labels, None, missing)


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
    return _made(column, "date", at - low, starts.astype(str).tolist(), edges, missing)


def _texts(column: str, values: pa.ChunkedArray, binning: Binning) -> Bars:
    """Return a bar for each of the most frequent texts, and one bar for all other texts."""
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
    return _made(column, "text", place[codes], labels, None, missing, others)


def _made(
    column: str,
    kind: Kind,
    codes: NDArray[Any],
    labels: list[str],
    edges: list[float] | None,
    missing: NDArray[np.bool_],
    others: int | None = None,
) -> Bars:
    if some := bool(missing.any()):
        codes = np.where(missing, len(labels), codes)
        labels = [*labels, MISSING]
    return Bars((Axis(column, kind, labels, edges, some, others),), smallest(codes, len(labels)))


def _wrong_binning(column: str, kind: pa.DataType, binning: Binning) -> UsageError:
    return UsageError(
        f"{column!r} cannot be divided by {binning!r}",
        f"Its type is {kind}",
        "Divide numbers into N ranges or at borders, dates by day, month or year, and limit text "
        "to its N most frequent values",
    )


def _short(number: float) -> str:
    return f"{number:.6g}"
