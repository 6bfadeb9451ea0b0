"""Records of tables whose last write by a captured job ran without capture.

The records only inform people: ``provhouse status`` shows them. When a later write to a table is
captured, the table's record is removed.
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
    """The time when the block ended, in ISO 8601 and UTC."""
    reason: str


def note_uncaptured(layout: Layout, writes: Iterable[Uncaptured]) -> None:
    """Store, for each table, the last write that ran without capture."""
    for write in writes:
        make_folder(layout.uncaptured)
        write_over(_path(layout, write.table), json.dumps(asdict(write)).encode())


def note_captured(layout: Layout, tables: Iterable[str]) -> None:
    """Remove the records of these tables, because their last write was captured."""
    for table in tables:
        _path(layout, table).unlink(missing_ok=True)


def uncaptured(layout: Layout) -> list[Uncaptured]:
    """Return, by table, the last write of each table whose last write ran without capture."""
    found = []
    for path in layout.uncaptured.glob("*.json"):
        try:
            found.append(Uncaptured(**json.loads(path.read_text(encoding="utf-8"))))
        except (OSError, ValueError, TypeError):  # another process has just removed the record
            continue
    return sorted(found, key=lambda write: write.table)


def _path(layout: Layout, table: str) -> Path:
    return layout.uncaptured / f"{hashlib.sha256(table.encode()).hexdigest()[:16]}.json"
