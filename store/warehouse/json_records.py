"""JSON records that only the single writer changes: commits, ids, and erasures in progress."""

import json
from collections.abc import Callable
from pathlib import Path

from provhouse.model.errors import Busy
from provhouse.runtime.files import left_aside, write_over

from .layout import SHARED, Layout
from .locks import check_lock


def write_record(
    layout: Layout,
    path: Path,
    record: object,
    reached: Callable[[], None],
    write: Callable[..., bool] = write_over,
) -> None:
    """Write a record completely or not at all; raise Busy if another writer has the lock.

    First, the content is written to a temporary file and ``reached`` is called. Only then is the
    lock checked. A writer that takes the lock later removes the temporary file. Therefore a process
    that was suspended after the check cannot publish its record when another writer has already
    begun.
    """

    def last() -> None:
        reached()
        check_lock(layout)

    content = json.dumps(record, indent=1).encode()
    if not write(path, content, mode=SHARED, before=last):
        raise Busy(
            f"Cannot write {path}",
            "Another writer changed the warehouse meanwhile",
            "Run the command again",
        )


def left_records(folder: Path) -> list[Path]:
    """Return the temporary files that remain in a folder after a writer of records was killed."""
    return left_aside(folder, r"(ids|erasure|warehouse|\d+)\.json") if folder.is_dir() else []
