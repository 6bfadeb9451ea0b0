"""Estimate the data that each method will read, and its time, before any triple is read.

The constants are seconds on 2 cores in a warm process: Spark is running and has the partitions in
memory, but nothing is decoded yet. `benchmarks/questions/explain.py --fit` computed them from 400
random questions on the demo's flights and on the paper's trace (seed 6). The costs of a set and of
a triple come from questions with large impacts (`benchmarks/questions/methods.py`).
`docs/figures/questions.md` shows how well the constants predict the times of other questions (seed
2). On another machine, all methods are faster or slower by about the same factor.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from provhouse.model.answer import Read
from provhouse.model.arrays import I64, ItemNumber, ItemNumbers, among
from provhouse.model.columns import DST_TABLE, SRC_TABLE
from provhouse.model.question import Direction, Method
from provhouse.store.tables.snapshot import Snapshot

from .recurse import recurse
from .walk import Walk, component_sets, set_of

ASK = 0.02
"""CSProv: the fixed cost of a question: locating the item, one closure, one job, one recursion."""
SET = 6e-6
"""CSProv: the cost of each walked set."""
PARTITION = 1.2e-3
"""CSProv: the cost of each partition, fitted at a time when a Spark task read each partition."""
TRIPLE = 0.4e-6
"""CSProv: the cost of reading a triple, following it and naming its items."""
LEVEL = 0.024
"""RQ and CCProv: the cost of each level, which is one Spark job."""
FILTERED = 0.17e-6
"""CCProv: the cost of each triple in the warehouse, because the filter reads all triples."""
COPIED = 6.7e-6
"""RQ and CCProv: the cost to load each triple of the in-memory copy with the first question."""


@dataclass(frozen=True)
class Estimate:
    """The amount of data that one method will read, and the time that it will take."""

    method: Method
    read: Read
    """The data to read. It is exact for CSProv and CCProv; for RQ, it is all triples."""
    levels: int | None
    """The assumed number of levels, each of which is a Spark job; None for CSProv."""
    seconds: float
    """The estimated time in a warm process."""
    prepare: float
    """The additional time if the method first has to load a copy of all triples."""
    guessed: bool = False
    """Whether the number of levels is a guess. Most guesses are too low."""


def estimate_csprov(walk: Walk) -> Estimate:
    """Return the estimate for CSProv, which reads the sets of the walk."""
    read = Read(len(walk.sets), len(walk.partitions), walk.triples)
    return Estimate("csprov", read, None, csprov_seconds(read), 0.0)


def estimate_ccprov(snapshot: Snapshot, item: ItemNumber, levels: int, copied: bool) -> Estimate:
    """Return the estimate for CCProv, which filters the component, then searches by levels."""
    sets, total = component_sets(snapshot, item), snapshot.commit.totals.triples
    triples = int(snapshot.live_placements.counts(snapshot.ids_of(sets)).sum())
    read = Read(len(sets), len(snapshot.partitions), triples)
    return Estimate(
        "ccprov", read, levels, ccprov_seconds(total, levels), _prepare_seconds(total, copied)
    )


def estimate_rq(snapshot: Snapshot, levels: int, copied: bool) -> Estimate:
    """Return the estimate for RQ, which searches all triples, level by level."""
    total = snapshot.commit.totals.triples
    read = Read(0, len(snapshot.partitions), total)
    return Estimate("rq", read, levels, rq_seconds(levels), _prepare_seconds(total, copied))


def csprov_seconds(read: Read) -> float:
    """Return the seconds that CSProv takes to read the given amount of data."""
    return ASK + SET * read.sets + PARTITION * read.partitions + TRIPLE * read.triples


def rq_seconds(levels: int) -> float:
    """Return the seconds that RQ takes. It needs a job for each level, and one to find the end."""
    return LEVEL * (levels + 1)


def ccprov_seconds(triples: int, levels: int) -> float:
    """Return the seconds that CCProv takes in a warehouse with the given number of triples."""
    return FILTERED * triples + rq_seconds(levels)


def copy_seconds(triples: int) -> float:
    """Return the seconds that it takes to load the copy of all triples for RQ and CCProv."""
    return COPIED * triples


def _prepare_seconds(triples: int, copied: bool) -> float:
    return 0.0 if copied else copy_seconds(triples)


def estimate_levels(snapshot: Snapshot, walk: Walk, item: ItemNumber, direction: Direction) -> int:
    """Return an estimate of the number of levels, at least 1.

    The estimate is the larger of two distances: from the item's set to the farthest set of the
    walk, and from the item's table to the farthest table.

    The levels within a set or a table could only be counted by reading triples, so the estimate is
    usually too low. It is good enough to show the work of RQ and CCProv, but it is never used to
    choose a method.
    """
    by_set = _levels_of_sets(snapshot, walk, item, direction)
    return max(by_set, _levels_of_tables(snapshot, item, direction), 1)


def _levels_of_sets(snapshot: Snapshot, walk: Walk, item: ItemNumber, direction: Direction) -> int:
    child, parent = snapshot.set_dependencies
    walked = among(child, walk.sets) & among(parent, walk.sets)
    return _farthest(child[walked], parent[walked], set_of(snapshot, item), direction)


def _levels_of_tables(snapshot: Snapshot, item: ItemNumber, direction: Direction) -> int:
    flow = snapshot.rows("workflow", [SRC_TABLE, DST_TABLE])
    src, dst = flow[SRC_TABLE].to_pylist(), flow[DST_TABLE].to_pylist()
    own = str(snapshot.names.tables(ItemNumbers(np.array([item])))[0].as_py())
    places = {name: place for place, name in enumerate({own, *src, *dst})}
    child, parent = _placed(dst, places), _placed(src, places)
    return _farthest(child, parent, places[own], direction) if own else 0


def _placed(names: Sequence[str], places: dict[str, int]) -> I64:
    return np.array([places[name] for name in names], np.int64)


def _farthest(child: I64, parent: I64, start: int, direction: Direction) -> int:
    """Return the distance in hops from ``start`` to the farthest node that it reaches."""
    near, far = (child, parent) if direction == "upstream" else (parent, child)
    return int(recurse(near, far, start).depths.max(initial=0))
