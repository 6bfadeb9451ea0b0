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
    """Delta's own ids of a write's rows. They identify rows that have moved to other files."""

    column: str
    """The column that has the ids of moved rows. Its name differs from table to table."""
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
    """The folder of the table, or another text that identifies the table.

    It is empty in records of earlier releases.
    """
    replaces: bool = False
    """Whether the write has removed all other rows of the table."""
    bare: int = 0
    """The number of the write's rows that derive from no row. No item is stored for them."""
    after: int = 0
    """The generation that was current when the write got its version. Later generations show it."""
    tracking: RowTracking | None = None
    """The ids that identify rows that Delta has moved; None without row tracking."""
    stored: tuple[str, ...] = ()
    """The names that the key's columns have in the files, if these differ from ``key``."""
    states: tuple[tuple[int, int], ...] = ()
    """The size of each file in bytes, and the time of its last change, in milliseconds.

    They are missing in records of earlier releases.
    """

    @property
    def columns_in_files(self) -> tuple[str, ...]:
        """The names that the key's columns have in the files."""
        return self.stored or self.key

    @property
    def suffix(self) -> str:
        """The suffix in the names of the write's rows; empty without a key."""
        return f"@{self.version}" if self.key else ""


def read_written(layout: Layout) -> dict[int, Written]:
    """Return the write that made each file, by the file's number.

    Raises Damaged if a record is unreadable.
    """
    return {number: write for write in _all(layout) for number in write.files}


def add_written(layout: Layout, write: Written) -> None:
    """Store a write. Only the single writer may call this; raises Busy if another took the lock."""
    make_folder(layout.written)
    path = layout.written / f"{write.version:016d}.json"
    write_record(layout, path, asdict(write), lambda: None, write_new)


def read_since(layout: Layout, version: int) -> list[Written]:
    """Return, in order, the writes with this or a later version.

    Raises Damaged if a record is unreadable.
    """
    return list(_all(layout, version))


def _all(layout: Layout, since: int = 0) -> Iterator[Written]:
    for path in sorted(layout.written.glob("[0-9]*.json")):
        if int(path.stem) < since:
            continue
        yield _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4096)
def _read(path: Path, changed: int) -> Written:
    """Return the write whose record is at ``path``; ``changed`` is the time of its last change.

    Reads are cached: a question for an overwritten row needs all later writes, and their number
    grows every night. With ``changed``, a record of a warehouse that was deleted and made again is
    not mistaken for an earlier one.
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
