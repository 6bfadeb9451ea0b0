"""How long a question will take by each method, estimated before a triple is read.

The constants are seconds on 2 cores, in a process that is warm: Spark is up and the partitions are
in its memory. `benchmarks/explain.py --fit` makes them from random questions on a given warehouse,
and tells how many of its estimates were within 2 times; `benchmarks/results/explain.json` has the
last run. Other machines are faster or slower by about the same for all methods.
"""

from dataclasses import dataclass

import numpy as np

from provhouse.model.arrays import I64
from provhouse.store.snapshot import Snapshot

from .answer import Read
from .csprov import Walk
from .question import Method

ASK = 0.040
"""CSProv: locate, one closure, one job and one recursion, whatever they find."""
SET = 30e-6
"""CSProv: each set that is walked."""
PARTITION = 4e-3
"""CSProv: each partition, which is a task of the job."""
TRIPLE = 0.5e-6
"""CSProv: each triple that is read, taken through the recursion and in part named."""
LEVEL = 0.045
"""RQ and CCProv: each level, which is a job."""
FILTERED = 4e-3
"""CCProv: each partition that is filtered for the component."""
FILTERED_TRIPLE = 0.1e-6
"""CCProv: each triple that is filtered."""
COPIED_TRIPLE = 5e-6
"""RQ and CCProv: each triple of the copy that they need in memory, when it is first asked for."""


@dataclass(frozen=True)
class Estimate:
    """What one method would read and how long it would take."""

    method: Method
    read: Read
    """Of CSProv and CCProv exactly, of RQ all that it searches."""
    seconds: float
    """In a warm process."""
    prepare: float
    """Seconds before that, if this method needs a copy of all triples that is not there yet."""

    @property
    def total(self) -> float:
        """All seconds from now on."""
        return self.seconds + self.prepare


def csprov(walk: Walk) -> Estimate:
    """CSProv reads what the walk names."""
    read = Read(len(walk.sets), len(walk.partitions), walk.triples)
    seconds = ASK + SET * read.sets + PARTITION * read.partitions + TRIPLE * read.triples
    return Estimate("csprov", read, seconds, 0.0)


def ccprov(snapshot: Snapshot, own: int, levels: int, copied: bool) -> Estimate:
    """CCProv filters the component of the set ``own`` from all triples, then goes by levels."""
    sets = component(snapshot, own)
    partitions = len(snapshot.partitions)
    triples = int(snapshot.placements.held(snapshot.set_ids[sets]).sum())
    filtered = FILTERED * partitions + FILTERED_TRIPLE * snapshot.commit.totals.triples
    seconds = filtered + LEVEL * (levels + 1)
    return Estimate(
        "ccprov", Read(len(sets), partitions, triples), seconds, _copy(snapshot, copied)
    )


def rq(snapshot: Snapshot, levels: int, copied: bool) -> Estimate:
    """RQ goes by levels; behind the last one a job finds that there is no more."""
    read = Read(0, len(snapshot.partitions), snapshot.commit.totals.triples)
    return Estimate("rq", read, LEVEL * (levels + 1), _copy(snapshot, copied))


def _copy(snapshot: Snapshot, copied: bool) -> float:
    return 0.0 if copied else COPIED_TRIPLE * snapshot.commit.totals.triples


def component(snapshot: Snapshot, own: int) -> I64:
    """Positions of all sets in the component of the set ``own``."""
    return np.flatnonzero(snapshot.set_components == snapshot.set_components[own])
