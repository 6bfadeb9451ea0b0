"""Generate traces whose shape is hard for an ingest, from a number of items and a seed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.traces.repository import history
from benchmarks.traces.trace_files import Trace, in_order
from provhouse.model.arrays import I64

HEIGHT = 6
"""The height of the hash tree in `merkle`."""
DEGREE = 4
"""The number of parents of an item in `bipartite`."""
RUN = (4, 4, 3, 2, 2)
"""The number of items that one run of the workflow in `runs` makes in each table."""
PIPELINE = (1, 2, 2, 1, 2, 1, 2, 2, 1, 2, 1, 2, 2, 1, 2, 1, 2, 2, 1, 2, 1, 2, 2, 1, 1)
"""The number of items at each position of a run in `pipelines`; each position is a table."""
JOINED, GROUPS = 0.55, 3
"""In `pipelines`, the fraction of runs that are joined, and the number of groups they form.

The runs of one group form a component.
"""
RINGS = 50
"""In `cyclic`, about one in ``RINGS`` results feeds back into an input."""


@dataclass(frozen=True)
class Shape:
    """The triples of a generated shape, in any order, and the table of each item."""

    src: I64
    dst: I64
    table: I64
    tables: Sequence[str]
    tabled: bool = True

    def trace(self, name: str) -> Trace:
        """Return the trace of this shape, with distinct triples in the order of their dst."""
        return Trace(
            *in_order(np.arange(len(self.table)), self.src, self.dst),
            self.table.astype(np.int32),
            tuple(self.tables),
            tuple(f"derive_{table}" for table in self.tables),
            np.zeros(len(self.table), np.int32),
            (f"shapes/{name:-<16}",),
            self.tabled,
        )


def chain(items: int, rng: np.random.Generator) -> Shape:
    """Return one path, in which each item is a revision of the item before."""
    number = np.arange(max(items, 2))
    return Shape(number[:-1], number[1:], np.zeros_like(number), ("revisions",))


def instar(items: int, rng: np.random.Generator) -> Shape:
    """Return a star in which one item derives from all other items."""
    number = np.arange(max(items, 2))
    end = len(number) - 1
    return Shape(number[:-1], np.full(end, end), (number == end) * 1, ("readings", "totals"))


def outstar(items: int, rng: np.random.Generator) -> Shape:
    """Return a star in which all other items derive from one item."""
    number = np.arange(max(items, 2))
    first = np.zeros(len(number) - 1, np.int64)
    return Shape(first, number[1:], (number > 0) * 1, ("constants", "results"))


def bipartite(items: int, rng: np.random.Generator) -> Shape:
    """Return two tables of equal size. Items of the second derive from a few items of the first."""
    half = max(items // 2, 1)
    dst = np.repeat(half + np.arange(half), DEGREE)
    src = rng.integers(0, half, len(dst))
    return _used(Shape(src, dst, (np.arange(2 * half) >= half) * 1, ("parts", "wholes")))


def ladder(items: int, rng: np.random.Generator) -> Shape:
    """Return diamonds in a row: two items derive from one, and the next item derives from both."""
    first = 3 * np.arange(max((items - 1) // 3, 1))
    src = np.concatenate([first, first, first + 1, first + 2])
    dst = np.concatenate([first + 1, first + 2, first + 3, first + 3])
    table = np.append(np.tile([0, 1, 2], len(first)), 0)
    return Shape(src, dst, table, ("merged", "left", "right"))


def merkle(items: int, rng: np.random.Generator) -> Shape:
    """Return the history of a hash tree: each version replaces one leaf and all nodes above it.

    A leaf derives from the leaf that it replaces. A node derives from its two children as of that
    version. A version derives from its root and from the previous version.
    """
    per = HEIGHT + 2  # a leaf, the nodes above it, the version
    count = max(items // per, 2)
    changed = rng.integers(0, 1 << HEIGHT, count)
    leaf = per * np.arange(count)
    version = leaf + HEIGHT + 1
    before = _latest(changed, changed)
    known = before >= 0
    src, dst = [leaf[before[known]], version[:-1]], [leaf[known], version[1:]]
    for level in range(HEIGHT):
        other = _latest(changed >> level, (changed >> level) ^ 1)
        known = other >= 0
        src += [leaf + level, leaf[other[known]] + level]
        dst += [leaf + level + 1, leaf[known] + level + 1]
    src.append(version - 1)
    dst.append(version)
    table = np.tile([0, *[1] * HEIGHT, 2], count)
    return Shape(np.concatenate(src), np.concatenate(dst), table, ("leaves", "nodes", "versions"))


def _latest(changed: I64, asked: I64) -> I64:
    """Return, for each version ``v``, the last earlier version that changed the node ``asked[v]``.

    Version ``v`` changed the node ``changed[v]``. If there is no such earlier version, -1 is
    returned.
    """
    count = len(changed)
    version = np.arange(count)
    key = np.sort(changed * count + version)
    place = np.searchsorted(key, asked * count + version) - 1
    found = key[np.maximum(place, 0)]
    there = (place >= 0) & (found // count == asked)
    return np.where(there, found % count, -1)


def runs(items: int, rng: np.random.Generator) -> Shape:
    """Return many small runs of one workflow. Each run reads results of a few earlier runs."""
    per = sum(RUN)
    count = max(items // per, 2)
    begin = per * np.arange(count)
    edge = np.concatenate([[0], np.cumsum(RUN)])
    src, dst = [], []
    for level in range(1, len(RUN)):
        for item in range(edge[level], edge[level + 1]):
            for _ in range(2):
                dst.append(begin + item)
                src.append(begin + rng.integers(edge[level - 1], edge[level], count))
    for item in range(RUN[0]):
        # Most inputs read a recent run. The others read any earlier run.
        back = np.where(
            rng.random(count) < 0.9, rng.geometric(0.1, count), rng.integers(1, count + 1, count)
        )
        earlier = np.arange(count) - back
        reads = (earlier >= 0) & ((rng.random(count) < 0.5) | (item == 0))
        dst.append((begin + item)[reads])
        src.append(per * earlier[reads] + per - 1 - rng.integers(0, RUN[-1], int(reads.sum())))
    table = np.tile(np.repeat(np.arange(len(RUN)), RUN), count)
    names = ("inputs", "cleaned", "features", "models", "results")
    return _used(Shape(np.concatenate(src), np.concatenate(dst), table, names))


def pipelines(items: int, rng: np.random.Generator) -> Shape:
    """Return runs of one pipeline. Many runs are joined, because they read items of earlier runs.

    An item's table is its position in the run. An item derives from one item at the previous
    position, and sometimes also from one at the position before that one. A joined run also reads
    an item at any position of an earlier run. So tables derive from each other in cycles, but items
    do not.
    """
    per = sum(PIPELINE)
    count = max(items // per, 2)
    begin = per * np.arange(count)
    edge = np.concatenate([[0], np.cumsum(PIPELINE)])
    table = np.repeat(np.arange(len(PIPELINE)), PIPELINE)
    src, dst = [], []
    for item in range(edge[1], per):
        for back, often in ((1, 1.0), (2, 1 / 3)):
            position = max(table[item] - back, 0)
            reads = rng.random(count) < often
            src.append((begin + rng.integers(edge[position], edge[position + 1], count))[reads])
            dst.append((begin + item)[reads])
    group = np.where(rng.random(count) < JOINED, rng.integers(0, GROUPS, count), GROUPS)
    for number in range(GROUPS):
        run = begin[group == number]
        reader = np.concatenate(
            [np.arange(1, len(run)), 1 + rng.integers(0, len(run), len(run) // 3)]
        )
        reader = reader[reader < len(run)]
        earlier = (rng.random(len(reader)) * reader).astype(np.int64)
        src.append(run[earlier] + rng.integers(0, per, len(reader)))
        dst.append(run[reader] + rng.integers(0, per, len(reader)))
    names = tuple(f"step_{number:02}" for number in range(len(PIPELINE)))
    return _used(Shape(np.concatenate(src), np.concatenate(dst), np.tile(table, count), names))


def untabled(items: int, rng: np.random.Generator) -> Shape:
    """Return a variant of `runs`: all items are in one table, whose name the files omit."""
    made = runs(items, rng)
    return Shape(made.src, made.dst, np.zeros_like(made.table), ("items",), False)


def cyclic(items: int, rng: np.random.Generator) -> Shape:
    """Return the shape `runs` with cycles.

    Some results feed back into inputs of earlier runs, or into themselves.
    """
    made = runs(items, rng)
    results = np.flatnonzero(made.table == len(RUN) - 1)
    inputs = np.flatnonzero(made.table == 0)
    count = max(len(results) // RINGS, 2)
    place = rng.integers(0, len(results), count)
    back = np.maximum(place * len(inputs) // len(results) - rng.geometric(0.01, count), 0)
    loops = rng.choice(results, max(count // 10, 1))
    src = np.concatenate([made.src, results[place], loops])
    dst = np.concatenate([made.dst, inputs[back], loops])
    return Shape(src, dst, made.table, made.tables)


def zipf(items: int, rng: np.random.Generator) -> Shape:
    """Return five tables. An item's parents are drawn by a power law from the table before."""
    names = ("sources", "records", "joined", "groups", "reports")
    per = max(items // len(names), 2)
    src, dst = [], []
    for level in range(1, len(names)):
        rank = (rng.pareto(0.8, 2 * per) * 3).astype(np.int64)
        popular = rng.permutation(per)[np.where(rank < per, rank, rng.integers(0, per, 2 * per))]
        src.append((level - 1) * per + popular)
        dst.append(level * per + np.arange(2 * per) % per)
    table = np.repeat(np.arange(len(names)), per)
    return _used(Shape(np.concatenate(src), np.concatenate(dst), table, names))


def repository(items: int, rng: np.random.Generator) -> Shape:
    """Return the history of a repository, as described in ``repository``.

    An item's table is its folder. All commits are in one more table.
    """
    return Shape(*history(items, rng))


def _used(shape: Shape) -> Shape:
    """Return the shape without the items that do not occur in any triple."""
    used = np.zeros(len(shape.table), bool)
    used[shape.src] = used[shape.dst] = True
    place = np.cumsum(used) - 1
    return Shape(place[shape.src], place[shape.dst], shape.table[used], shape.tables, shape.tabled)


def _trace(make: Callable[[int, np.random.Generator], Shape]) -> Callable[[int, int], Trace]:
    return lambda items, seed: make(items, np.random.default_rng(seed)).trace(make.__name__)


SHAPES: dict[str, Callable[[int, int], Trace]] = {
    make.__name__: _trace(make)
    for make in (
        chain,
        instar,
        outstar,
        bipartite,
        ladder,
        merkle,
        runs,
        untabled,
        cyclic,
        zipf,
        pipelines,
        repository,
    )
}
