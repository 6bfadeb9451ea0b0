"""The tables whose last write by a captured job ran without capture.

The rows are only information for people: ``provhouse status`` shows them. When a later write to a
table is captured, the table's row is removed. Any process may change the rows without the writer's
lock.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ..warehouse.layout import Layout
from .registry import UNCAPTURED, read, replace


@dataclass(frozen=True)
class Uncaptured:
    """A write that ran without capture."""

    table: str
    run: str
    written: str
    """The time when the block ended, in ISO 8601 and UTC."""
    reason: str


def note_uncaptured(layout: Layout, writes: Iterable[Uncaptured]) -> None:
    """Store, for each table, the last write that ran without capture."""
    last = {write.table: asdict(write) for write in writes}
    rows = pa.Table.from_pylist([*last.values()], schema=UNCAPTURED.schema)
    replace(layout, UNCAPTURED, _of(last), rows)


def note_captured(layout: Layout, tables: Iterable[str]) -> None:
    """Remove the rows of the given tables, because their last write was captured."""
    replace(layout, UNCAPTURED, _of(tables))


def uncaptured(layout: Layout) -> list[Uncaptured]:
    """Return, by table, the last write of each table if that write ran without capture.

    Raises Damaged if the writes are unreadable.
    """
    writes = (Uncaptured(**row) for row in read(layout, UNCAPTURED).to_pylist())
    return sorted(writes, key=lambda write: write.table)


def _of(tables: Iterable[str]) -> pc.Expression:
    return pc.field("table").isin(pa.array([*tables], pa.string()))
