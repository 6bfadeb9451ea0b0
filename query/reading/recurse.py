"""Find the items that an item reaches along triples in memory, and the depth of each.

This is the last step of every method (``Recursive-Query`` in algorithms 1 and 2 of the CSProv
paper): a breadth-first search over sorted arrays. It is compiled, because lineage may be thousands
of levels deep. Among millions of triples, ``LevelSearch`` is used instead.
"""

from dataclasses import dataclass

import numpy as np

from provhouse.model.arrays import I32, I64, Bools, ItemNumber
from provhouse.model.compiled import compiled

from .level_search import LevelSearch, has_small_range

NEVER = -1
MANY = 1 << 20
"""From this number of triples on, ``LevelSearch`` is faster and needs less memory."""
SOME = 1 << 14
"""From this number of triples to sort on, ``LevelSearch`` is faster if its tables are small."""
_NO_GROUPS = np.zeros(0, bool)


@dataclass(frozen=True)
class Reached:
    """The items that an item reaches along given triples, and the triples that lead to them."""

    items: I64
    """The items, in no particular order; the start is one of them only if a cycle leads
    back to it.
    """
    depths: I32
    """The fewest hops to each item in ``items``."""
    triples: I64
    """The rows of the triples whose near ends were reached, in no particular order."""
    near_depths: I32
    """The depth of the near end of each triple in ``triples``."""
    unexpanded: I64
    """The sorted items whose further triples were left out because of the depth limit."""


def recurse(
    near: I64, far: I64, item: int, limit: int | None = None, to_group: Bools | None = None
) -> Reached:
    """Follow triples from ``item``, from near end to far end, for up to ``limit`` hops.

    Upstream, the near end of a triple is its dst; downstream, it is its src. The result has the
    triples whose near end is the item (depth 0) or was reached at a depth below the limit.

    ``to_group`` marks the triples whose far end is a group. From each of these groups, triples must
    lead further. The two triples through a group count as one hop, and the reached items do not
    include groups.
    """
    # Upstream, the triples of one partition are in order.
    mixed = bool((near[1:] < near[:-1]).any())
    if to_group is None and (
        len(near) >= MANY or (mixed and len(near) >= SOME and has_small_range(near, far, item))
    ):
        return all_reached(LevelSearch(near, far, ItemNumber(item), limit))
    groups = _NO_GROUPS if to_group is None else to_group
    order: I64 | None = None
    if mixed:
        order = np.argsort(near, kind="stable")
        near, far = near[order], far[order]
        groups = groups[order] if len(groups) else groups
    first = np.flatnonzero(np.append(True, near[1:] != near[:-1])[: len(near)])
    at = np.append(first, len(near))
    heads = near[first]
    most = np.iinfo(np.int32).max if limit is None else limit
    rows, depths, left = _levels(heads, at, far, item, most, groups)
    shown = rows[~groups[rows]] if len(groups) else rows
    at_depths = depths[~groups[rows]] if len(groups) else depths
    items, places = np.unique(far[shown], return_index=True)  # the first visit is the nearest
    kept = rows if order is None else order[rows]
    return Reached(items, at_depths[places] + 1, kept, depths, np.sort(heads[left]))


def all_reached(search: LevelSearch) -> Reached:
    """Return all items and triples that ``search`` has reached."""
    items, depths = search.items()
    found = list(search.triples(MANY))
    rows = np.concatenate([np.empty(0, np.int64), *(rows for rows, _ in found)])
    near_depths = np.concatenate([np.empty(0, np.int32), *(depths for _, depths in found)])
    return Reached(items, depths, rows, near_depths, search.unexpanded)


@compiled()
def _levels(
    heads: I64, at: I64, far: I64, item: int, limit: int, groups: Bools
) -> tuple[I64, I32, I64]:
    """Return the rows of the reached triples, their near ends' depths, and the heads left out.

    Rows are in order of depth. ``heads`` are the distinct near ends, in order. The triples of head
    ``h`` are in the rows from ``at[h]`` to ``at[h+1] - 1``. A head is left out if its depth has
    reached the limit. The rows that ``groups`` marks lead to groups. The rows from a group are
    followed immediately: the group and its rows have the depth of the first head that leads to the
    group.
    """
    queue = np.empty(len(heads) + 1, np.int64)
    level = np.full(len(heads), NEVER, np.int32)
    rows = np.empty(len(far), np.int64)
    depths = np.empty(len(far), np.int32)
    filled = taken = found = 0
    head = np.searchsorted(heads, item)
    if head < len(heads) and heads[head] == item:
        queue[0], level[head], filled = head, 0, 1
    while taken < filled:
        head = queue[taken]
        depth = level[head]
        if depth >= limit:
            break
        taken += 1
        first = found
        for row in range(at[head], at[head + 1]):
            rows[found], depths[found] = row, depth
            found += 1
        while first < found:
            row = rows[first]
            first += 1
            target = np.searchsorted(heads, far[row])
            if target >= len(heads) or heads[target] != far[row] or level[target] != NEVER:
                continue
            if len(groups) and groups[row]:
                level[target] = depth
                for behind in range(at[target], at[target + 1]):
                    rows[found], depths[found] = behind, depth
                    found += 1
            else:
                level[target] = depth + 1
                queue[filled] = target
                filled += 1
    return rows[:found], depths[:found], queue[taken:filled]
