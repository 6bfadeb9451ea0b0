"""Make the connected sets of a generated trace. The sets of one split form a block.

The items of a set are in layers. The parents of an item are neighbouring items in the layer above,
like the paragraphs that a sentence comes from; they are the *window* of the item. Aggregates have
further parents outside their window. In the second layer, neighbouring windows overlap by one item.
This connects the first two layers with the fewest triples. In the lower layers, an item needs only
one parent to be connected, so its other triples are *spare*: they may be left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from provhouse.model.arrays import I32, I64, Bools

FEW = 9
"""The largest number of parents that an item has within its set, unless it is an aggregate."""
CROSS = 8
"""The largest number of parents that an item has in other sets."""
AGGREGATE = (11, 99)
"""The smallest and the largest number of parents of a usual aggregate, an item with many parents.

A few aggregates have even more parents; see ``Widest``.
"""


@dataclass(frozen=True)
class Widest:
    """Aggregates with unusually many parents.

    They are in the first ``sets`` sets of a block, and if possible in the layer ``layer``.
    """

    parents: Sequence[int] = ()
    """The number of parents of each of the aggregates."""
    sets: int = 11
    layer: int = 3


F64 = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True)
class Block:
    """The sets of one split. Items are numbered set by set, and by layer within a set."""

    bounds: I64
    """The first item of each layer, and the end of the last layer. Shape: sets, layers + 1."""
    level: I64
    """The level of the workflow at which each set begins."""
    route: I64
    """The number of the route in ``workflow.ROUTES`` that each set takes."""
    document: I64
    """The document that each set belongs to."""

    @property
    def sizes(self) -> I64:
        """The number of items of each set."""
        sizes: I64 = self.bounds[:, -1] - self.bounds[:, 0]
        return sizes

    @property
    def roots(self) -> I64:
        """The number of items in the first layer of each set."""
        roots: I64 = self.bounds[:, 1] - self.bounds[:, 0]
        return roots

    @property
    def end(self) -> int:
        """The number of the last item plus one."""
        return int(self.bounds[-1, -1])

    def per_item(self) -> tuple[I64, I64]:
        """Return the set and the layer of each item."""
        sets, layers = len(self.bounds), self.bounds.shape[1] - 1
        of = np.repeat(np.arange(sets * layers), np.diff(self.bounds, axis=1).ravel())
        return of // layers, of % layers


@dataclass(frozen=True)
class Inner:
    """The triples within the sets of a block."""

    src: I64
    dst: I64
    spare: Bools
    """For each triple, whether its set stays connected without it."""

    def without(self, dropped: I64) -> "Inner":
        """Return all triples except those at the positions ``dropped``."""
        kept = np.ones(len(self.src), bool)
        kept[dropped] = False
        return Inner(self.src[kept], self.dst[kept], self.spare[kept])


def sizes(
    rng: np.random.Generator, given: Sequence[int], count: int, total: int, least: int, most: int
) -> I64:
    """Return the sizes of ``count`` sets, which sum up to ``total``.

    The first sizes are ``given``. The other sizes are from ``least`` to ``most``, with a heavy
    tail. Raises ValueError if such sizes cannot sum up to ``total``.
    """
    others = count - len(given)
    needed = total - sum(given)
    if not others * least <= needed <= others * most:
        raise ValueError(f"{others} sets of {least} to {most} items cannot have {needed} in total")
    weight = rng.lognormal(0, 1.1, others)
    low, high = 0.0, 8.0 * most
    for _ in range(60):
        scale = (low + high) / 2
        drawn = np.minimum(least + (weight * scale).astype(np.int64), most)
        low, high = (scale, high) if drawn.sum() <= needed else (low, scale)
    drawn = np.minimum(least + (weight * low).astype(np.int64), most)
    while missing := needed - int(drawn.sum()):  # add an item to some sets that have room
        drawn[np.flatnonzero(drawn < most)[:missing]] += 1
    return np.concatenate([np.array(given, np.int64), drawn])


def layered(rng: np.random.Generator, sizes: I64, most: int) -> I64:
    """Return the number of items in each layer of each set.

    A set has at most ``most`` layers. A set of several items has at least two layers.
    """
    layers = np.minimum(sizes, rng.integers(2, most + 1, len(sizes)))
    layers = np.where(sizes >= 30 * most, most, layers)
    weight = rng.uniform(0.6, 1.4, (len(sizes), most))
    weight[np.arange(most) >= layers[:, None]] = 0
    share = weight / weight.sum(axis=1)[:, None]
    width: I64 = (weight > 0) + ((sizes - layers)[:, None] * share).astype(np.int64)
    width[:, 0] += sizes - width.sum(axis=1)
    return width


def bounds(width: I64, first: int) -> I64:
    """Return the bounds of all layers of all sets.

    ``width`` has the number of items in each layer. ``first`` is the number of the first item.
    """
    begin = first + np.concatenate([[0], np.cumsum(width.ravel())])
    rows = np.arange(len(width))[:, None] * width.shape[1]
    result: I64 = begin[rows + np.arange(width.shape[1] + 1)]
    return result


def inner(
    rng: np.random.Generator,
    block: Block,
    overlap: float | F64,
    wider: int | I64 = 0,
    aggregates: int = 0,
    widest: Widest = Widest(),
    apart: Sequence[int] = (),
) -> Inner:
    """Derive each layer from the one above, and return the triples.

    The window of an item is its neighbouring parents. From the third layer on, ``overlap`` is the
    share of windows that overlap the next one. These windows have ``wider`` additional items. Each
    of these two parameters is one number for all sets, or an array with a number for each set.
    ``aggregates`` is the number of items that get 11 to 99 parents, some of them outside the
    window. None of these items is in the sets ``apart``. A few further items get the numbers of
    parents in ``widest``.
    """
    owner, layer = block.per_item()
    item = np.flatnonzero(layer > 0)
    owner, layer = owner[item], layer[item]
    above, begin, end = (block.bounds[owner, layer + shift] for shift in (-1, 0, 1))
    place, count, parents = item + block.bounds[0, 0] - begin, end - begin, begin - above
    low = place * parents // count
    sets = len(block.bounds)
    overlaps = rng.random(len(item)) < np.broadcast_to(overlap, sets)[owner]
    extra = np.broadcast_to(wider, sets)[owner] * overlaps
    high = np.minimum(
        (place + 1) * parents // count + extra, np.minimum(parents - 1, low + FEW - 1)
    )
    high = np.where((layer > 1) & ~overlaps, low, high)
    width = high - low + 1
    more = np.zeros(len(item), np.int64)
    if aggregates:
        able = (layer > 1) & ~np.isin(owner, apart)
        more += _usual(rng, able, parents, width, aggregates)
    for number, needed in enumerate(widest.parents):
        able = (parents >= needed) & (more == 0)
        first = able & (owner == number % widest.sets)
        best = first & (layer == widest.layer)
        host = rng.choice(np.flatnonzero(next(some for some in (best, first, able) if some.any())))
        more[host] = needed - width[host]
    dst = item + block.bounds[0, 0]
    near, step = ragged(width)
    far, jump = ragged(more)
    # The other parents of an aggregate are spread over the layer outside its window.
    stride = np.maximum((parents - width) // np.maximum(more, 1), 1)
    away = (high[far] + 1 + jump * stride[far]) % parents[far]
    return Inner(
        np.concatenate([above[near] + low[near] + step, above[far] + away]),
        np.concatenate([dst[near], dst[far]]),
        np.concatenate([(step > 0) & (layer[near] > 1) & (more[near] == 0), far < 0]),
    )


def _usual(rng: np.random.Generator, able: Bools, parents: I64, width: I64, count: int) -> I64:
    """Choose ``count`` items as usual aggregates.

    Returns for each item how many parents it gets outside its window: 0 if it was not chosen.
    """
    least, most = AGGREGATE
    rows = np.flatnonzero(able & (parents >= least))
    weight = 1 / parents[rows] ** 2.0  # so that small sets have aggregates too
    chosen = rng.choice(rows, count, replace=False, p=weight / weight.sum())
    drawn = least + (rng.pareto(1.5, count) * 6).astype(np.int64)
    more = np.zeros(len(able), np.int64)
    more[chosen] = np.minimum(drawn, np.minimum(parents[chosen], most)) - width[chosen]
    return more


def ragged(counts: I64) -> tuple[I64, I64]:
    """Return each element's row, and its position in the row.

    Row ``n`` has ``counts[n]`` elements.
    """
    row = np.repeat(np.arange(len(counts)), counts)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)


def trimmed(rng: np.random.Generator, block: Block, of: Inner, number: int, triples: int) -> Inner:
    """Leave out random spare triples of the set ``number``, so that it has ``triples`` triples.

    Raises ValueError if the set has fewer triples, or too few spare triples.
    """
    begin, end = block.bounds[number, 0], block.bounds[number, -1]
    inside = (of.dst >= begin) & (of.dst < end)
    surplus, spare = int(inside.sum()) - triples, np.flatnonzero(inside & of.spare)
    if not 0 <= surplus <= len(spare):
        raise ValueError(f"cannot leave out {surplus} triples: only {len(spare)} are spare")
    return of.without(rng.choice(spare, surplus, replace=False))


@dataclass(frozen=True)
class Links:
    """Links between blocks: set ``child[n]`` of one derives from set ``parent[n]`` of another."""

    child: I64
    parent: I64


def between(
    rng: np.random.Generator, child: Block, parent: Block, links: Links, triples: int | None
) -> tuple[I64, I64]:
    """Return triples from items of parent sets to the first layer of child sets.

    Each link has at least one triple, and all links together have ``triples`` triples. The items
    of a child set's first layer are divided among the links to this set. If ``triples`` is None,
    each link has one triple for each item that it gets.
    """
    order = np.argsort(links.child, kind="stable")
    to, of = links.child[order], links.parent[order]
    several = np.bincount(to, minlength=len(child.bounds))[to]
    turn = ragged(np.bincount(to, minlength=len(child.bounds)))[1]
    roots = child.roots[to]
    begin = turn * roots // several  # the links to a set share its first layer
    width = np.maximum((turn + 1) * roots // several - begin, 1)
    pool_begin = np.where(parent.sizes > parent.roots, parent.bounds[:, 1], parent.bounds[:, 0])[of]
    pool = parent.bounds[of, -1] - pool_begin
    most = width * np.minimum(pool, np.where(several > roots, CROSS // 2, CROSS))
    if (several > 2 * roots).any():
        raise ValueError("a set derives from too many sets for the items of its first layer")
    count = width if triples is None else _shares(rng, most, width, triples)
    row, number = ragged(count)
    root, away = number % width[row], number // width[row]
    start = rng.integers(0, pool)[row]
    place = (start + root * pool[row] // width[row] + away) % pool[row]
    return pool_begin[row] + place, child.bounds[to, 0][row] + begin[row] + root


def _shares(rng: np.random.Generator, most: I64, width: I64, total: int) -> I64:
    """Return the number of triples of each link, which is at least one."""
    if not len(most) <= total <= most.sum():
        count = len(most)
        raise ValueError(f"{count} links can have {count} to {most.sum()} triples, not {total}")
    weight = rng.uniform(0.5, 1.5, len(most)) * width
    low, high = 0.0, float(2 * CROSS)
    for _ in range(60):
        scale = (low + high) / 2
        drawn = np.clip((weight * scale).astype(np.int64), 1, most)
        low, high = (scale, high) if drawn.sum() <= total else (low, scale)
    drawn = np.clip((weight * low).astype(np.int64), 1, most)
    while missing := total - int(drawn.sum()):
        drawn[np.flatnonzero(drawn < most)[:missing]] += 1
    return drawn


def tables_of(blocks: Sequence[Block], routes: I32) -> tuple[I32, I32, I32]:
    """Return the workflow table, level and document of each item of consecutive blocks."""
    parts = []
    for block in blocks:
        owner, layer = block.per_item()
        level = block.level[owner] + layer
        parts.append((routes[block.route[owner], level], level, block.document[owner]))
    table, level, document = (
        np.concatenate(each).astype(np.int32) for each in zip(*parts, strict=True)
    )
    return table, level, document
