"""The records of a warehouse's items for charts: a table whose first column names the items.

The items belong to one table: all its items, or those that are in the lineage or impact of a given
item.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from provhouse.interactive.charts.brush_sql import quoted
from provhouse.model.errors import NotFound, UsageError
from provhouse.model.question import Question
from provhouse.query.lineage.ask import Asker
from provhouse.query.listing.find import find
from provhouse.query.source_records import Record, records_of
from provhouse.store.warehouse.layout import Layout

MOST = 200_000
"""The largest number of records of a page."""


@dataclass(frozen=True)
class ChartedRecords:
    """The records of items that belong to one table. The first column names each record's item."""

    title: str
    name: str
    table: pa.Table
    missing: int
    """The number of items without a record."""

    changed = False
    """Always False, because the record of an item's version never changes."""

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return list(self.table.column_names)

    @property
    def source(self) -> str:
        """The table's name as SQL for DuckDB's FROM clause."""
        return quoted(self.name)


def item_records(asker: Asker, layout: Layout, table: str, question: Question) -> ChartedRecords:
    """Return the records of a table's items that answer ``question``; all if it names no item.

    Raises NotFound if no record is known, UsageError if there are too many, and the errors of
    ``Asker.answer``.
    """
    if question.item:
        items = asker.answer(question).items["item"].to_pylist()
        verb = "that reached" if question.direction == "upstream" else "made from"
        title = f"{table} {verb} {question.item}"
    else:
        found = find(asker.snapshot, "", table=table, limit=2 * MOST)
        if found.truncated:
            raise _too_many(found.matches)
        items, title = newest(found.items["item"].to_pylist()), table
    if len(items) > MOST:
        raise _too_many(len(items))
    (known,) = records_of(layout, {table: items})
    if not known.records:
        raise NotFound(
            f"No record of {table} is known",
            "No file that a captured job read or wrote still has these records unchanged",
            "Choose another table",
        )
    return ChartedRecords(title, table, as_table(known.records), len(known.missing))


def _too_many(number: int) -> UsageError:
    return UsageError(
        f"The charts would show {number:,} records",
        f"The page shows up to {MOST:,}",
        "Limit the depth, or run `provhouse crossfilter FILE`",
    )


def newest(items: Iterable[str]) -> list[str]:
    """Return the items without older versions: only the largest version of each item."""
    last: dict[str, tuple[int, str]] = {}
    for item in items:
        base, _, version = item.rpartition("@")
        of = (base, int(version)) if base and version.isdecimal() else (item, -1)
        last[of[0]] = max(last.get(of[0], (-1, item)), (of[1], item))
    return [item for _, item in last.values()]


def as_table(records: Sequence[Record]) -> pa.Table:
    """Return records as a table; columns with values of different types become strings."""
    names = dict.fromkeys(name for record in records for name in record.values)
    item = next(name for name in ("item", "the item", "the provhouse item") if name not in names)
    columns: dict[str, pa.Array] = {item: pa.array([each.item for each in records], pa.string())}
    for name in names:
        columns[name] = _column([each.values.get(name) for each in records])
    return pa.table(columns)


def _column(values: list[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if each is None else str(each) for each in values], pa.string())
