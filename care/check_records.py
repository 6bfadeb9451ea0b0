"""Check the commit records and the next free ids."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from provhouse.commit.lost_commits import lost_generations, lost_record
from provhouse.model.columns import INGEST, ORIGIN, SET
from provhouse.model.errors import Damaged, NotFound
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit, generations, read_commit
from provhouse.store.warehouse.ids import read_ids
from provhouse.store.warehouse.layout import Layout

from .damage_report import RESTORE_FILE, RESTORE_FOLDER, Damage


def record_damages(layout: Layout, counts: Counter[str]) -> Iterator[Damage]:
    """Yield a `Damage` for each unreadable or lost record, missing base, or wrong next free id."""
    numbers = generations(layout)
    counts["generations"] = len(numbers)
    for number in numbers:
        try:
            yield from _commit_damages(layout, number, read_commit(layout, number))
        except NotFound:  # just pruned
            continue
        except Damaged as error:
            yield Damage(f"commit {number}", error.wanted, error.found, error.remedy)
    try:
        for number in lost_generations(layout):
            yield Damage(f"commit {number}", *lost_record(layout, number))
        yield from _id_damages(layout, numbers)
    except Damaged as error:
        yield Damage("ids", error.wanted, error.found, error.remedy)


def _commit_damages(layout: Layout, number: int, commit: Commit) -> Iterator[Damage]:
    where = f"commit {number}"
    if commit.generation != number:
        wanted = f"Record {number} belongs to another generation"
        yield Damage(where, wanted, f"It belongs to generation {commit.generation}", RESTORE_FILE)
    if not layout.base(commit.base).is_dir():
        wanted = f"Base {commit.base} is missing"
        yield Damage(
            where, wanted, f"There is no folder {layout.base(commit.base)}", RESTORE_FOLDER
        )


def _id_damages(layout: Layout, numbers: list[int]) -> Iterator[Damage]:
    """Yield a `Damage` for each kind of id whose next free id does not exceed all used ids."""
    ids = read_ids(layout)
    used = {"generation": max(numbers, default=0)}
    with suppress(Damaged, IndexError):  # damage is reported elsewhere; no generation is fine
        snapshot = Snapshot(layout, read_commit(layout, numbers[-1]))
        used["base"] = snapshot.commit.base
        used["ingest"] = int(np.max(snapshot.rows("ingests", [INGEST])[INGEST], initial=0))
        used["set"] = int(np.max(snapshot.rows("sets", [SET])[SET], initial=0))
        used["origin"] = int(np.max(snapshot.rows("origins", [ORIGIN])[ORIGIN], initial=0))
        used["item"] = max((span.first + span.items - 1 for span in snapshot.spans), default=0)
    for kind, highest in used.items():
        if (free := getattr(ids, kind)) <= highest:
            yield Damage(
                "ids",
                f"The next free {kind} must be above {highest:,}",
                f"{layout.ids} has {free:,}",
                RESTORE_FILE,
            )
