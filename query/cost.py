"""How long a question will take by each method, estimated before a triple is read.

The constants are seconds on 2 cores, in a process that is warm: Spark is up and the partitions are
in its memory, but nothing is decoded yet. `benchmarks/explain.py --fit` made them, from 400 random
questions on the demo's flights and on the paper's trace (seed 6); those of a set and a triple are
from large impacts (`benchmarks/methods.py`). How near they come to others (seed 2) stands in
`docs/benchmarks.md`. Other machines are faster or slower by about the same for all methods.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from provhouse.model.answer import Read
from provhouse.model.arrays import I64, among
from provhouse.model.columns import DST_TABLE, SRC_TABLE
from provhouse.model.question import Direction, Method
from provhouse.store.tables.snapshot import Snapshot

from .recurse import recurse
from .walk import Walk, component_sets, set_of

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


def estimate_csprov(walk: Walk) -> Estimate:
    """CSProv reads what the walk names."""
    read = Read(len(walk.sets), len(walk.partitions), walk.triples)
    return Estimate("csprov", read, None, csprov_seconds(read), 0.0)


def estimate_ccprov(snapshot: Snapshot, item: int, levels: int, copied: bool) -> Estimate:
    """CCProv filters the component of an item from all triples, then goes by levels."""
    sets, total = component_sets(snapshot, item), snapshot.commit.totals.triples
    triples = int(snapshot.living.held(snapshot.set_ids[sets]).sum())
    read = Read(len(sets), len(snapshot.partitions), triples)
    return Estimate(
        "ccprov", read, levels, ccprov_seconds(total, levels), _prepare_seconds(total, copied)
    )


def estimate_rq(snapshot: Snapshot, levels: int, copied: bool) -> Estimate:
    """RQ searches all triples, level by level."""
    total = snapshot.commit.totals.triples
    read = Read(0, len(snapshot.partitions), total)
    return Estimate("rq", read, levels, rq_seconds(levels), _prepare_seconds(total, copied))


def csprov_seconds(read: Read) -> float:
    """Seconds of CSProv."""
    return ASK + SET * read.sets + PARTITION * read.partitions + TRIPLE * read.triples


def rq_seconds(levels: int) -> float:
    """Seconds of RQ; behind the last level a job finds that there is no more."""
    return LEVEL * (levels + 1)


def ccprov_seconds(triples: int, levels: int) -> float:
    """Seconds of CCProv where so many triples are held in all."""
    return FILTERED * triples + rq_seconds(levels)


def _prepare_seconds(triples: int, copied: bool) -> float:
    return 0.0 if copied else COPIED * triples


def estimate_levels(snapshot: Snapshot, walk: Walk, item: int, direction: Direction) -> int:
    """As many as the walked sets have, or the tables; at least one.

    Nothing but the triples tells how many there are within a set or a table, so that this is mostly
    too low: enough to tell people what RQ and CCProv are about to do, never to choose one of them.
    """
    by_set = _levels_of_sets(snapshot, walk, item, direction)
    return max(by_set, _levels_of_tables(snapshot, item, direction), 1)


def _levels_of_sets(snapshot: Snapshot, walk: Walk, item: int, direction: Direction) -> int:
    child, parent = snapshot.set_dependencies
    walked = among(child, walk.sets) & among(parent, walk.sets)
    return _farthest(child[walked], parent[walked], set_of(snapshot, item), direction)


def _levels_of_tables(snapshot: Snapshot, item: int, direction: Direction) -> int:
    flow = snapshot.rows("workflow", [SRC_TABLE, DST_TABLE])
    src, dst = flow[SRC_TABLE].to_pylist(), flow[DST_TABLE].to_pylist()
    own = str(snapshot.names.tables(np.array([item]))[0].as_py())
    places = {name: place for place, name in enumerate({own, *src, *dst})}
    child, parent = _placed(dst, places), _placed(src, places)
    return _farthest(child, parent, places[own], direction) if own else 0


def _placed(names: Sequence[str], places: dict[str, int]) -> I64:
    return np.array([places[name] for name in names], np.int64)


def _farthest(child: I64, parent: I64, start: int, direction: Direction) -> int:
    """The most hops from ``start``, each over as few as lead there."""
    near, far = (child, parent) if direction == "upstream" else (parent, child)
    return int(recurse(near, far, start).depths.max(initial=0))
