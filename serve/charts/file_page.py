"""The page of a file, which saves selections as traces in a folder."""

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from provhouse.interactive.charts.file_records import FileRecords
from provhouse.interactive.charts.saved_selection import item, write_selection
from provhouse.model.errors import UsageError

from .page_content import Page, Ranges

_NAME = re.compile(r"[\w.+-]{1,64}")


@dataclass
class FilePage(Page):
    """The records of one file and their views.

    ``ingest`` is called with the path of each saved trace. ``command`` is the shell command that
    runs provhouse. ``link`` takes an item and returns the URL of a page that shows the item's
    lineage, or an empty string if no server runs.
    """

    records: FileRecords
    folder: Path
    """The folder for saved selections."""
    key: str | None = None
    ingest: Callable[[Path], None] | None = None
    command: str = "provhouse"
    link: Callable[[str], str] = lambda item: ""

    def describe(self) -> dict[str, Any]:
        """Return the page's constant data: what does not change while the page is open."""
        return {**super().describe(), "warehouse": self.ingest is not None}

    def save(self, brushes: Mapping[str, Ranges], name: str) -> dict[str, Any]:
        """Write the trace of a selection to the folder, and ingest it if ``ingest`` is set.

        Raises UsageError for an unsuitable name, and any error of writing or ingesting.
        """
        check_name(name)
        began = perf_counter()
        rows = self.selected(brushes, None, self.views.rows)
        file = self.folder / f"{name}.parquet"
        write_selection(self.records, rows, name, self.described(brushes), file, self.key)
        if self.ingest:
            self.ingest(file)
        then = f"lineage {item(name)}" if self.ingest else f"ingest {shlex.quote(str(file))}"
        return {
            "file": str(file),
            "item": item(name),
            "records": len(rows),
            "ingested": self.ingest is not None,
            "next": f"{self.command} {then}",
            "link": self.link(item(name)) if self.ingest else "",
            "seconds": round(perf_counter() - began, 3),
        }


def check_name(name: str) -> None:
    """Raise UsageError if ``name`` is not a valid name for a selection."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            "The name of the selection is not suitable",
            f"It is {name!r}",
            "Use up to 64 letters, digits and the characters _ . + -",
        )
