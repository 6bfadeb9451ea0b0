"""JSON records of a warehouse that only its one writer changes: commits, ids, the erasure."""

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
    """Write a record that appears whole or not at all; raises Busy if another writer came.

    The content lies aside, and ``reached`` is called, before the lock is looked at. Another writer
    that has the lock since then removes what lies aside, so that however long this one stands still
    in between, it cannot make its record appear.
    """

    def last() -> None:
        reached()
        check_lock(layout)

    content = json.dumps(record, indent=1).encode()
    if not write(path, content, mode=SHARED, before=last):
        raise Busy(
            f"{path} should be this writer's to write",
            "Another writer has been here meanwhile",
            "Run the command again",
        )


def left_records(folder: Path) -> list[Path]:
    """What was about to become a record in this folder, and was left; other files are not ours."""
    return left_aside(folder, r"(ids|erasure|warehouse|\d+)\.json") if folder.is_dir() else []
