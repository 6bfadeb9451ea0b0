"""Choose the columns to show if the user names none."""

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.errors import ProvhouseError

from .binning import bars

MOST = 8
MOST_OF = {"date": 2, "text": 3}
"""The maximum number of columns of one kind, as long as columns of other kinds are left."""
TRIED = 40
FEWEST_ROWS = 50
"""In tables with fewer rows, a column whose values all differ is still shown."""


def guessed(table: pa.Table) -> list[str]:
    """Return up to eight columns that can be shown, in order, of different kinds if possible.

    Columns with a single value are left out. In tables of at least ``FEWEST_ROWS`` rows, columns
    that look like identifiers are left out too: strings with more distinct values than half the
    number of rows, and integers that all differ.
    """
    kinds = {name: kind for name in dict.fromkeys(table.column_names[:TRIED])
             if (kind := _kind(table, name))}  # fmt: skip
    seen = dict.fromkeys(kinds.values(), 0)
    first: list[str] = []
    later: list[str] = []
    for name, kind in kinds.items():
        (first if seen[kind] < MOST_OF.get(kind, MOST) else later).append(name)
        seen[kind] += 1
    chosen = sorted(first, key=lambda name: kinds[name] not in MOST_OF)[:MOST]
    chosen += later[: MOST - len(chosen)]
    return [name for name in kinds if name in chosen]


def _kind(table: pa.Table, name: str) -> str:
    """Return the kind of a column's bars; empty if it cannot have bars that are informative."""
    try:
        (axis,) = bars(table, name).axes
    except ProvhouseError:
        return ""
    return axis.kind if _varies(table.column(name)) else ""


def _varies(values: pa.ChunkedArray) -> bool:
    distinct: int = pc.count_distinct(values, mode="only_valid").as_py()
    if len(values) < FEWEST_ROWS:
        return distinct > 1
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if pa.types.is_integer(kind):
        return 1 < distinct < len(values)
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return distinct > 1 and not (is_text and distinct > len(values) / 2)
