"""Improve an assignment of items to sets by simulated annealing.

The goal is that questions read fewer triples. Each step moves one item, a few connected items, or
all items of a set. They go to a nearby set or to an empty set.
"""

from time import perf_counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from benchmarks.sets.cuts import Large, dependencies
from provhouse.model.arrays import I32, I64
from provhouse.sets.depths import depths, neighbours

HOT, COLD = 1e-2, 1e-5
"""Temperatures at the beginning and the end.

Differences of energy are compared with them. The energy is the logarithm of the number of triples
that questions read, plus a penalty.
"""
FINE = 4.0
"""The penalty for an assignment with twice as many sets and dependencies as allowed.

It is added to the logarithm of the number of triples that questions read.
"""
BATCH = 500
"""The number of steps at one temperature."""
NEW = 0.15
"""The share of steps that move items to an empty set."""

U8 = npt.NDArray[np.uint8]


class Items(NamedTuple):
    """The graph of items: the neighbours of each item in both directions.

    In ``heads``, the children of ``n`` begin at ``at[n]``, and its parents at ``middle[n]``.
    """

    at: I64
    middle: I64
    heads: I32
    depth: I32
    parents: I64
    """For each item, the number of triples whose ``dst`` it is."""


class Sets(NamedTuple):
    """An assignment of items to sets, and the graph of these sets. Some sets may be empty."""

    label: I32
    size: I64
    asked: I64
    """For each set, the number of its items that have a lineage."""
    own: I64
    """The number of triples in each set."""
    links: I32
    """The number of triples from one set (column) into another (row)."""
    parents: I32
    """For each set (row), the sets that it derives from: ``degree`` entries, unordered."""
    place: I32
    """If set ``n`` derives from set ``m``, then ``parents[n, place[n, m]]`` is ``m``."""
    degree: I64
    totals: I64
    """Two counts: of the sets that have items, and of the dependencies between sets."""


def annealed(
    graph: Large, label: I32, most: int, theta: int, seconds: float, seed: int
) -> tuple[I32, int]:
    """Return the best assignment found that keeps the bounds, and the number of steps.

    An assignment keeps the bounds if it has at most ``most`` sets and dependencies together, and if
    each set has fewer than ``theta`` items. If no assignment does, a copy of ``label`` is returned.
    """
    items = _items(graph)
    sets = _sets(items, label, graph, most)
    _seed(seed)
    best, steps = label.copy(), 0
    least = _anneal(items, sets, _by_depth(sets, items), most, theta, HOT, np.inf, best, 0)
    begin = perf_counter()
    while (passed := (perf_counter() - begin) / seconds) < 1:
        heat = HOT * (COLD / HOT) ** passed
        order = _by_depth(sets, items)
        met = np.empty_like(label)
        reached = _anneal(items, sets, order, most, theta, heat, least, met, BATCH)
        if reached < least:
            best, least = met, reached
        steps += BATCH
    return best, steps


def _items(graph: Large) -> Items:
    down, up = (
        neighbours(graph.items, *ends) for ends in ((graph.src, graph.dst), (graph.dst, graph.src))
    )
    parts = [
        part
        for item in range(graph.items)
        for at, heads in (down, up)
        for part in (heads[at[item] : at[item + 1]],)
    ]
    at = down[0] + up[0]
    depth = depths(graph.items, graph.src, graph.dst)
    return Items(at, at[:-1] + np.diff(down[0]), np.concatenate(parts), depth, np.diff(up[0]))


def _sets(items: Items, label: I32, graph: Large, most: int) -> Sets:
    """Return the sets of ``label`` and their graph, in arrays with room for ``most`` sets."""
    room = max(most, int(label.max()) + 1)
    child, parent = dependencies(graph, label)
    links = np.zeros((room, room), np.int32)
    np.add.at(links, (label[graph.dst], label[graph.src]), 1)
    np.fill_diagonal(links, 0)
    parents, place = np.zeros_like(links), np.zeros_like(links)
    at = np.searchsorted(child, np.arange(room + 1))
    place[child, parent] = np.arange(len(child)) - at[child]
    parents[child, place[child, parent]] = parent
    size, asked, own = (
        np.bincount(label, weight, room).astype(np.int64)
        for weight in (None, items.parents > 0, items.parents)
    )
    totals = np.array([np.count_nonzero(size), len(child)])
    return Sets(label.copy(), size, asked, own, links, parents, place, np.diff(at), totals)


def _by_depth(sets: Sets, items: Items) -> I64:
    """Return the sets in the order of the mean depth of their items.

    In this order, most sets come after the sets that they derive from.
    """
    depth = np.bincount(sets.label, items.depth, len(sets.size)) / np.maximum(sets.size, 1)
    return np.argsort(depth, kind="stable")


@njit(cache=True)
def _seed(seed: int) -> None:
    np.random.seed(seed)


@njit(cache=True)
def _anneal(
    items: Items,
    sets: Sets,
    order: I64,
    most: int,
    theta: int,
    heat: float,
    least: float,
    met: I32,
    steps: int,
) -> float:
    """Run ``steps`` steps at one temperature, and return the fewest triples read so far.

    Only assignments with at most ``most`` sets and dependencies count. ``least`` is the fewest
    triples read with any of them before these steps. If steps find assignments with which fewer
    triples are read, the best of these is written to ``met``. Otherwise ``met`` is not changed.
    """
    reach = np.empty((len(order), len(order)), np.uint8)
    chosen, old = np.empty(len(sets.label), np.int32), np.empty(len(sets.label), np.int32)
    graph, read = sets.totals.sum(), _read_by_all(sets, order, reach)
    if graph <= most:
        least = min(least, read)
    energy = _energy(read, graph, most)
    for _ in range(steps):
        first = np.random.randint(len(sets.label))
        to = _target(items, sets, first)
        count = _choose(items, sets, first, chosen)
        if to < 0 or to == sets.label[first] or sets.size[to] + count >= theta:
            continue
        for number in range(count):
            old[number] = sets.label[chosen[number]]
            _move(items, sets, chosen[number], to)
        graph = sets.totals.sum()
        read = _read_by_all(sets, order, reach)
        now = _energy(read, graph, most)
        if now > energy and np.random.random() >= np.exp((energy - now) / heat):
            for number in range(count):
                _move(items, sets, chosen[number], old[number])
            continue
        energy = now
        if graph <= most and read < least:
            least = read
            met[:] = sets.label
    return least


@njit(cache=True)
def _energy(read: float, graph: int, most: int) -> float:
    return float(np.log(read)) + FINE * max(0, graph - most) / most


@njit(cache=True)
def _read_by_all(sets: Sets, order: I64, reach: U8) -> float:
    """Return the total of the triples that questions about all derived items read.

    There are two questions about each item: for its lineage and for its impact.
    """
    for one in order:
        reach[one] = 0
        reach[one, one] = 1
    changed = True
    while changed:  # two passes if the order is right and there are no cycles
        changed = False
        for one in order:
            mine = reach[one]
            before = mine.sum() if sets.degree[one] else 0
            for number in range(sets.degree[one]):
                theirs = reach[sets.parents[one, number]]
                for other in range(len(mine)):
                    mine[other] |= theirs[other]
            changed |= sets.degree[one] > 0 and mine.sum() != before
    used = np.flatnonzero(sets.size)
    total = 0
    for one in used:
        for far in used:
            both = sets.asked[one] * sets.own[far] + sets.asked[far] * sets.own[one]
            total += reach[one, far] * both
    return float(total)


@njit(cache=True)
def _target(items: Items, sets: Sets, first: int) -> int:
    """Draw a set for items to move to, and return it.

    It is an empty set, or the set of an item that is one or two triples away from ``first``. If an
    empty set is drawn but all sets have items, -1 is returned.
    """
    if np.random.random() < NEW:
        start = np.random.randint(len(sets.size))
        for number in range(len(sets.size)):
            free = (start + number) % len(sets.size)
            if sets.size[free] == 0:
                return int(free)
        return -1
    near = _neighbour(items, first)
    return int(sets.label[near if np.random.random() < 0.5 else _neighbour(items, near)])


@njit(cache=True)
def _neighbour(items: Items, item: int) -> int:
    return int(items.heads[np.random.randint(items.at[item], items.at[item + 1])])


@njit(cache=True)
def _choose(items: Items, sets: Sets, first: int, chosen: I32) -> int:
    """Write the items to move to the beginning of ``chosen``, and return their number.

    All of them are in the set of ``first``. At random, they are all its items, its items that are
    at least as deep as ``first``, a few items that are connected to ``first``, or ``first`` alone.
    """
    own = sets.label[first]
    way = np.random.randint(10)
    if way < 2:
        count = 0
        for item in range(len(sets.label)):
            if sets.label[item] == own and (way or items.depth[item] >= items.depth[first]):
                chosen[count] = item
                count += 1
        return count
    most = 1 if way < 6 else 1 << np.random.randint(1, 7)
    chosen[0] = first
    count, taken = 1, 0
    while taken < count < most:
        item = chosen[taken]
        taken += 1
        begin = items.middle[item] if way == 8 else items.at[item]
        end = items.middle[item] if way == 9 else items.at[item + 1]
        for edge in range(begin, end):
            near = items.heads[edge]
            if count < most and sets.label[near] == own and near not in chosen[:count]:
                chosen[count] = near
                count += 1
    return count


@njit(cache=True)
def _move(items: Items, sets: Sets, item: int, to: int) -> None:
    """Move an item into another set."""
    own = sets.label[item]
    for edge in range(items.at[item], items.at[item + 1]):
        near, child = sets.label[items.heads[edge]], edge < items.middle[item]
        if items.heads[edge] == item:
            continue
        for more in (-1, 1):
            mine = own if more < 0 else to
            if mine != near:
                _link(sets, near if child else mine, mine if child else near, more)
    for more in (-1, 1):
        mine = own if more < 0 else to
        sets.totals[0] -= sets.size[mine] > 0
        sets.size[mine] += more
        sets.totals[0] += sets.size[mine] > 0
        sets.own[mine] += more * items.parents[item]
        sets.asked[mine] += more * (items.parents[item] > 0)
    sets.label[item] = to


@njit(cache=True)
def _link(sets: Sets, child: int, parent: int, more: int) -> None:
    """Change the number of triples from one set to another by ``more``, which is 1 or -1."""
    was = sets.links[child, parent]
    sets.links[child, parent] = was + more
    last = sets.degree[child]
    if was == 0:
        sets.parents[child, last] = parent
        sets.place[child, parent] = last
        sets.degree[child] += 1
        sets.totals[1] += 1
    elif was + more == 0:
        gap, moved = sets.place[child, parent], sets.parents[child, last - 1]
        sets.parents[child, gap] = moved
        sets.place[child, moved] = gap
        sets.degree[child] -= 1
        sets.totals[1] -= 1
