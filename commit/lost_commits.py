"""Use the log of writers to find generations whose commit records were deleted.

A killed writer may leave data without a commit record, and the next writer removes this data. If a
commit record is deleted, the data of its generation looks like such leftovers. The log prevents the
next writer from removing this data too.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from provhouse.model.errors import Damaged
from provhouse.store.warehouse.at_address import working_folder
from provhouse.store.warehouse.commits import generations
from provhouse.store.warehouse.ids import read_ids
from provhouse.store.warehouse.layout import Layout

from .writer_log import log_event, log_files

LOST = "lost generation"
"""The prefix of the log event that records that a generation is known to be lost."""


def lost_generations(layout: Layout) -> list[int]:
    """Return the generations that were once current and have no record, but were not pruned.

    After a restore from a backup, the warehouse's ids are those of the backup too, so nothing
    counts as lost. Neither does anything of a warehouse at an address: its manifest lists the
    records, and the log of this machine names generations that were never published.
    """
    if working_folder(layout.root):
        return []
    held = generations(layout)
    if not held:
        return []
    ids = read_ids(layout)
    seen, known = set[int](), set[int]()
    for entry in _entries(layout):
        event, number = str(entry.get("event")), entry.get("generation")
        if event.startswith(LOST):
            known.add(int(event.removeprefix(LOST)))
        elif isinstance(number, int):
            seen.add(number)
    return sorted(n for n in seen - known - {*held} if ids.pruned < n < ids.generation)


def refuse_lost(layout: Layout) -> None:
    """Raise Damaged if the newest generation has lost its record.

    Otherwise, a writer would remove this generation.
    """
    held = generations(layout)
    if not held or read_ids(layout).generation == held[-1] + 1:  # the newest record exists
        return
    lost = [number for number in lost_generations(layout) if number > held[-1]]
    if lost:
        raise Damaged(*lost_record(layout, lost[-1]))


def lost_record(layout: Layout, number: int) -> tuple[str, str, str]:
    """Return the problem, the cause and the remedy to report for a lost record."""
    return (
        f"The commit record of generation {number} is missing",
        f"{layout.logs}/writers.jsonl shows that it was current, and it was not pruned",
        f"Restore {layout.commits}/{number}.json from a backup. If there is none, run `provhouse "
        "repair`, which removes what only this generation shows, then ingest its files again",
    )


def note_lost(layout: Layout, lost: list[int]) -> None:
    """Log that the lost generations were reported, so that they are not reported again."""
    for number in lost:
        log_event(layout, f"{LOST} {number}", "")


def _entries(layout: Layout) -> Iterator[dict[str, Any]]:
    for line in _lines(layout):
        with suppress(ValueError):  # a line that was cut off
            entry = json.loads(line)
            if isinstance(entry, dict):
                yield entry


def _lines(layout: Layout) -> Iterator[str]:
    for file in log_files(layout):
        with suppress(OSError):  # a log that only another user can read
            yield from file.read_text(encoding="utf-8", errors="replace").splitlines()
