"""Prune earlier generations: remove them, and all data that only they needed.

The order of the steps makes a prune safe to interrupt:

1. ``ids.json`` records the pruned generations. From then on, these generations no longer exist,
   even after a crash.
2. The commit records of these generations are removed.
3. The bases to which no record refers any more are removed. A base that is still being read is kept
   until the next writer runs.
4. The data of those bases is removed from Neo4j.

The empty file ``unpruned`` exists as long as Neo4j may have pruned content. If the file is missing
and no base was removed, a prune does not start Neo4j.
"""

import time as clock
from dataclasses import dataclass, replace
from datetime import datetime, time
from time import perf_counter

from provhouse.commit.erasing.erase import resume_erasure
from provhouse.commit.lost_commits import refuse_lost
from provhouse.commit.recover import recover
from provhouse.commit.writer_log import writing
from provhouse.cypher.access import is_fresh
from provhouse.cypher.graph import shared_graph
from provhouse.model.errors import Damaged, Unavailable, UsageError
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.model.times import parse_time
from provhouse.store.tables.delta_recovery import remove_merged
from provhouse.store.tables.registry import REGISTRY, RegisteredTable, remove_replaced
from provhouse.store.warehouse.bases import bases, remove_unused
from provhouse.store.warehouse.commits import (
    Commit,
    drop_commits,
    generations,
    nothing_stored,
    read_commit,
)
from provhouse.store.warehouse.ids import Ids, mark_finished, read_ids, take_ids
from provhouse.store.warehouse.layout import Layout, bytes_below
from provhouse.store.warehouse.locks import no_readers

from .prune_graph import prune_graph

_TIME = "--before takes a time in ISO 8601"
PATIENCE = 3.0
"""The seconds to wait for readers of an unused base, before it is left to the next writer."""


@dataclass(frozen=True)
class Pruned:
    """The result of a prune, with counts of the removed generations, bases and bytes."""

    generation: int
    """The current generation."""
    first: int
    """The first generation kept."""
    pruned: int
    """The number of generations removed."""
    bases: tuple[int, ...]
    """The numbers of the bases that were removed."""
    in_use: tuple[int, ...]
    """The numbers of unused bases that are still being read, and that the next writer removes."""
    bytes_freed: int
    seconds: float


def prune(
    settings: Settings,
    progress: Progress,
    *,
    keep: int | None = None,
    before: str | None = None,
    covering: datetime | None = None,
) -> Pruned:
    """Keep only the last ``keep`` generations, or those committed at or after ``before``.

    With ``covering``, keep those that questions as of this time or later need. The current
    generation is always kept. Raises UsageError unless exactly one of the three is given, NotFound
    if nothing was ever ingested, and Busy if another writer is active.
    """
    began = perf_counter()
    if [keep, before, covering].count(None) != 2 or (keep is not None and keep < 1):
        wanted = "Prune takes either a number of generations to keep, at least 1, or a time"
        raise UsageError(wanted, f"Given: keep {keep}, before {before}")
    layout = Layout(settings.warehouse)
    if not generations(layout):  # before the lock creates the folder
        raise nothing_stored(layout)
    with writing(layout, settings.wait_seconds, progress):
        sizes = {base: bytes_below(layout.base(base)) for base in bases(layout)}
        refuse_lost(layout)
        recover(layout)
        progress.begin("Remove pruned generations")
        held = generations(layout)
        gone = (
            held[:-keep] if keep
            else uncovered(layout, held, covering) if covering
            else _before(layout, held, parse_time(str(before), _TIME, time.min))
        )  # fmt: skip
        ids = read_ids(layout)
        if gone:
            layout.unpruned.touch()
            ids = replace(ids, pruned=gone[-1])
            take_ids(layout, ids)
            drop_commits(layout, ids.pruned)
        in_use = _remove_unused(layout)
        merged = _remove_merged(layout)
        merged += sum(_remove_replaced(layout, table) for table in REGISTRY)
        mark_finished(layout)
        resume_erasure(settings, progress)  # after pruning, which frees disk space for it
        removed = tuple(sorted(sizes.keys() - set(bases(layout))))
        behind = removed or layout.unpruned.exists()
        if behind and _prune_graph(settings, layout, ids, progress) and not in_use:
            layout.unpruned.unlink(missing_ok=True)
    return Pruned(
        generation=held[-1],
        first=held[len(gone)],
        pruned=len(gone),
        bases=removed,
        in_use=tuple(in_use),
        bytes_freed=sum(sizes[base] for base in removed) + merged,
        seconds=perf_counter() - began,
    )


def uncovered(layout: Layout, numbers: list[int], then: datetime) -> list[int]:
    """Return the generations that questions as of a time, or as of any later time, do not need.

    The last generation before this time was current at this time, so it is needed. A rollback needs
    the generation that it returns to, which is two before the current one after old versions have
    ended.
    """
    back = read_commit(layout, numbers[-1]).rolls_back_to or numbers[-1]
    return [number for number in _before(layout, numbers, then)[:-1] if number < back]


def _before(layout: Layout, numbers: list[int], then: datetime) -> list[int]:
    """Return the generations committed before a time, without the current one."""
    gone = []
    for number in numbers[:-1]:
        if datetime.fromisoformat(read_commit(layout, number).time) >= then:
            break
        gone.append(number)
    return gone


def _remove_unused(layout: Layout) -> list[int]:
    """Remove unused bases, and wait briefly for readers; return the bases still being read."""
    until = perf_counter() + PATIENCE
    while (in_use := remove_unused(layout)) and perf_counter() < until:
        clock.sleep(0.1)
    return in_use


def _remove_merged(layout: Layout) -> int:
    """Remove merged files that only pruned generations use; return their size in bytes.

    Merged files of a base that is being read are kept until the next prune.
    """
    oldest = dict[int, Commit]()
    try:
        for number in generations(layout):
            commit = read_commit(layout, number)
            oldest.setdefault(commit.base, commit)
    except Damaged:  # reported by any command that needs that record
        return 0
    freed = 0
    for base, commit in oldest.items():
        with no_readers(layout, base) as unread:
            freed += remove_merged(layout, commit) if unread else 0
    return freed


def _remove_replaced(layout: Layout, table: RegisteredTable) -> int:
    try:
        return remove_replaced(layout, table)
    except Damaged:  # reported by `check`, and by any command that reads the table
        return 0


def _prune_graph(settings: Settings, layout: Layout, ids: Ids, progress: Progress) -> bool:
    """Prune Neo4j, and return whether this succeeded.

    If Neo4j is unavailable, for instance because of a full disk, this is not an error: the next
    prune tries again.
    """
    if is_fresh(settings):
        return True
    try:
        with shared_graph(layout.warehouse_id(), settings, progress) as graph:
            progress.begin("Remove pruned generations from Neo4j")
            prune_graph(graph, layout, ids)
    except Unavailable as error:
        progress.say(
            "Neo4j still has the pruned generations. They do no harm, and the next prune removes "
            f"them. Cause: {error.found}"
        )
        return False
    return True
