"""Search for the best cut of large pieces: try several ways and keep the best.

The first way joins tables (``contraction``). If tables derive from themselves, or if joining tables
is not enough, the items are also put in order and cut into blocks (``ordered_blocks``).

Pieces with the same tables, and the same dependencies between them, are of one kind and are cut
alike. So one search is enough for all copies of a workflow, and for each time it was run.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from provhouse.model.arrays import I32, I64

from .bands import bands
from .components import Edges, dense
from .contraction import Contraction, Pair
from .cycles import cycles, on_cycles
from .distinct import distinct_pairs
from .ordered_blocks import blocks
from .packing import pack
from .sampling import UNBOUNDED, Reader

ENOUGH = 5
"""A cut is small enough if it has at most one set or dependency for every ``ENOUGH`` items."""
PACKING_FACTOR = 5
"""Quick packing is tried if the set graph is at most this many times as large as allowed."""


@dataclass(frozen=True)
class Piece:
    """A connected piece: items, their tables numbered from 0, and edges as positions of items."""

    items: I64
    table: I32
    src: I32
    dst: I32
    kind: bytes
    """The piece's tables and the dependencies between them."""


@dataclass(frozen=True)
class Plan:
    """The cut of a kind's first piece: the number of the grouping, and the joined groups."""

    grouping: int
    taken: list[Pair]


def find_sets(label: I32, src: Edges, dst: Edges, table: I32, theta: int, limit: int) -> I32:
    """Return the set of each item, as one of its items; a piece below ``theta`` is one set.

    ``label`` numbers the pieces from 0. Sets will be packed up to ``limit`` items.
    """
    sets = _first_items(label)
    plans: dict[bytes, Plan | None] = {}
    for piece in _large_pieces(label, src, dst, table, theta):
        sets[piece.items] = piece.items[_roots(piece, theta, limit, plans)]
    return sets


def _roots(piece: Piece, theta: int, limit: int, plans: dict[bytes, Plan | None]) -> I32:
    """Return the set of each item of a piece, as one of its items."""
    cycle = cycles(len(piece.items), piece.src, piece.dst)
    groupings = list(bands(piece.src, piece.dst, piece.table, cycle))

    def begun(number: int) -> Contraction:
        return Contraction(piece.src, piece.dst, groupings[number], theta, cycle)

    plan = plans.get(piece.kind)
    if plan and plan.grouping < len(groupings):
        contraction = begun(plan.grouping)
        if contraction.follow(plan.taken):
            return contraction.roots()
    packed = _Packed(piece, limit)
    reader = Reader.of(piece.src, piece.dst, piece.table)

    def in_blocks() -> tuple[I32, int]:
        return blocks(piece.src, piece.dst, theta, cycle, packed, reader)

    if plan is None and piece.kind in plans:
        return in_blocks()[0]
    best, least, plan = None, UNBOUNDED, None
    if on_cycles(piece.src, piece.dst, piece.table).any():
        best, least = in_blocks()
    for number in range(len(groupings)):
        contraction = begun(number)
        if contraction.find(packed, reader, least - 1):
            best, least = contraction.roots(), contraction.read
            plan = Plan(number, contraction.plan)
    plans[piece.kind] = plan
    return in_blocks()[0] if best is None else best


def _large_pieces(label: I32, src: Edges, dst: Edges, table: I32, theta: int) -> Iterator[Piece]:
    """Yield the pieces of at least ``theta`` items, the largest first."""
    sizes = np.bincount(label)
    large = np.flatnonzero(sizes >= theta)
    large = large[np.argsort(-sizes[large], kind="stable")]
    rank = np.full(len(sizes), len(large), np.int32)
    rank[large] = np.arange(len(large))
    inside = np.where(label[src] == label[dst], rank[label[src]], len(large))
    place = np.empty(len(label), np.int32)
    edges = _runs(inside, len(large))
    for items, between in zip(_runs(rank[label], len(large)), edges, strict=True):
        place[items] = np.arange(len(items), dtype=np.int32)
        order = _as_met(place[src[between]], place[dst[between]])
        items = items[order]
        place[items] = np.arange(len(items), dtype=np.int32)
        from_, to = place[src[between]], place[dst[between]]
        tables, own = np.unique(table[items], return_inverse=True)
        pairs = np.zeros(len(tables) ** 2, bool)
        pairs[own[from_] * len(tables) + own[to]] = True
        kind = tables.tobytes() + pairs.tobytes()
        yield Piece(items, own.astype(np.int32), from_, to, kind)


def _as_met(src: I32, dst: I32) -> I64:
    """Return the items in the order in which the edges name them.

    Files tend to name an item near the items it derives from. In the order of hashes, the search
    takes nine times as long on the paper's trace.
    """
    met = np.column_stack((src, dst)).ravel()[::-1]
    first = np.empty(int(met.max()) + 1, np.int64)
    first[met] = np.arange(len(met))[::-1]
    return np.argsort(first)


def _runs(rank: I32, count: int) -> Iterator[I64]:
    """Yield, for each rank below ``count`` in order, the rows that have the rank."""
    order = np.argsort(rank, kind="stable")
    yield from np.split(order, np.searchsorted(rank[order], np.arange(1, count + 1)))[:count]


class _Packed:
    """Packs the sets of a piece and returns them if they are few enough."""

    def __init__(self, piece: Piece, limit: int) -> None:
        self._piece, self._limit = piece, limit
        self._most = len(piece.items) // ENOUGH

    def __call__(self, roots: I32, thorough: bool) -> I32 | None:
        label, count = dense(roots)
        child, parent = self._dependencies(label)
        graph = count + len(child)
        if graph > self._most and (thorough or graph <= PACKING_FACTOR * self._most):
            sizes, group = np.bincount(label), np.zeros(count, np.int32)
            label = pack(count, sizes, child, parent, group, self._limit, self._most)[label]
            graph = int(label.max()) + 1 + len(self._dependencies(label)[0])
        return label if graph <= self._most else None

    def _dependencies(self, label: I32) -> tuple[I32, I32]:
        return distinct_pairs(label[self._piece.dst], label[self._piece.src])


def _first_items(label: I32) -> I32:
    """Return for each item the first item with the same label."""
    first = np.full(int(label.max(initial=-1)) + 1, len(label), np.int64)
    np.minimum.at(first, label, np.arange(len(label)))
    return first.astype(np.int32)[label]
