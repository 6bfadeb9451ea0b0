"""Order items or sets so that each follows the items or sets that it derives from."""

import numpy as np

from provhouse.model.arrays import I32, I64
from provhouse.model.compiled import compiled

from .depths import neighbours
from .distinct import dense_values


def set_order(items: I64, group: I32, child: I32, parent: I32) -> I64:
    """Order sets by component, the largest first.

    Each set follows the sets that it derives from.
    """
    count = len(items)
    roots = dense_values(group)
    size = np.bincount(roots, items)[roots] if count else items
    start = np.lexsort((np.arange(count), roots, -size))
    inside = (child < count) & (parent < count)
    return parents_first(start, *neighbours(count, child[inside], parent[inside]))


def parents_first(start: I64, at: I64, heads: I32) -> I64:
    """Return a depth-first order: each node comes after its parents, and usually soon after them.

    In each cycle, at least one node comes before one of its parents. The parents of node ``n`` are
    ``heads[at[n]:at[n + 1]]``; nodes are visited in the order of ``start``.
    """
    result: I64 = _depth_first(start, at, heads)
    return result


@compiled(nogil=True)
def _depth_first(start: I64, at: I64, heads: I32) -> I64:
    """Return the nodes in postorder: each node comes after all nodes that it reaches."""
    order = np.empty(len(start), np.int64)
    stack = np.empty(len(start) + 1, np.int64)
    next_edge = at[:-1].copy()
    seen = np.zeros(len(start), np.bool_)
    filled = 0
    for root in start:
        if seen[root]:
            continue
        seen[root] = True
        stack[0], depth = root, 1
        while depth:
            node = stack[depth - 1]
            if next_edge[node] < at[node + 1]:
                head = heads[next_edge[node]]
                next_edge[node] += 1
                if not seen[head]:
                    seen[head] = True
                    stack[depth] = head
                    depth += 1
            else:
                order[filled] = node
                filled += 1
                depth -= 1
    return order
