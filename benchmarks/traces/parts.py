"""Functions and constants that all generators of the paper's components share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.traces.connected import Block, Inner, Links, bounds
from benchmarks.traces.workflow import ROUTES
from provhouse.model.arrays import I64

Rng = np.random.Generator

SP1, SP2, SP4, SP5 = 0, 2, 5, 7
"""The levels of the workflow at which splits begin. The split sp3 consists of sp4 and sp5."""
DOCUMENTS = 532


@dataclass(frozen=True)
class Part:
    """Several components of the generated trace: consecutive blocks of items, and their triples."""

    blocks: Sequence[Block]
    src: I64
    dst: I64


def part(
    blocks: Sequence[Block], within: Sequence[Inner], across: Sequence[tuple[I64, I64]] = ()
) -> Part:
    """Return the part that consists of these blocks and triples."""
    src = [each.src for each in within] + [each[0] for each in across]
    dst = [each.dst for each in within] + [each[1] for each in across]
    return Part(blocks, np.concatenate(src), np.concatenate(dst))


def block(rng: Rng, width: I64, first: int, level: int, last: int, document: I64) -> Block:
    """Return a block of sets with layers of these widths.

    A set begins at a random level of the workflow, which is at least ``level``. The level of the
    set's last layer is at most ``last``.
    """
    room = last - level + 1 - (width > 0).sum(axis=1)
    begin = level + (rng.random(len(width)) ** 2 * (room + 1)).astype(np.int64)
    return Block(bounds(width, first), begin, rng.integers(0, len(ROUTES), len(width)), document)


def linked(
    rng: Rng, of: Block, primary: I64, known: Links, count: int, parents: int, closed: set[int]
) -> Links:
    """Return ``count`` links between sets and their parent sets, of three kinds.

    The three kinds are the links from ``primary``, which has one parent for each set; the links in
    ``known``; and random links. A random link leads to a set near the primary parent, or to any
    set. A set gets several random links if it has many items in its first layer and is not in
    ``closed``.

    Raises ValueError if too few links are possible.
    """
    sets = len(of.bounds)
    several = np.minimum(of.roots // 8, 12)
    several[list(closed)] = 0
    links = 1 + np.bincount(known.child, minlength=sets)
    single = np.flatnonzero((of.roots < 8) & (links < 2 * of.roots))
    child = np.concatenate([np.repeat(np.arange(sets), several), rng.permutation(single)])
    near = primary[child] + rng.geometric(0.2, len(child)) * rng.choice((-1, 1), len(child))
    parent = np.where(rng.random(len(child)) < 0.7, near, rng.integers(0, parents, len(child)))
    child = np.concatenate([np.arange(sets), known.child, child])
    parent = np.concatenate([primary, known.parent, parent % parents])
    kept = np.sort(np.unique(child * parents + parent, return_index=True)[1])[:count]
    if len(kept) < count:
        raise ValueError(f"only {len(kept)} of {count} links are possible")
    return Links(child[kept], parent[kept])
