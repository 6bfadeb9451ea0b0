"""Earlier generations are no longer kept, and what only they needed goes.

In this order: ``ids.json`` says which generations go, and from then on they do, whatever crashes;
their commit records; bases that no record names any more; at last what Neo4j has of those. A base
that is still read stays until the next writer comes by. While Neo4j may have what is no longer kept
there is an empty file ``unpruned``; without it no prune starts Neo4j for nothing.
"""

import time as clock
from dataclasses import dataclass, replace
from datetime import datetime, time
from time import perf_counter

from provhouse.commit.erasing.erase import resume_erasure
from provhouse.commit.recover import recover
from provhouse.commit.writer_log import writing
from provhouse.cypher.graph import shared_graph
from provhouse.cypher.server import is_fresh
from provhouse.model.errors import Unavailable, UsageError
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.model.times import parse_time
from provhouse.store.warehouse.bases import bases, remove_unused
from provhouse.store.warehouse.commits import (
    drop_commits,
    generations,
    nothing_stored,
    read_commit,
)
from provhouse.store.warehouse.ids import Ids, mark_finished, read_ids, take_ids
from provhouse.store.warehouse.layout import Layout, bytes_below

from .prune_graph import prune_graph

PATIENCE = 3.0
"""Seconds after which a reader that lives longer than a question keeps its base."""


@dataclass(frozen=True)
class Pruned:
    """What went, and what is still there."""

    generation: int
    """The current one."""
    first: int
    """The first one that is kept."""
    pruned: int
    """How many generations went."""
    bases: tuple[int, ...]
    """Bases that went."""
    in_use: tuple[int, ...]
    """Bases that will go once nobody reads them."""
    bytes_freed: int
    seconds: float


def prune(
    settings: Settings, progress: Progress, *, keep: int | None = None, before: str | None = None
) -> Pruned:
    """Keep the last generations only, or those that were not committed ``before`` a time.

    The current one always stays. Raises UsageError unless one of both is given, NotFound where
    nothing was ever ingested, Busy beside another writer.
    """
    began = perf_counter()
    if (keep is None) == (before is None) or (keep is not None and keep < 1):
        wanted = "Either how many generations shall be kept, at least 1, or a time should be given"
        raise UsageError(wanted, f"Given is: keep {keep}, before {before}")
    layout = Layout(settings.warehouse)
    _check_held(layout)  # before a lock makes the folder
    with writing(layout):
        sizes = {base: bytes_below(layout.base(base)) for base in bases(layout)}
        recover(layout)
        progress.begin("Remove what is no longer kept")
        held = generations(layout)
        gone = held[:-keep] if keep else _before(layout, held, str(before))
        ids = read_ids(layout)
        if gone:
            layout.unpruned.touch()
            ids = replace(ids, pruned=gone[-1])
            take_ids(layout, ids)
            drop_commits(layout, ids.pruned)
        in_use = _remove_unused(layout)
        mark_finished(layout)
        resume_erasure(settings, progress)  # after room was made: it may take some
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
        bytes_freed=sum(sizes[base] for base in removed),
        seconds=perf_counter() - began,
    )


def _check_held(layout: Layout) -> None:
    if not generations(layout):
        raise nothing_stored(layout)


def _before(layout: Layout, held: list[int], text: str) -> list[int]:
    """The generations that were committed before a time; a date means its beginning."""
    then = parse_time(text, "--before should be followed by a time in ISO 8601", time.min)
    gone = []
    for number in held[:-1]:
        if datetime.fromisoformat(read_commit(layout, number).time) >= then:
            break
        gone.append(number)
    return gone


def _remove_unused(layout: Layout) -> list[int]:
    """The bases that are still read, after those who only ask a question have had their time."""
    until = perf_counter() + PATIENCE
    while (in_use := remove_unused(layout)) and perf_counter() < until:
        clock.sleep(0.1)
    return in_use


def _prune_graph(settings: Settings, layout: Layout, ids: Ids, progress: Progress) -> bool:
    """Whether it was done. A Neo4j that cannot be had, on a full disk for instance, is no error:
    the next prune tries."""
    if is_fresh(settings.graph_home):
        return True
    try:
        with shared_graph(layout.warehouse_id(), settings, progress) as graph:
            progress.begin("Remove from Neo4j what is no longer kept")
            prune_graph(graph, layout, ids)
    except Unavailable as error:
        progress.say(f"Neo4j keeps what it had of them, which does no harm: {error.found}")
        return False
    return True
