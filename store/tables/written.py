"""The table of captured writes, which records the files of each version of a table's rows.

A version keeps its number permanently, whatever happens to its generation later.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.column_map import NO_COLUMNS, ColumnMap, column_map

from ..warehouse.layout import Layout
from .delta_log import TableState
from .registry import WRITTEN, append, read, state_of


@dataclass(frozen=True)
class RowTracking:
    """The table's own ids of a write's rows, which identify rows that were moved to other files."""

    column: str
    """The name of the ids of moved rows, which differs from table to table.

    For Delta, it is the name of their column.
    """
    commits: tuple[int, ...]
    """For each file, the version of the Delta table that added it."""
    first_rows: tuple[int, ...]
    """For each file, the id of its first row. The ids of the other rows follow it."""


@dataclass(frozen=True)
class Written:
    """One captured write of a table."""

    table: str
    version: int
    """The number of the write's first file. A later write has a higher version."""
    key: tuple[str, ...]
    """The columns that name the rows of the write; empty if row ids name them."""
    files: tuple[int, ...]
    """The numbers of the write's files, in the order of its rows."""
    run: str
    columns: ColumnMap = NO_COLUMNS
    path: str = ""
    """The folder of the table, or another string that identifies the table.

    It is empty in records of earlier releases.
    """
    replaces: bool = False
    """Whether the write has removed all other rows of the table."""
    bare: int = 0
    """The number of the write's rows that derive from no row. No items are stored for them."""
    after: int = 0
    """The generation that was current when the write got its version. Later generations show it."""
    tracking: RowTracking | None = None
    """The ids that identify rows that Delta has moved; None without row tracking."""
    stored: tuple[str, ...] = ()
    """The names of the key's columns in the files, if they differ from ``key``."""
    states: tuple[tuple[int, int], ...] = ()
    """The size of each file in bytes, and the time of its last change, in milliseconds.

    Both are missing in records of earlier releases.
    """

    @property
    def columns_in_files(self) -> tuple[str, ...]:
        """The names of the key's columns in the files."""
        return self.stored or self.key

    @property
    def suffix(self) -> str:
        """The suffix in the names of the write's rows; empty without a key."""
        return f"@{self.version}" if self.key else ""


def read_written(layout: Layout) -> dict[int, Written]:
    """Return the write that made each file, by the file's number.

    Raises Damaged if the table is unreadable.
    """
    return {number: write for write in read_since(layout, 0) for number in write.files}


def add_written(layout: Layout, writes: Sequence[Written]) -> None:
    """Store writes. Only the single writer may call this; raises Busy if another took the lock."""
    rows = [{**asdict(each), "columns": json.dumps(asdict(each.columns))} for each in writes]
    append(layout, WRITTEN, pa.Table.from_pylist(rows, schema=WRITTEN.schema))


def read_since(layout: Layout, version: int) -> list[Written]:
    """Return, in order, the writes with this or a later version.

    Raises Damaged if the table is unreadable.
    """
    return [*_since(layout, version, state_of(layout, WRITTEN))]


@lru_cache(maxsize=4)
def _since(layout: Layout, version: int, state: TableState) -> tuple[Written, ...]:
    """Return the writes with this or a later version; ``state`` is the state of the table.

    The writes are cached, because a question about an overwritten row needs all later writes, and
    their number grows every night.
    """
    rows = read(layout, WRITTEN, where=pc.field("version") >= version)
    return tuple(map(_written, rows.sort_by("version").to_pylist()))


def _written(row: Mapping[str, Any]) -> Written:
    """Return the write that a row describes. Rows of earlier releases lack some values."""
    found = {name: value for name, value in row.items() if value is not None}
    found |= {name: tuple(found.get(name, ())) for name in ("key", "files", "stored")}
    found["states"] = tuple((size, changed) for size, changed in found.get("states", ()))
    found["columns"] = _columns(found.get("columns", "{}"))
    if tracking := found.get("tracking"):
        commits, first_rows = tuple(tracking["commits"]), tuple(tracking["first_rows"])
        found["tracking"] = RowTracking(tracking["column"], commits, first_rows)
    return Written(**found)


@lru_cache(maxsize=256)
def _columns(text: str) -> ColumnMap:
    """Return the map in a JSON string, from a cache, because most jobs repeat every night."""
    return column_map(json.loads(text))
