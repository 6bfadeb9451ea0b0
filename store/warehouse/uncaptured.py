"""The tables that a captured job has last written without capture, a record for each.

It is of use to people only: ``provhouse status`` shows it. A later captured write of the table
removes its record.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from provhouse.runtime.files import make_folder, write_over

from .layout import Layout


@dataclass(frozen=True)
class Uncaptured:
    """A write that ran without capture."""

    table: str
    run: str
    written: str
    """When the block ended, in ISO 8601 and UTC."""
    reason: str


def note_uncaptured(layout: Layout, writes: Iterable[Uncaptured]) -> None:
    """Store the last write without capture of each table."""
    for write in writes:
        make_folder(layout.uncaptured)
        write_over(_path(layout, write.table), json.dumps(asdict(write)).encode())


def note_captured(layout: Layout, tables: Iterable[str]) -> None:
    """Remove the records of these tables, whose last write is now a captured one."""
    for table in tables:
        _path(layout, table).unlink(missing_ok=True)


def uncaptured(layout: Layout) -> list[Uncaptured]:
    """Return the tables whose last write has run without capture, by name."""
    found = []
    for path in layout.uncaptured.glob("*.json"):
        try:
            found.append(Uncaptured(**json.loads(path.read_text(encoding="utf-8"))))
        except (OSError, ValueError, TypeError):  # another process has just removed it
            continue
    return sorted(found, key=lambda write: write.table)


def _path(layout: Layout, table: str) -> Path:
    return layout.uncaptured / f"{hashlib.sha256(table.encode()).hexdigest()[:16]}.json"
