"""How many levels an answer may have, guessed before a triple is read.

Nothing but the triples tells how many there are within a set or a table, so that this is mostly too
low: enough to tell people what RQ and CCProv are about to do, never to choose one of them.
"""

from collections.abc import Sequence

import numpy as np

from provhouse.model.arrays import I64, among
from provhouse.model.columns import DST_TABLE, SRC_TABLE
from provhouse.model.question import Direction
from provhouse.store.tables.snapshot import Snapshot

from .recurse import recurse
from .walk import Walk


def likely_levels(snapshot: Snapshot, walk: Walk, item: int, direction: Direction) -> int:
    """As many as the walked sets have, or the tables; at least one."""
    by_set = _of_sets(snapshot, walk, item, direction)
    return max(by_set, _of_tables(snapshot, item, direction), 1)


def _of_sets(snapshot: Snapshot, walk: Walk, item: int, direction: Direction) -> int:
    child, parent = snapshot.set_dependencies
    walked = among(child, walk.sets) & among(parent, walk.sets)
    own = int(snapshot.set_rows(np.array([item]))[0])
    return _farthest(child[walked], parent[walked], own, direction)


def _of_tables(snapshot: Snapshot, item: int, direction: Direction) -> int:
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
