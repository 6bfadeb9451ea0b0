"""The table of pinned files: files whose rows captured jobs read or wrote, with their states.

An ingest adds files that are new or have a new state.
"""

import os
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ..warehouse.layout import Layout
from .registry import PINS, append, read


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
        """Return "gone" or "changed" if the file no longer has this state, else an empty string."""
        try:
            found = os.stat(self.path)
        except OSError:
            return "gone"
        same = (found.st_size, found.st_mtime_ns // 1_000_000) == (self.bytes, self.changed)
        return "" if same else "changed"


def read_pins(layout: Layout, tables: Collection[str] | None = None) -> list[Pin]:
    """Return the pinned files of the given tables, or of all tables, in order of addition.

    Raises Damaged if the table of pinned files cannot be read.
    """
    wanted = None if tables is None else pc.field("table").isin(pa.array([*tables], pa.string()))
    pins = [
        Pin(**{**row, "key": tuple(row["key"]), "path": Path(row["path"])})
        for row in read(layout, PINS, where=wanted).to_pylist()
    ]
    return [*dict.fromkeys(reversed(pins))][::-1]  # of pins with the same state, keep the latest


def add_pins(layout: Layout, pins: Collection[Pin]) -> None:
    """Store those pins whose file is new, has a new state, or has a newly found range of keys.

    Only the single writer may call this. Raises Busy if another writer has taken the lock.
    """
    latest = {(pin.table, pin.path): pin for pin in read_pins(layout, {pin.table for pin in pins})}
    new = [pin for pin in pins if _is_new(pin, latest.get((pin.table, pin.path)))]
    rows = [{**vars(pin), "key": pin.key, "path": str(pin.path)} for pin in new]
    append(layout, PINS, pa.Table.from_pylist(rows, schema=PINS.schema))


def _is_new(pin: Pin, known: Pin | None) -> bool:
    return known != pin or (known.low is None and pin.low is not None)
