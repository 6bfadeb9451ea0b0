"""Find the items that may still exist because they rest on items without support.

An item is *unsupported* if, even before a deletion, its derivations rest on a cycle that nothing
outside the cycle supports. The item exists, but the triples do not record why. So it may exist as
long as one of its derivations is not known to fail. Such items form a greatest fixpoint. Every
other item must be derived from sources, or from unsupported items that may exist. These other items
form a least fixpoint within the greatest one, so that a cycle that was supported before does not
keep itself alive.
"""

from provhouse.model.arrays import I32, Bools
from provhouse.model.compiled import compiled

from .codes import CLINGS, DIES, FOUND, MISSING, MOST, UNDECIDED, Work, allowed
from .derivation_index import TripleIndex


@compiled(nogil=True)
def kill(graph: TripleIndex, skipped: Bools, deleted: I32, starts: I32, work: Work) -> int:
    """Count the failing derivations of each place; return how many places lose all derivations.

    In the upper bound, this is the deletion of the Lipstick paper, which counts lost inputs one by
    one. A cycle survives it even if nothing outside the cycle supports the cycle.
    """
    filled = 0
    for place in starts:
        if work.fate[place] != DIES:
            continue
        for way in range(graph.first[place], graph.first[place + 1]):
            work.failed[place] += work.gone[way] > allowed(work.ways[way, MOST], True)
        if work.failed[place] == graph.first[place + 1] - graph.first[place]:
            work.queue[filled] = place
            filled += 1
    taken = -len(deleted)  # negative numbers stand for deleted places, which come first
    while taken < filled:
        place = deleted[taken + len(deleted)] if taken < 0 else work.queue[taken]
        taken += 1
        for edge in range(graph.at[place], graph.at[place + 1]):
            if len(skipped) and skipped[graph.rows[edge]]:
                continue
            target = graph.ends[edge]
            if work.fate[target] != DIES:
                continue
            way = graph.targets[edge]
            work.gone[way] += 1
            if work.gone[way] == allowed(work.ways[way, MOST], True) + 1:
                work.failed[target] += 1
                if work.failed[target] == graph.first[target + 1] - graph.first[target]:
                    work.queue[filled] = target
                    filled += 1
    return filled


@compiled(nogil=True)
def cling(graph: TripleIndex, skipped: Bools, unsupported: Bools, places: I32, work: Work) -> None:
    """Make the places that may exist undecided, and let the other places die.

    After ``kill``, each of ``places`` still has a derivation, and the caller has copied ``gone`` to
    the number of missing inputs in ``ways``. Each round ends the supported places that are not
    derived from places that may exist, and all places that lose their last derivation with them.
    """
    for place in places:
        work.fate[place] = CLINGS
    ending = True
    while ending:
        for place in places:
            if work.fate[place] == CLINGS and not unsupported[place]:
                _add(graph, skipped, place, work.ways, 1)
        _derive(graph, skipped, unsupported, places, work)
        filled = 0
        for place in places:
            if work.fate[place] == CLINGS and not unsupported[place]:
                work.fate[place] = DIES
                work.queue[filled] = place
                filled += 1
        ending = filled > 0
        for place in places:
            if work.fate[place] == FOUND:
                work.fate[place] = CLINGS
        _end(graph, skipped, work, filled)
    for place in places:
        if work.fate[place] == CLINGS:
            work.fate[place] = UNDECIDED


@compiled(nogil=True)
def _derive(
    graph: TripleIndex, skipped: Bools, unsupported: Bools, places: I32, work: Work
) -> None:
    """Mark as found each supported place that is derived from a place that may exist."""
    filled = taken = 0
    for place in places:
        if work.fate[place] != CLINGS or unsupported[place]:
            continue
        for way in range(graph.first[place], graph.first[place + 1]):
            if work.ways[way, MISSING] <= allowed(work.ways[way, MOST], True):
                work.fate[place] = FOUND
                work.queue[filled] = place
                filled += 1
                break
    while taken < filled:
        place = work.queue[taken]
        taken += 1
        _add(graph, skipped, place, work.ways, -1)
        for edge in range(graph.at[place], graph.at[place + 1]):
            target, way = graph.ends[edge], graph.targets[edge]
            if work.fate[target] != CLINGS or unsupported[target]:
                continue
            if work.ways[way, MISSING] <= allowed(work.ways[way, MOST], True):
                work.fate[target] = FOUND
                work.queue[filled] = target
                filled += 1


@compiled(nogil=True)
def _end(graph: TripleIndex, skipped: Bools, work: Work, filled: int) -> None:
    """End the first ``filled`` places of ``queue``, and places whose last derivation ends so.

    The first ``filled`` places already count as missing.
    """
    underived, taken = filled, 0
    while taken < filled:
        place = work.queue[taken]
        if taken >= underived:
            _add(graph, skipped, place, work.ways, 1)
        taken += 1
        for edge in range(graph.at[place], graph.at[place + 1]):
            if len(skipped) and skipped[graph.rows[edge]]:
                continue
            way, target = graph.targets[edge], graph.ends[edge]
            work.gone[way] += 1
            if (
                work.fate[target] != CLINGS
                or work.gone[way] != allowed(work.ways[way, MOST], True) + 1
            ):
                continue
            work.failed[target] += 1
            if work.failed[target] == graph.first[target + 1] - graph.first[target]:
                work.fate[target] = DIES
                work.queue[filled] = target
                filled += 1


@compiled(nogil=True, inline=True)
def _add(graph: TripleIndex, skipped: Bools, place: int, ways: I32, number: int) -> None:
    """Add ``number`` to the number of missing inputs of each derivation that uses ``place``."""
    for edge in range(graph.at[place], graph.at[place + 1]):
        if not (len(skipped) and skipped[graph.rows[edge]]):
            ways[graph.targets[edge], MISSING] += number
