"""Items that derive from each other: a query for one of them returns all of them.

The algorithm is Tarjan's, without recursion, since cycles can be long.
"""

import numpy as np

from provhouse.model.arrays import I32, I64, Bools
from provhouse.model.compiled import compiled

from .components import Edges
from .depths import depths, neighbours
from .distinct import distinct_pairs


def cycles(items: int, src: Edges, dst: Edges) -> I32:
    """Return, for each item, its strongly connected component. Components are numbered from 0."""
    result: I32 = _strong(*neighbours(items, src, dst))
    return result


def depths_over(cycle: I32, src: Edges, dst: Edges) -> I32:
    """Return, for each item, the length of the longest path to it. A cycle counts as one item."""
    from_, to = cycle[src], cycle[dst]
    across = from_ != to
    return depths(int(cycle.max()) + 1, from_[across], to[across])[cycle]


def on_cycles(src: Edges, dst: Edges, group: I32) -> Bools:
    """Return, for each group, whether it derives from itself, directly or through other groups."""
    one, other = group[src], group[dst]
    together = cycles(int(group.max()) + 1, *distinct_pairs(one, other))
    found = np.bincount(together)[together] > 1
    found[one[one == other]] = True
    return found


@compiled(nogil=True)
def _strong(at: I64, heads: I32) -> I32:
    items = len(at) - 1
    found = np.full(items, -1, np.int32)
    index = np.full(items, -1, np.int32)
    low = np.empty(items, np.int32)
    next_edge = at[:-1].copy()
    path = np.empty(items, np.int32)  # replaces the call stack of a recursion
    waiting = np.empty(items, np.int32)  # visited items whose component is not complete
    count = seen = depth = 0
    for start in range(items):
        if index[start] >= 0:
            continue
        path[0], length = start, 1
        while length:
            item = path[length - 1]
            if index[item] < 0:
                index[item] = low[item] = seen
                seen += 1
                waiting[depth] = item
                depth += 1
            if next_edge[item] < at[item + 1]:
                head = heads[next_edge[item]]
                next_edge[item] += 1
                if index[head] < 0:
                    path[length] = head
                    length += 1
                elif found[head] < 0:
                    low[item] = min(low[item], index[head])
                continue
            length -= 1
            if length:
                low[path[length - 1]] = min(low[path[length - 1]], low[item])
            if low[item] == index[item]:
                while True:
                    depth -= 1
                    found[waiting[depth]] = count
                    if waiting[depth] == item:
                        break
                count += 1
    return found
