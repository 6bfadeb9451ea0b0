"""The newest reports of each kind of finished command, for the server's web page.

No answer depends on reports, so they need no lock, and a lost report does no harm.
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
"""The number of reports that are kept of each kind."""
PRIVATE = 0o600
"""The file mode of a report: it may contain values of records, so only its owner can read it."""


def keep_report(layout: Layout, kind: Kind, report: Mapping[str, object]) -> None:
    """Store a report, which must be JSON-serializable, and remove the oldest reports.

    If it cannot be written, ignore the error, because the command itself has succeeded.
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
    """Return the readable reports of a kind, the newest first."""
    found = []
    for path in sorted(layout.reports.glob(f"{kind}-*.json"), reverse=True):
        with suppress(OSError, ValueError):
            found.append({"name": path.stem, **json.loads(path.read_text(encoding="utf-8"))})
    return found


def erase_reports(layout: Layout) -> None:
    """Remove reports that may contain values of records. An erasure calls this before it begins."""
    for path in layout.reports.glob("*blame-*.json*"):  # unfinished files too
        path.unlink(missing_ok=True)
