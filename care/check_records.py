"""The commit records, and the ids that are taken."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from provhouse.model.columns import INGEST, ORIGIN, SET
from provhouse.model.errors import Damaged, NotFound
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit, generations, read_commit
from provhouse.store.warehouse.ids import read_ids
from provhouse.store.warehouse.layout import Layout

from .report import RESTORE_FILE, Damage


def record_damages(layout: Layout, counts: Counter[str]) -> Iterator[Damage]:
    """Every record can be read and names a base that is there; no id in use is given again."""
    numbers = generations(layout)
    counts["generations"] = len(numbers)
    for number in numbers:
        try:
            yield from _commit_damages(layout, number, read_commit(layout, number))
        except NotFound:  # pruned meanwhile
            continue
        except Damaged as error:
            yield Damage(f"commit {number}", error.wanted, error.found, error.remedy)
    try:
        yield from _id_damages(layout, numbers)
    except Damaged as error:
        yield Damage("ids", error.wanted, error.found, error.remedy)


def _commit_damages(layout: Layout, number: int, commit: Commit) -> Iterator[Damage]:
    where = f"commit {number}"
    if commit.generation != number:
        wanted = f"The record {number} should be that of generation {number}"
        yield Damage(where, wanted, f"It is that of {commit.generation}", RESTORE_FILE)
    if not layout.base(commit.base).is_dir():
        wanted = f"Base {commit.base} should lie in {layout.base(commit.base)}"
        yield Damage(where, wanted, "There is no such folder", "Bring it back from a backup")


def _id_damages(layout: Layout, numbers: list[int]) -> Iterator[Damage]:
    """The next free ids are higher than all that are in use."""
    ids = read_ids(layout)
    used = {"generation": max(numbers, default=0)}
    with suppress(Damaged, IndexError):  # damage is told elsewhere; else nothing is held
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
                f"The next free {kind} should be above {highest:,}",
                f"{layout.ids} says {free:,}",
                RESTORE_FILE,
            )
