"""The table of pinned files: where the rows of captured sources and writes are, in which state.

It belongs to the warehouse, not to a generation. Each Parquet file in the folder ``pins`` has the
files that one ingest has seen for the first time, or in another state.
"""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.errors import Damaged
from provhouse.runtime.files import make_folder, sync_file, sync_folder

from .layout import Layout
from .locks import check_lock

PINS = pa.schema(
    [
        ("table", pa.string()),
        ("key", pa.list_(pa.string())),
        ("path", pa.string()),
        ("bytes", pa.int64()),
        ("changed", pa.int64()),
    ]
)


@dataclass(frozen=True)
class Pin:
    """A file with rows of a table, in the state in which a captured job read or wrote it."""

    table: str
    key: tuple[str, ...]
    """The columns that name its rows; empty for rows that are named by row ids."""
    path: Path
    bytes: int
    changed: int
    """When the file was last changed, in milliseconds."""

    def difference(self) -> str:
        """Return how the file differs from this state now; an empty text if it does not."""
        try:
            found = os.stat(self.path)
        except OSError:
            return "gone"
        same = (found.st_size, found.st_mtime_ns // 1_000_000) == (self.bytes, self.changed)
        return "" if same else "changed"


def read_pins(layout: Layout, tables: Collection[str] | None = None) -> list[Pin]:
    """Return the pinned files of these tables, or all, the latest last; raise Damaged."""
    found = pa.concat_tables([PINS.empty_table(), *map(_read, sorted(_files(layout)))])
    if tables is not None:
        found = found.filter(pc.is_in(found["table"], pa.array([*tables], pa.string())))
    return [
        Pin(**{**row, "key": tuple(row["key"]), "path": Path(row["path"])})
        for row in found.to_pylist()
    ]


def add_pins(layout: Layout, pins: Collection[Pin]) -> None:
    """Store the pinned files whose state is new.

    Only the single writer may call this. Raises Busy if another writer has taken the lock.
    """
    latest = {(pin.table, pin.path): pin for pin in read_pins(layout, {pin.table for pin in pins})}
    new = [pin for pin in pins if latest.get((pin.table, pin.path)) != pin]
    if not new:
        return
    make_folder(layout.pins)
    number = max((int(path.stem) for path in _files(layout)), default=0) + 1
    path = layout.pins / f"{number:016d}.parquet"
    aside = path.with_name(f"{path.name}.new")
    rows = [{**vars(pin), "key": [*pin.key], "path": str(pin.path)} for pin in new]
    pq.write_table(pa.Table.from_pylist(rows, schema=PINS), aside, compression="zstd")
    sync_file(aside)
    check_lock(layout)
    os.replace(aside, path)
    sync_folder(layout.pins)


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
