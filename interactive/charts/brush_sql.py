"""Build the DuckDB SQL that selects the records that pass all brushes."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf

import numpy as np
import pyarrow as pa

from .bars import Axis, Bars
from .number_ranges import EXACT


def where(schema: pa.Schema, brushes: Mapping[str, tuple[Bars, Iterable[int]]]) -> str:
    """Return an SQL condition that holds for the records that pass all ``brushes``.

    Without brushes, the condition is ``true``.
    """
    found = [_of_view(schema, bars, sorted(set(chosen))) for bars, chosen in brushes.values()]
    return "\n  and ".join(found) or "true"


def literal(text: str) -> str:
    """Return a string as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """Return a name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _of_view(schema: pa.Schema, bars: Bars, chosen: Sequence[int]) -> str:
    kinds = [_value_type(schema.field(axis.column).type) for axis in bars.axes]
    if len(bars.axes) == 1:
        return _of_axis(bars.axes[0], kinds[0], chosen)
    width = len(bars.axes[1].labels)
    columns: dict[int, list[int]] = {}
    for bar in chosen:
        columns.setdefault(bar // width, []).append(bar % width)
    alike: dict[tuple[int, ...], list[int]] = {}
    for across, up in columns.items():
        alike.setdefault(tuple(up), []).append(across)
    return _either(
        f"({_of_axis(bars.axes[0], kinds[0], across)} and {_of_axis(bars.axes[1], kinds[1], up)})"
        for up, across in alike.items()
    )


def _of_axis(axis: Axis, kind: pa.DataType, chosen: Sequence[int]) -> str:
    """Return an SQL condition for the ``chosen`` bars of an axis."""
    missing = len(axis.labels) - 1 if axis.missing else None
    known = [bar for bar in chosen if bar != missing]
    parts = [_missing(axis.column, kind)] if missing in chosen else []
    if axis.kind == "text" and not axis.borders:
        parts += _texts(axis, kind, known)
    else:
        parts += [_run(axis, kind, first, last) for first, last in _runs(known)]
    return _either(parts)


def _either(parts: Iterable[str]) -> str:
    found = list(parts)
    return found[0] if len(found) == 1 else f"({' or '.join(found)})" if found else "false"


def _missing(column: str, kind: pa.DataType) -> str:
    name = quoted(column)
    nan = pa.types.is_floating(kind)
    return f"({name} is null or isnan({name}))" if nan else f"{name} is null"


def _texts(axis: Axis, kind: pa.DataType, bars: Sequence[int]) -> list[str]:
    name, named = quoted(axis.column), len(axis.labels) - axis.missing
    tops = [bar for bar in range(named) if bar != axis.others]
    parts = []
    if own := [bar for bar in bars if bar != axis.others]:
        parts.append(f"{name} in ({_list(axis, kind, own)})")
    if axis.others in bars:
        parts.append(f"{name} not in ({_list(axis, kind, tops)})")
    return parts


def _list(axis: Axis, kind: pa.DataType, bars: Sequence[int]) -> str:
    labels = (axis.labels[bar] for bar in bars)
    if pa.types.is_boolean(kind):
        return ", ".join(labels)
    prefix = "time " if pa.types.is_time(kind) else ""
    return ", ".join(prefix + literal(label) for label in labels)


def _runs(bars: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and the last bar of each run of adjacent bars."""
    firsts = [bar for bar in bars if bar - 1 not in bars]
    lasts = [bar for bar in bars if bar + 1 not in bars]
    return [*zip(firsts, lasts, strict=True)]


def _run(axis: Axis, kind: pa.DataType, first: int, last: int) -> str:
    if axis.kind == "date":
        return _dates(axis, kind, first, last)
    cuts = [-inf, *axis.borders, inf] if axis.borders else _cuts(axis)
    low, high = cuts[first], cuts[last + 1]
    name = quoted(axis.column)
    exact = pa.types.is_float64(kind) or (
        pa.types.is_integer(kind) and all(abs(cut) < EXACT for cut in cuts if abs(cut) < inf)
    )
    value = name if exact else f"{name}::double"
    closed = high < inf and last + 2 == len(cuts) and not axis.above and not axis.borders
    parts = [f"{value} >= {_number(low)}"] if low > -inf else []
    parts += [f"{value} {'<=' if closed else '<'} {_number(high)}"] if high < inf else []
    if pa.types.is_floating(kind):  # DuckDB has NaN above all numbers, and Parquet's statistics not
        parts.append(f"not isnan({name})")
    found = parts or [f"{name} is not null"]
    return found[0] if len(found) == 1 else f"({' and '.join(found)})"


def _cuts(axis: Axis) -> list[float]:
    return [*[-inf] * axis.below, *(axis.edges or ()), *[inf] * axis.above]


def _number(value: float) -> str:
    return f"{value:.0f}" if value == round(value) and abs(value) < EXACT else repr(value)


def _dates(axis: Axis, kind: pa.DataType, first: int, last: int) -> str:
    name, word = quoted(axis.column), "date" if pa.types.is_date(kind) else "timestamp"
    if pa.types.is_timestamp(kind) and kind.tz:
        name = f"({name} at time zone {literal(kind.tz)})"
    low = np.datetime64(axis.labels[first]).astype("datetime64[D]")
    end = (np.datetime64(axis.labels[last]) + 1).astype("datetime64[D]")
    return f"({name} >= {word} '{low}' and {name} < {word} '{end}')"


def _value_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind
