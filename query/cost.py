"""How long a question will take by each method, estimated before a triple is read.

The constants are seconds on 2 cores, in a process that is warm: Spark is up and the partitions are
in its memory, but nothing is decoded yet. `benchmarks/explain.py --fit` made them, from 400 random
questions on the demo's flights and on the paper's trace (seed 6); those of a set and a triple are
from large impacts (`benchmarks/methods.py`). How near they come to others (seed 2) stands in
`docs/benchmarks.md`. Other machines are faster or slower by about the same for all methods.
"""

from dataclasses import dataclass

import numpy as np

from provhouse.model.answer import Read
from provhouse.model.arrays import I64
from provhouse.model.question import Method
from provhouse.store.tables.snapshot import Snapshot

from .walk import Walk

ASK = 0.02
"""CSProv: locate, one closure, one job and one recursion, whatever they find."""
SET = 6e-6
"""CSProv: each set that is walked."""
PARTITION = 1.2e-3
"""CSProv: each partition, which is a task of the job."""
TRIPLE = 0.4e-6
"""CSProv: each triple that is read, taken through the recursion and in part named."""
LEVEL = 0.024
"""RQ and CCProv: each level, which is a job."""
FILTERED = 0.17e-6
"""CCProv: each triple there is, of which it keeps those of the component."""
COPIED = 6.7e-6
"""RQ and CCProv: each triple of the copy that they need in memory, when it is first asked for."""


@dataclass(frozen=True)
class Estimate:
    """What one method would read and how long it would take."""

    method: Method
    read: Read
    """Of CSProv and CCProv exactly, of RQ all that it searches."""
    levels: int | None
    """How many levels, each a job, this supposes; CSProv needs to know of none."""
    seconds: float
    """In a warm process."""
    prepare: float
    """Seconds before that, if this method needs a copy of all triples that is not there yet."""


def csprov(walk: Walk) -> Estimate:
    """CSProv reads what the walk names."""
    read = Read(len(walk.sets), len(walk.partitions), walk.triples)
    return Estimate("csprov", read, None, by_sets(read), 0.0)


def ccprov(snapshot: Snapshot, own: int, levels: int, copied: bool) -> Estimate:
    """CCProv filters the component of the set ``own`` from all triples, then goes by levels."""
    sets, total = component(snapshot, own), snapshot.commit.totals.triples
    triples = int(snapshot.live_placements.counts(snapshot.set_ids[sets]).sum())
    read = Read(len(sets), len(snapshot.partitions), triples)
    return Estimate("ccprov", read, levels, by_component(total, levels), _copy(total, copied))


def rq(snapshot: Snapshot, levels: int, copied: bool) -> Estimate:
    """RQ searches all triples, level by level."""
    total = snapshot.commit.totals.triples
    read = Read(0, len(snapshot.partitions), total)
    return Estimate("rq", read, levels, by_levels(levels), _copy(total, copied))


def by_sets(read: Read) -> float:
    """Seconds of CSProv."""
    return ASK + SET * read.sets + PARTITION * read.partitions + TRIPLE * read.triples


def by_levels(levels: int) -> float:
    """Seconds of RQ; behind the last level a job finds that there is no more."""
    return LEVEL * (levels + 1)


def by_component(triples: int, levels: int) -> float:
    """Seconds of CCProv where so many triples are held in all."""
    return FILTERED * triples + by_levels(levels)


def _copy(triples: int, copied: bool) -> float:
    return 0.0 if copied else COPIED * triples


def component(snapshot: Snapshot, own: int) -> I64:
    """Positions of all sets in the component of the set ``own``."""
    return np.flatnonzero(snapshot.set_components == snapshot.set_components[own])
