"""The depth of each node: the length of the longest path to it, with cycles broken."""

import numpy as np

from provhouse.model.arrays import I32, I64
from provhouse.model.compiled import compiled

from .components import Edges


def depths(nodes: int, src: Edges, dst: Edges) -> I32:
    """Return the number of edges on the longest path to each node; 0 for a source.

    If every remaining node has a predecessor that is not finished, the smallest remaining node is
    treated as a source. This breaks one cycle each time.
    """
    at, heads = neighbours(nodes, src, dst)
    waiting = np.bincount(dst, minlength=nodes).astype(np.int64)
    result: I32 = _peel(at, heads, waiting)
    return result


def neighbours(nodes: int, src: Edges, dst: Edges) -> tuple[I64, I32]:
    """Return ``at`` and ``heads``: node ``n`` has edges to the nodes ``heads[at[n]:at[n + 1]]``."""
    at = np.zeros(nodes + 1, np.int64)
    np.cumsum(np.bincount(src, minlength=nodes), out=at[1:])
    heads: I32 = _fill(at[:-1].copy(), src, dst)
    return at, heads


@compiled(nogil=True)
def _fill(free: I64, src: Edges, dst: Edges) -> I32:
    """Return the heads of edges by tail.

    ``free`` has the next free place of each tail, and grows.
    """
    heads = np.empty(len(src), np.int32)
    for edge in range(len(src)):
        heads[free[src[edge]]] = dst[edge]
        free[src[edge]] += 1
    return heads


@compiled(nogil=True)
def _peel(at: I64, heads: I32, waiting: I64) -> I32:
    nodes = len(waiting)
    depth = np.zeros(nodes, np.int32)
    queue = np.empty(nodes, np.int32)
    done = np.zeros(nodes, np.bool_)
    filled = taken = candidate = 0
    for node in range(nodes):
        if waiting[node] == 0:
            queue[filled] = node
            filled += 1
            done[node] = True
    while taken < nodes:
        if taken == filled:  # all that remain are on cycles or behind them
            while done[candidate]:
                candidate += 1
            queue[filled] = candidate
            filled += 1
            done[candidate] = True
        node = queue[taken]
        taken += 1
        for edge in range(at[node], at[node + 1]):
            head = heads[edge]
            waiting[head] -= 1
            if done[head]:
                continue
            depth[head] = max(depth[head], depth[node] + 1)
            if waiting[head] == 0:
                queue[filled] = head
                filled += 1
                done[head] = True
    return depth
