"""Find the items that may still exist because items without support hold them up.

An item is *unsupported* if its derivations rest on a cycle that nothing outside supports, even
before a deletion. It exists, but the triples do not say why. So it may exist as long as one of its
derivations is not known to fail: a greatest fixpoint. Every other item must be derived from
sources, or from unsupported items that may exist: a least fixpoint within the greatest one, so that
a cycle that was supported does not keep itself alive.
"""

from numba import njit

from provhouse.model.arrays import I32, I64, Bools

from .codes import CLINGS, DIES, FOUND, I8, MISSING, MOST, UNDECIDED, allowed


@njit(cache=True, nogil=True)
def kill(
    at: I64, rows: I32, targets: I32, ends: I32, first: I32, skipped: Bools, deleted: I32,
    starts: I32, ways: I32, fate: I8, gone: I32, failed: I32, queue: I32,
) -> int:  # fmt: skip
    """Count the derivations of each place that fail one by one; return how many places lose all.

    This is the deletion of the Lipstick paper in the upper bound. It leaves cycles alive that
    nothing outside supports.
    """
    filled = 0
    for place in starts:
        if fate[place] != DIES:
            continue
        for way in range(first[place], first[place + 1]):
            failed[place] += gone[way] > allowed(ways[way, MOST], True)
        if failed[place] == first[place + 1] - first[place]:
            queue[filled] = place
            filled += 1
    taken = -len(deleted)  # negative numbers stand for deleted places, which come first
    while taken < filled:
        place = deleted[taken + len(deleted)] if taken < 0 else queue[taken]
        taken += 1
        for edge in range(at[place], at[place + 1]):
            if len(skipped) and skipped[rows[edge]]:
                continue
            target = ends[edge]
            if fate[target] != DIES:
                continue
            way = targets[edge]
            gone[way] += 1
            if gone[way] == allowed(ways[way, MOST], True) + 1:
                failed[target] += 1
                if failed[target] == first[target + 1] - first[target]:
                    queue[filled] = target
                    filled += 1
    return filled


@njit(cache=True, nogil=True)
def cling(
    at: I64, rows: I32, targets: I32, ends: I32, first: I32, skipped: Bools, unsupported: Bools,
    places: I32, ways: I32, fate: I8, gone: I32, failed: I32, queue: I32,
) -> None:  # fmt: skip
    """Make the places undecided that may exist, and let the rest die.

    ``kill`` has left each place with a derivation, and ``ways`` already has ``gone`` as the number
    of missing inputs. Each round ends the supported places that are not derived from places that
    may exist, and the places that fall with them.
    """
    for place in places:
        fate[place] = CLINGS
    ending = True
    while ending:
        for place in places:
            if fate[place] == CLINGS and not unsupported[place]:
                _add(at, rows, targets, skipped, place, ways, 1)
        _derive(at, rows, targets, ends, first, skipped, unsupported, places, ways, fate, queue)
        filled = 0
        for place in places:
            if fate[place] == CLINGS and not unsupported[place]:
                fate[place] = DIES
                queue[filled] = place
                filled += 1
        ending = filled > 0
        for place in places:
            if fate[place] == FOUND:
                fate[place] = CLINGS
        _end(at, rows, targets, ends, first, skipped, ways, fate, gone, failed, queue, filled)
    for place in places:
        if fate[place] == CLINGS:
            fate[place] = UNDECIDED


@njit(cache=True, nogil=True)
def _derive(
    at: I64, rows: I32, targets: I32, ends: I32, first: I32, skipped: Bools, unsupported: Bools,
    places: I32, ways: I32, fate: I8, queue: I32,
) -> None:  # fmt: skip
    """Mark as found each supported place that is derived from a place that may exist."""
    filled = taken = 0
    for place in places:
        if fate[place] != CLINGS or unsupported[place]:
            continue
        for way in range(first[place], first[place + 1]):
            if ways[way, MISSING] <= allowed(ways[way, MOST], True):
                fate[place] = FOUND
                queue[filled] = place
                filled += 1
                break
    while taken < filled:
        place = queue[taken]
        taken += 1
        _add(at, rows, targets, skipped, place, ways, -1)
        for edge in range(at[place], at[place + 1]):
            target, way = ends[edge], targets[edge]
            if fate[target] != CLINGS or unsupported[target]:
                continue
            if ways[way, MISSING] <= allowed(ways[way, MOST], True):
                fate[target] = FOUND
                queue[filled] = target
                filled += 1


@njit(cache=True, nogil=True)
def _end(
    at: I64, rows: I32, targets: I32, ends: I32, first: I32, skipped: Bools, ways: I32, fate: I8,
    gone: I32, failed: I32, queue: I32, filled: int,
) -> None:  # fmt: skip
    """End the first ``filled`` places of ``queue``, which count as missing, and all they hold."""
    underived, taken = filled, 0
    while taken < filled:
        place = queue[taken]
        if taken >= underived:
            _add(at, rows, targets, skipped, place, ways, 1)
        taken += 1
        for edge in range(at[place], at[place + 1]):
            if len(skipped) and skipped[rows[edge]]:
                continue
            way, target = targets[edge], ends[edge]
            gone[way] += 1
            if fate[target] != CLINGS or gone[way] != allowed(ways[way, MOST], True) + 1:
                continue
            failed[target] += 1
            if failed[target] == first[target + 1] - first[target]:
                fate[target] = DIES
                queue[filled] = target
                filled += 1


@njit(cache=True, nogil=True, inline="always")
def _add(
    at: I64, rows: I32, targets: I32, skipped: Bools, place: int, ways: I32, number: int
) -> None:
    """Add a number to the missing inputs of the derivations from a place."""
    for edge in range(at[place], at[place + 1]):
        if not (len(skipped) and skipped[rows[edge]]):
            ways[targets[edge], MISSING] += number
