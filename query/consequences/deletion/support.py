"""Find a smallest set of sources without which an item would not exist.

A *support* of an item is a set of sources that may be enough for it to exist. Deleting a set of
sources removes the item only if the set contains at least one source from each support. So the
search finds a support, deletes one of its sources, and looks for a support that remains. With up to
n deletions, it finds every set of up to n sources.

Most items are derived from the sources in their support. But items that rest only on each other may
exist for reasons that no triple records (``unsupported.py``). If an item rests on such items, its
support consists of the sources that its derivations need.
"""

from dataclasses import dataclass

import numpy as np

from provhouse.model.arrays import I32, Bools
from provhouse.model.compiled import compiled

from .codes import DELETED, DIES, U8
from .derivation_index import ALL, Derivations, TripleIndex
from .fates import Deleter

MOST = 3
"""The size of the largest set that a search looks for."""
WORK = 200_000_000
"""The approximate largest number of triples that a search may visit."""


@dataclass(frozen=True)
class Search:
    """The places of a smallest set (or None), and whether the search was complete."""

    found: I32 | None
    complete: bool


class _TooLong(Exception):
    """The error for a search that would take too long."""


def smallest_kill(graph: Derivations, item: int, most: int = MOST) -> Search:
    """Return a smallest set of at most ``most`` sources without which an item does not exist.

    Sources are items that are not derived from any item. If the kind of an operation is unknown,
    the search assumes that one input is enough. So the item certainly dies if the returned set is
    deleted.
    """
    trials = max(WORK // max(len(graph.of), 1), 4)
    supports = Supports(graph)

    def support(gone: Bools) -> I32 | None:
        nonlocal trials
        trials -= 1
        if trials < 0:
            raise _TooLong
        return supports.of(item, gone)

    def search(gone: Bools, left: int) -> list[int] | None:
        needed = support(gone)
        if needed is None:
            return []
        for place in needed.tolist() if left else ():
            gone[place] = True
            found = search(gone, left - 1)
            gone[place] = False
            if found is not None:
                return [place, *found]
        return None

    try:
        for size in range(1, most + 1):
            if (found := search(np.zeros(graph.places, bool), size)) is not None:
                return Search(np.array(found, np.int32) if found else None, True)
    except _TooLong:
        return Search(None, False)
    return Search(None, True)


class Supports:
    """The supports of items in one graph."""

    def __init__(self, graph: Derivations) -> None:
        self._graph = graph
        self._deleter = Deleter(graph)
        by, _ = self._proof(np.zeros(graph.places, bool))
        self._made: Bools = graph.first[:-1] < graph.first[1:]
        self._all_supported = not (self._made & (by < 0)).any()

    def of(self, item: int, gone: Bools) -> I32 | None:
        """Return a support of an item without sources in ``gone``; None if there is none."""
        by, via = self._proof(gone)
        alive = ~gone
        if self._made[item] and by[item] < 0:
            if self._all_supported:
                return None
            fate = self._deleter.fates(np.flatnonzero(gone).astype(np.int32)).fate
            alive = (fate != DIES) & (fate != DELETED)
        if not alive[item]:
            return None
        found, seen, waiting = [], {item}, [item]
        while waiting:
            place = waiting.pop()
            if not self._made[place]:
                found.append(place)
                continue
            inputs = self._proven(place, by, via) if by[place] >= 0 else self._held(place, alive)
            waiting += [one for one in dict.fromkeys(inputs) if one not in seen]
            seen.update(inputs)
        return np.array(sorted(found), np.int32)

    def _proof(self, gone: Bools) -> tuple[I32, I32]:
        """Return how each item is first proven.

        The first array has the derivation that proves each item, or -1. The second array has, for
        each of these derivations, the input that completed the proof.
        """
        graph = self._graph
        by = np.full(graph.places, -1, np.int32)
        via = np.full(len(graph.dst), -1, np.int32)
        _prove(graph.index, gone, by, via)
        return by, via

    def _proven(self, place: int, by: I32, via: I32) -> list[int]:
        """Return the inputs of the derivation that proves an item."""
        way = int(by[place])
        joint = self._graph.kind[way] == ALL
        return self._graph.src[self._graph.rows_of(way)].tolist() if joint else [int(via[way])]

    def _held(self, place: int, alive: Bools) -> list[int]:
        """Return the inputs of an item that may exist, from all of its derivations that may hold.

        One derivation would not be enough, because it may lead back to the item.
        """
        graph, found = self._graph, list[int]()
        for way in range(graph.first[place], graph.first[place + 1]):
            inputs = graph.src[graph.rows_of(way)]
            left = inputs[alive[inputs]]
            if graph.kind[way] != ALL or len(left) == len(inputs):
                found += left.tolist()
        return found


@compiled(nogil=True)
def _prove(graph: TripleIndex, gone: Bools, by: I32, via: I32) -> None:
    """Set how each item is first proven.

    ``by`` gets the derivation that proves each item. ``via`` gets, for each of these derivations,
    the input that completed the proof.
    """
    places = len(graph.first) - 1
    holds: U8 = np.zeros(places, np.uint8)
    pending = graph.size.copy()
    queue = np.empty(places, np.int32)
    filled = taken = 0
    for place in range(places):
        if graph.first[place] == graph.first[place + 1] and not gone[place]:
            holds[place] = 1
            queue[filled] = place
            filled += 1
    while taken < filled:
        place = queue[taken]
        taken += 1
        for edge in range(graph.at[place], graph.at[place + 1]):
            way = graph.targets[edge]
            target = graph.dst[way]
            if holds[target] or gone[target]:
                continue
            if graph.kind[way] == ALL:
                pending[way] -= 1
                if pending[way] > 0:
                    continue
            holds[target] = 1
            by[target], via[way] = way, place
            queue[filled] = target
            filled += 1
