"""Answer questions about one column of a row, such as ``report/AA.delay``.

The items of the answer are the same as for the row. The columns of each table are derived from the
column maps that captured writes have stored. For each column that the write made, a map has the
source columns from which it was made. A source may itself come from a captured write.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.answer import Answer, ColumnRole, Influence, TableColumns
from provhouse.model.arrays import ItemNumbers, unique
from provhouse.model.associations import ROW_BITS
from provhouse.model.column_map import ColumnMap
from provhouse.model.errors import NotFound
from provhouse.model.question import Question
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.tables.written import Written, read_written
from provhouse.store.warehouse.layout import Layout

from ..locate import locate_versions

_VALUE = "value"
_Roles = Mapping[str, Mapping[str, frozenset[str]]]
"""The roles of columns, by table and then by column."""


@dataclass(frozen=True)
class AskedColumn:
    """A column of an item that was written by a captured job."""

    item: str
    column: str


def asked_column(snapshot: Snapshot, layout: Layout, question: Question) -> AskedColumn | None:
    """Return the column that a question names instead of an item, or None if it names an item.

    Raises NotFound if the row belongs to a captured write without such a column.
    """
    row, dot, column = question.item.rpartition(".")
    if not dot or question.direction != "upstream" or _stored(snapshot, question.item):
        return None
    if not _stored(snapshot, row):
        return None
    number = locate_versions(snapshot, row).numbers[:1]
    table = snapshot.names.tables(ItemNumbers(number))[0].as_py()
    maps = [each.columns for each in _writes(layout) if each.table == table and each.columns.values]
    if not maps:
        return None
    if not any(column in each.values for each in maps):
        names = sorted({name for each in maps for name in each.values})
        raise NotFound(
            f"The rows of {table} have no column {column!r}",
            f"Their columns are {', '.join(names)}",
            f"Ask about one of them, or about the row {row!r}",
        )
    return AskedColumn(row, column)


def with_columns(answer: Answer, column: str, layout: Layout) -> Answer:
    """Add to the answer about a row the columns from which ``column`` was made, by table."""
    maps = _maps(answer, _writes(layout))
    roles = _composed(answer.table, column, maps)
    read = {table for every in maps.values() for each in every for table in each.tables}
    found = tuple(_table(table, items, roles.get(table, {}), table in read)
                  for table, items in _counts(answer))  # fmt: skip
    return replace(answer, column=column, columns=found)


def _stored(snapshot: Snapshot, item: str) -> bool:
    if int(snapshot.locate(pa.array([item], pa.string()))[0]) >= 0:
        return True
    return bool(snapshot.names.versions(item))


def _writes(layout: Layout) -> Sequence[Written]:
    return list({each.version: each for each in read_written(layout).values()}.values())


def _counts(answer: Answer) -> Iterator[tuple[str, int]]:
    """Yield the tables of an answer, each with its number of items, the nearest tables first."""
    if answer.counts:
        for row in answer.counts.tables.to_pylist():
            yield row["table"] or "", row["items"]
        return
    counts = answer.items.group_by("table", use_threads=False).aggregate([("item", "count")])
    for row in counts.to_pylist():
        yield row["table"] or "", row["item_count"]


def _maps(answer: Answer, writes: Iterable[Written]) -> dict[str, list[ColumnMap]]:
    """Return, by table, the column maps of the writes that have made rows of an answer.

    The items of a summary are not known, so a summary gets the maps of all writes of its tables.
    """
    found = defaultdict[str, list[ColumnMap]](list)
    asked = pa.array(answer.versions or (answer.item,), pa.string())
    texts = pa.chunked_array([asked, answer.items["item"].cast(pa.string()).unique()])
    by_table: dict[str, tuple[set[int], set[int]]] = {}
    for write in writes:
        if write.table not in by_table:
            by_table[write.table] = _versions(texts, write.table)
        versions, files = by_table[write.table]
        if answer.counts or write.version in versions or files.intersection(write.files):
            found[write.table].append(write.columns)
    return found


def _versions(names: pa.ChunkedArray, table: str) -> tuple[set[int], set[int]]:
    """Return the versions in the names of a table's rows, and the file numbers in their row ids."""
    own = names.filter(pc.starts_with(names, f"{table}/"))
    version = pc.extract_regex(own, r"@(?P<n>[0-9]{1,18})$")
    row = pc.extract_regex(own, r"/(?P<n>[0-9]{1,18})$")
    found = [
        unique(np.asarray(pc.struct_field(each.drop_null(), "n").cast(pa.int64())))
        for each in (version, row)
    ]
    return set(found[0].tolist()), set((found[1] >> ROW_BITS).tolist())


def _composed(table: str, column: str, maps: Mapping[str, Sequence[ColumnMap]]) -> _Roles:
    """Return the roles of all columns from which a column was made, through all writes."""
    found = defaultdict[str, defaultdict[str, set[str]]](lambda: defaultdict(set))
    waiting = [(table, column, _VALUE)]
    known = set(waiting)
    while waiting:
        at, name, role = waiting.pop()
        for each in maps.get(at, ()):
            sources = [(*source, role) for source in each.values.get(name, ())]
            sources += each.influences(name)
            for source, of, as_role in sources:
                found[source][of].add(as_role)
                if (source, of, as_role) not in known:
                    known.add((source, of, as_role))
                    waiting.append((source, of, as_role))
    return {
        name: {column: frozenset(roles) for column, roles in columns.items()}
        for name, columns in found.items()
    }


def _table(
    table: str, items: int, columns: Mapping[str, frozenset[str]], read: bool
) -> TableColumns:
    values = tuple(sorted(name for name, roles in columns.items() if _VALUE in roles))
    influence = tuple(
        Influence(name, tuple(sorted(roles - {_VALUE})))
        for name, roles in sorted(columns.items())
        if roles - {_VALUE}
    )
    known: ColumnRole = "influence" if columns or read else "unknown"
    return TableColumns(table, items, "value" if values else known, values, influence)
