"""Reports of commands that have finished, for the page of the server: the newest of each kind.

No answer depends on them, so they need no lock, and a lost one makes nothing wrong.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Literal

from provhouse.model.errors import Unavailable
from provhouse.runtime.files import make_folder, write_new

from .layout import Layout

Kind = Literal["blame", "capture"]
KEPT = 50
"""The number of reports of each kind that are kept."""
PRIVATE = 0o600
"""The mode of a report: it may have values of records, so only its owner can read it."""


def keep_report(layout: Layout, kind: Kind, report: Mapping[str, object]) -> None:
    """Keep a report, which JSON can have, and remove the oldest. Do nothing if it cannot be
    written: the command itself has succeeded.
    """
    now = datetime.now(UTC)
    content = json.dumps({"time": now.isoformat(timespec="seconds"), **report}, default=str)
    with suppress(OSError, Unavailable):
        make_folder(layout.reports)
        path = layout.reports / f"{kind}-{now:%Y%m%dT%H%M%S.%f}.json"
        write_new(path, content.encode(), mode=PRIVATE)
        for old in sorted(layout.reports.glob(f"{kind}-*.json"))[:-KEPT]:
            old.unlink(missing_ok=True)


def read_reports(layout: Layout, kind: Kind) -> list[dict[str, Any]]:
    """Return the reports of a kind, the newest first, without those that cannot be read."""
    found = []
    for path in sorted(layout.reports.glob(f"{kind}-*.json"), reverse=True):
        with suppress(OSError, ValueError):
            found.append({"name": path.stem, **json.loads(path.read_text(encoding="utf-8"))})
    return found


def erase_reports(layout: Layout) -> None:
    """Remove the reports that have values of records. An erasure calls this before it begins."""
    for path in layout.reports.glob("*blame-*.json*"):  # unfinished files too
        path.unlink(missing_ok=True)
