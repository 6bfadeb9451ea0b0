"""The table of pinned files, which have rows that captured jobs read or wrote, and their states.

The table belongs to the warehouse, not to a generation. An ingest adds files that are new, or have
a new state, to the last Parquet file in the folder ``pins``.
"""

import os
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.errors import Damaged

from .added_rows import add_rows, replace_rows
from .layout import Layout

PINS = pa.schema(
    [
        ("table", pa.string()),
        ("key", pa.list_(pa.string())),
        ("path", pa.string()),
        ("bytes", pa.int64()),
        ("changed", pa.int64()),
        ("low", pa.int64()),
        ("high", pa.int64()),
    ]
)


@dataclass(frozen=True)
class Pin:
    """A file with rows of a table, and its state when a captured job read or wrote it."""

    table: str
    key: tuple[str, ...]
    """The columns that name the rows of the file; empty if row ids name them."""
    path: Path
    bytes: int
    changed: int
    """The time when the file was last changed, in milliseconds since 1970."""
    low: int | None = field(default=None, compare=False)
    """The smallest key in the file, if an ingest has found that all keys are distinct integers."""
    high: int | None = field(default=None, compare=False)
    """The largest key in the file, if ``low`` is known."""

    def difference(self) -> str:
        """Return "gone" or "changed" if the file no longer has this state, else an empty text."""
        try:
            found = os.stat(self.path)
        except OSError:
            return "gone"
        same = (found.st_size, found.st_mtime_ns // 1_000_000) == (self.bytes, self.changed)
        return "" if same else "changed"


def read_pins(layout: Layout, tables: Collection[str] | None = None) -> list[Pin]:
    """Return the pinned files of the given tables, or of all tables, the latest last.

    Raises Damaged if the table of pinned files cannot be read.
    """
    found = pa.concat_tables([PINS.empty_table(), *map(_read, sorted(_files(layout)))])
    if tables is not None:
        found = found.filter(pc.is_in(found["table"], pa.array([*tables], pa.string())))
    pins = [
        Pin(**{**row, "key": tuple(row["key"]), "path": Path(row["path"])})
        for row in found.to_pylist()
    ]
    return [*dict.fromkeys(reversed(pins))][::-1]  # of pins with the same state, keep the latest


def add_pins(layout: Layout, pins: Collection[Pin]) -> None:
    """Store those pins whose file is new, or has a new state or a newly known range of keys.

    Only the single writer may call this. Raises Busy if another writer has taken the lock.
    """
    latest = {(pin.table, pin.path): pin for pin in read_pins(layout, {pin.table for pin in pins})}
    new = [pin for pin in pins if _is_new(pin, latest.get((pin.table, pin.path)))]
    if not new:
        return
    rows = [{**vars(pin), "key": [*pin.key], "path": str(pin.path)} for pin in new]
    files = sorted(_files(layout))
    number = int(files[-1].stem) + 1 if files else 1
    path = layout.pins / f"{number:016d}.parquet"
    last = files[-1] if files else None
    add_rows(layout, path, last, pa.Table.from_pylist(rows, schema=PINS))


def _is_new(pin: Pin, known: Pin | None) -> bool:
    return known != pin or (known.low is None and pin.low is not None)


def forget_ranges(layout: Layout) -> None:
    """Remove all ranges of keys, as a part of an erasure: the ends of a range are keys of items.

    Only the single writer may call this. Raises Busy if another writer has taken the lock.
    """
    for aside in layout.pins.glob("*.new"):  # ranges left by a killed writer
        aside.unlink()
    for path in _files(layout):
        rows = _read(path)
        if rows["low"].null_count < len(rows):
            nothing = pa.nulls(len(rows), pa.int64())
            for name in ("low", "high"):
                rows = rows.set_column(PINS.get_field_index(name), PINS.field(name), nothing)
            replace_rows(layout, path, rows)


def _files(layout: Layout) -> list[Path]:
    return [*layout.pins.glob("[0-9]*.parquet")]


def _read(path: Path) -> pa.Table:
    try:
        return pq.read_table(path, schema=PINS)
    except (OSError, pa.ArrowException) as error:
        raise Damaged(
            f"Cannot read the table of pinned files {path}",
            f"Reading it fails: {str(error).splitlines()[0]}",
            "Restore the file from a backup",
        ) from error
