"""The table of captured writes, which records the files of each version of a table's rows.

Like the table of files, it belongs to the warehouse, not to a generation: a version keeps its
number permanently. Each write is a file in the folder ``written``, named after its version.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from provhouse.model.column_map import NO_COLUMNS, ColumnMap, column_map
from provhouse.model.errors import Damaged
from provhouse.runtime.files import make_folder, write_new

from .json_records import write_record
from .layout import Layout


@dataclass(frozen=True)
class RowTracking:
    """Delta's own numbers of the rows of a write, which find rows that moved to other files."""

    column: str
    """The column with the ids of moved rows. Its name differs from table to table."""
    commits: tuple[int, ...]
    """The version of the table that has added each file."""
    first_rows: tuple[int, ...]
    """The id of the first row of each file; the ids of its other rows follow."""


@dataclass(frozen=True)
class Written:
    """One captured write of a table."""

    table: str
    version: int
    """The number of the first of its files. A later write has a higher version."""
    key: tuple[str, ...]
    """The columns that name its rows; empty if row ids name them."""
    files: tuple[int, ...]
    """The numbers of its files, in the order of its rows."""
    run: str
    columns: ColumnMap = NO_COLUMNS
    path: str = ""
    """The folder of the table, or another text that identifies it; empty in records of earlier
    releases."""
    replaces: bool = False
    """Whether the write has removed all other rows of the table."""
    bare: int = 0
    """The number of its rows that derive from no row, so that no item is stored for them."""
    after: int = 0
    """The current generation when the write got its version; later generations show it."""
    tracking: RowTracking | None = None
    """The numbers that find rows which Delta has moved; None without row tracking."""
    stored: tuple[str, ...] = ()
    """The names of the key's columns in the files, if they differ from ``key``."""
    states: tuple[tuple[int, int], ...] = ()
    """The size of each file in bytes, and the time of its last change, in milliseconds.

    It is empty in records of earlier releases."""

    @property
    def columns_in_files(self) -> tuple[str, ...]:
        """The names of the key's columns in the files."""
        return self.stored or self.key

    @property
    def suffix(self) -> str:
        """The suffix of the names of its rows; empty without a key."""
        return f"@{self.version}" if self.key else ""


def read_written(layout: Layout) -> dict[int, Written]:
    """Return the write of each file, by the file's number; raise Damaged if one is unreadable."""
    return {number: write for write in _all(layout) for number in write.files}


def add_written(layout: Layout, write: Written) -> None:
    """Store a write. Only the single writer may call this; raises Busy if another took the lock."""
    make_folder(layout.written)
    path = layout.written / f"{write.version:016d}.json"
    write_record(layout, path, asdict(write), lambda: None, write_new)


def read_since(layout: Layout, version: int) -> list[Written]:
    """Return the writes from a version on, in order; raise Damaged if one is unreadable."""
    return list(_all(layout, version))


def _all(layout: Layout, since: int = 0) -> Iterator[Written]:
    for path in sorted(layout.written.glob("[0-9]*.json")):
        if int(path.stem) < since:
            continue
        yield _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4096)
def _read(path: Path, changed: int) -> Written:
    """Return a write; ``changed`` tells its record from the record of a warehouse made again.

    Reads are cached: a question for an overwritten row needs all later writes, and their number
    grows every night.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        key, files = tuple(found["key"]), tuple(found["files"])
        stored = tuple(found.get("stored", ()))
        states = tuple((size, changed) for size, changed in found.get("states", ()))
        columns = column_map(found.get("columns", {}))
        tracking = _tracking(found.get("tracking"))
        return Written(
            **{
                **found,
                "key": key,
                "files": files,
                "columns": columns,
                "tracking": tracking,
                "stored": stored,
                "states": states,
            }
        )
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise Damaged(
            f"Cannot read the record of a captured write {path}",
            repr(error),
            "Restore the file from a backup",
        ) from error


def _tracking(found: Mapping[str, Any] | None) -> RowTracking | None:
    if found is None:
        return None
    return RowTracking(found["column"], tuple(found["commits"]), tuple(found["first_rows"]))
