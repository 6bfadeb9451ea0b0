"""Search for the best cut of large pieces by two methods.

The first method joins tables (``contraction``). The second method puts the items in order and cuts
them into blocks (``ordered_blocks``). It is tried if tables derive from themselves, or if joining
tables does not lead to a small enough cut.

Pieces that have the same tables, and the same dependencies between these tables, are of one kind
and are cut alike. So one search is enough for all copies and all runs of a workflow.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, as_completed, wait
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from provhouse.model.arrays import I32, I64, Bools

from .bands import bands
from .components import Edges, dense
from .contraction import Contraction
from .cycles import cycles, on_cycles
from .depths import neighbours
from .distinct import distinct, distinct_pairs
from .ordered_blocks import blocks
from .packing import pack
from .prices import Pair
from .sampling import UNBOUNDED, SampleReader, SetGraph
from .stars import ALONE, SOURCES, star_sets

ENOUGH = 5
"""A cut is small enough if it has at most one set or dependency for every ``ENOUGH`` items."""
FREE = 1_000
"""A cut is fast enough if sampled questions read at most this many triples on average.

This limit applies if tables derive from themselves. Of the cuts that are fast enough, the search
chooses the one with the smallest set graph. Reading this many triples takes less time than looking
up the item that a question names.
"""
FREE_PART = 100
"""For a small component, the number by which its number of triples is divided to get the limit.

This limit applies instead of ``FREE`` if it is lower.
"""
MOST_THREADS = 4
"""The largest number of pieces that are searched at the same time."""
PACKING_FACTOR = 5
"""Quick packing is tried only if the set graph is at most this many times as large as allowed."""


@dataclass(frozen=True)
class Piece:
    """A connected piece of a graph.

    Tables are numbered from 0, edges connect positions of items.
    """

    items: I32
    table: I32
    src: I32
    dst: I32
    kind: bytes
    """A digest of the piece's tables and of the dependencies between these tables."""


@dataclass(frozen=True)
class CutPlan:
    """A plan for cutting all pieces of a kind, found for the first such piece.

    ``grouping`` is the number of the grouping, and ``taken`` has the joined pairs of groups.
    """

    grouping: int
    taken: list[Pair]


Plans: TypeAlias = dict[bytes, CutPlan | None]
"""The plan for each kind of pieces that was searched, or None if no plan was found."""


def find_sets(
    label: I32,
    src: Edges,
    dst: Edges,
    table: I32,
    theta: int,
    limit: int,
    plans: Plans | None = None,
    bar: I32 | None = None,
) -> I32:
    """Return the set of each item, named by one of its items. A piece below ``theta`` is one set.

    ``label`` numbers the pieces from 0. Sets will be packed up to ``limit`` items. ``plans`` has
    the plans of earlier pieces; the plans of these pieces are added. ``bar`` has, for each item,
    the threshold of its piece, which replaces theta: pieces with fewer items are not searched.
    """
    sets = _first_items(label)
    plans = {} if plans is None else plans
    bar = np.full(len(label), theta, np.int32) if bar is None else bar
    if limit > 1:  # below, packing is turned off
        most = min(SOURCES * limit, theta - 1)
        found = star_sets(label, src, dst, table, _are_large(label, bar), most, ENOUGH)
        cut = found != ALONE
        sets[cut] = found[cut]
        bar = np.where(cut, np.iinfo(np.int32).max, bar)
    pieces = _large_pieces(label, src, dst, table, bar)
    for piece, roots in _side_by_side(pieces, lambda piece: _roots(piece, theta, limit, plans)):
        sets[piece.items] = piece.items[roots]
    return sets


def _side_by_side(
    pieces: Iterator[Piece], search: Callable[[Piece], I32]
) -> Iterator[tuple[Piece, I32]]:
    """Search pieces in as many threads as there are cores; yield each piece with its result.

    The first piece of a kind makes the plan for the others, so these wait for it. No more pieces
    are in memory than there are threads.
    """
    threads = min(MOST_THREADS, os.cpu_count() or 1)
    running: dict[Future[I32], Piece] = {}
    first: dict[bytes, Future[I32]] = {}

    def after(before: Future[I32], piece: Piece) -> I32:
        wait([before])
        return search(piece)

    with ThreadPoolExecutor(threads, "search") as pool:
        for piece in pieces:
            if piece.kind in first:
                future = pool.submit(after, first[piece.kind], piece)
            else:
                future = first[piece.kind] = pool.submit(search, piece)
            running[future] = piece
            if len(running) == threads:
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(future), future.result()
        for future in as_completed(running):
            yield running[future], future.result()


def _roots(piece: Piece, theta: int, limit: int, plans: Plans) -> I32:
    """Return the set of each item of a piece, named by one of its items."""
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
    reader = SampleReader.of(piece.src, piece.dst, piece.table)

    # Pieces below theta join stored items, so that rows may derive from stored rows of their table.
    cyclic = len(piece.items) < theta or on_cycles(piece.src, piece.dst, piece.table).any()
    free = min(FREE, len(piece.src) // FREE_PART) * 2 * len(reader.samples) if cyclic else 0

    def in_blocks() -> tuple[I32, int]:
        edges = piece.src, piece.dst
        return blocks(*edges, piece.table, theta, cycle, packed, reader, free)

    if plan is None and piece.kind in plans:
        return in_blocks()[0]
    best, least, plan = None, UNBOUNDED, None
    if cyclic:
        best, least = in_blocks()
        if least <= free:
            groupings = []
    for number in range(len(groupings)):
        contraction = begun(number)
        if contraction.find(packed, reader, least - 1):
            best, least = contraction.roots(), contraction.read
            plan = CutPlan(number, contraction.plan)
    plans.setdefault(piece.kind, plan)
    return in_blocks()[0] if best is None else best


def _large_pieces(label: I32, src: Edges, dst: Edges, table: I32, bar: I32) -> Iterator[Piece]:
    """Yield the pieces that have at least the number of items in ``bar``, largest first."""
    sizes = np.bincount(label)
    large = np.flatnonzero(_are_large(label, bar))
    if not len(large):
        return
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
        yield Piece(items, own.astype(np.int32), from_, to, _kind(tables, own[from_], own[to]))


def _are_large(label: I32, bar: I32) -> Bools:
    """Return, for each piece, whether it has at least the number of items in ``bar``."""
    sizes = np.bincount(label)
    bars = np.zeros(len(sizes), np.int32)
    bars[label] = bar
    return sizes >= bars


def _kind(tables: I32, from_: I64, to: I64) -> bytes:
    """Return a digest of a piece's tables, and of the pairs of tables that have edges between them.

    The pairs are listed instead of marked in a matrix, because a piece may have as many tables as
    items, and the matrix would be huge.
    """
    return sha256(tables.tobytes() + distinct(from_ * len(tables) + to).tobytes()).digest()


def _as_met(src: I32, dst: I32) -> I64:
    """Return the items in the order in which the edges first name them.

    Files tend to name an item near the items that it derives from, and the search is faster if such
    items are close to each other. If items are in the order of hashes instead, the search takes
    nine times as long on the paper's trace.
    """
    met = np.column_stack((src, dst)).ravel()[::-1]
    first = np.empty(int(met.max()) + 1, np.int64)
    first[met] = np.arange(len(met))[::-1]
    return np.argsort(first)


def _runs(rank: I32, count: int) -> Iterator[I32]:
    """For each number from 0 to ``count`` - 1, yield its positions in ``rank``."""
    at, places = neighbours(count + 1, rank, np.arange(len(rank), dtype=np.int32))
    for start, end in pairwise(at[:-1].tolist()):
        yield places[start:end]


class _Packed:
    """A packer of the sets of a piece. It returns the packed sets if they are few enough."""

    def __init__(self, piece: Piece, limit: int) -> None:
        self._piece, self._limit = piece, limit
        self._most = len(piece.items) // ENOUGH

    def __call__(self, roots: I32, thorough: bool) -> SetGraph | None:
        label, count = dense(roots)
        child, parent = self._dependencies(label)
        size = count + len(child)
        if size > self._most and (thorough or size <= PACKING_FACTOR * self._most):
            sizes, group = np.bincount(label), np.zeros(count, np.int32)
            label = pack(count, sizes, child, parent, group, self._limit, self._most)[label]
            child, parent = self._dependencies(label)
        graph = SetGraph(label, child, parent)
        return graph if graph.size <= self._most else None

    def _dependencies(self, label: I32) -> tuple[I32, I32]:
        return distinct_pairs(label[self._piece.dst], label[self._piece.src])


def _first_items(label: I32) -> I32:
    """Return, for each item, the first item that has the same label."""
    first = np.empty(int(label.max(initial=-1)) + 1, np.int32)
    first[label[::-1]] = np.arange(len(label), dtype=np.int32)[::-1]  # the value written last stays
    return first[label]
