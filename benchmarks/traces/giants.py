"""Generate LC1 and LC3, two of the three large components of the paper's trace.

They are filings, their text, and facts found in the text. The sets of one split form a block. The
sets of the paper's worked queries come first in their block, so that their layers, triples and
parent sets can be set to the paper's figures.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from benchmarks.traces.connected import (
    Block,
    Inner,
    Links,
    Widest,
    between,
    inner,
    layered,
    sizes,
    trimmed,
)
from benchmarks.traces.parts import SP1, SP2, SP4, Part, Rng, block, linked, part
from benchmarks.traces.workflow import LAST
from provhouse.model.arrays import I64

FEW_ROOTS = (0.27, 0.33)
"""In a shared set of sp2, the shares of its items in the first and in the second layer.

A set of sp2 is shared if it derives from many sets of sp1.
"""


@dataclass(frozen=True)
class Giant:
    """The known figures of LC1 or LC3."""

    items: int
    triples: int
    dependencies: int
    documents: tuple[int, int]
    """The number of the first document, and the number of documents."""
    sp1: tuple[tuple[int, ...], int, int]
    """The sizes of the first sets of sp1, the number of its sets, and the number of its items.

    ``sp2`` has the same structure. So has ``sp3``, but without the number of items.
    """
    sp2: tuple[tuple[int, ...], int, int]
    sp3: tuple[tuple[int, ...], int]
    most: int
    """The largest number of items in a set of sp3 whose size is not given."""
    shared: int
    """The number of shared sets: the first sets of sp2, which derive from many sets of sp1."""
    layers: Mapping[int, tuple[int, ...]]
    """For some sets of sp3, the number of items in each layer."""
    overlap: float
    """The share of the windows of parents in sp3 that overlap (see ``connected``)."""
    wider: int
    """The number of additional items in overlapping windows of parents (see ``connected``).

    It applies to the sets of sp2 that are not shared.
    """
    aggregates: int
    widest: tuple[int, ...]
    worked: Mapping[int, tuple[range, int]] = field(default_factory=dict)
    """For each set of sp3 in a worked query: its parent sets in sp2, and its number of triples."""


SHARED = (21_734, 9_400, 4_300, 2_366)
READ = (118, 125, 122, 119, 131, 108, 127, 120, 124, 117, 126, 123, 127)
"""The sizes of the thirteen sets of sp2 that the paper's worked query LC-SL reads.

They all derive from the second set of sp1.
"""
LARGE = (3_291, 2_810, 2_400, 2_100, 1_850, 1_640, 1_450, 1_300, 1_180, 1_090, 1_040)
SHORT, LONG = len(LARGE), 0
"""The positions in sp3 of the sets that two worked queries of the paper ask about.

The query about the set at ``SHORT`` finds a short lineage, and the query about ``LONG`` a long one.
"""
LC1 = Giant(
    items=1_220_000,
    triples=2_670_000,
    dependencies=284_594,
    documents=(0, 281),
    sp1=((490, 150), 20, 3_105),
    sp2=(SHARED + READ, 29_696, 417_000),
    sp3=((*LARGE, 79), 219_879),
    most=999,
    shared=len(SHARED),
    # Few aggregates in the middle, so that many items derive from thousands of others.
    layers={LONG: (850, 620, 460, 30, 450, 881), SHORT: (26, 27, 26, 0, 0, 0)},
    overlap=0.7,
    wider=1,
    aggregates=2_400,
    widest=(450, 402, 331, 290, 250, 236, 215, 190, 111, 181, 170, 150, *range(144, 100, -4)),
    worked={LONG: (range(4), 4_403), SHORT: (range(4, 17), 102)},
)
LC3 = Giant(
    items=720_000,
    triples=1_160_000,
    dependencies=153_764,
    documents=(281, 118),
    sp1=((313,), 10, 1_200),
    sp2=((2_578,), 15_491, 215_000),
    sp3=((643,), 128_264),
    most=642,
    shared=1,
    layers={0: (150, 130, 120, 110, 80, 53)},
    overlap=0.3,
    wider=0,
    aggregates=700,
    widest=(120, 108, 104),
)


def giant(rng: Rng, first: int, of: Giant) -> Part:
    """Return LC1 or LC3. The graph of its sets is mostly a tree."""
    sp1 = _filings(rng, first, of)
    links = _sp2_links(rng, of, sp1)
    sp2 = _text(rng, of, sp1, links)
    primary = _primary(rng, of, sp2)
    sp3 = _found(rng, of, sp2, primary, first + of.items - sp2.end)
    within = _within(rng, of, sp1, sp2, sp3)
    across = _from_filings(rng, of, sp1, sp2, links)
    so_far = sum(len(each.src) for each in within) + sum(len(src) for src, _ in across)
    known = of.dependencies - len(links.child)
    links = _sp3_links(rng, of, sp3, primary, known)
    across.append(between(rng, sp3, sp2, links, of.triples - so_far))
    return part([sp1, sp2, sp3], within, across)


def _filings(rng: Rng, first: int, of: Giant) -> Block:
    """Return split sp1, in which each set has the filings of some companies."""
    items = sizes(rng, *of.sp1, 20, of.sp1[0][0])
    begin, count = of.documents
    filings = 1 + (items * (count - len(items))) // items.sum()
    filings[: count - filings.sum()] += 1
    document = begin + np.cumsum(filings) - filings
    return block(rng, np.stack([filings, items - filings], 1), first, SP1, LAST["sp1"], document)


def _sp2_links(rng: Rng, of: Giant, sp1: Block) -> Links:
    """Return the links of sp2 to its parent sets.

    The first sets of sp2 are shared: they derive from several sets of sp1. Each of the other sets
    of sp2 derives from one set of sp1.
    """
    sets, known = len(sp1.bounds), len(of.sp2[0])
    others = np.sort(rng.choice(sets, of.sp2[1] - known, p=sp1.sizes / sp1.sizes.sum()))
    child = [np.full(sets // (1 + 2 * n), n) for n in range(of.shared)]
    parent = [rng.permutation(sets)[: len(each)] for each in child]
    return Links(
        np.concatenate([*child, np.arange(of.shared, of.sp2[1])]),
        np.concatenate([*parent, np.ones(known - of.shared, np.int64), others]),
    )


def _text(rng: Rng, of: Giant, sp1: Block, links: Links) -> Block:
    """Return split sp2, the text of the filings."""
    items = sizes(rng, *of.sp2, 2, 999)
    width = layered(rng, items, 3)
    shared = items[: of.shared]
    upper = [(shared * share).astype(np.int64) for share in FEW_ROOTS]
    width[: of.shared] = np.stack([*upper, shared - sum(upper)], 1)
    document = sp1.document[links.parent[np.unique(links.child, return_index=True)[1]]]
    return block(rng, width, sp1.end, SP2, LAST["sp2"], document)


def _primary(rng: Rng, of: Giant, sp2: Block) -> I64:
    """Return the primary parent of each set of sp3: the first set of sp2 that it derives from.

    Neighbouring sets of sp3 often have the same primary parent. Some sets of sp2 are the primary
    parent of many sets of sp3.
    """
    weight = sp2.sizes**0.7 * rng.lognormal(0, 0.8, len(sp2.bounds))
    primary = np.sort(rng.choice(len(weight), of.sp3[1], p=weight / weight.sum()))
    known = len(of.sp3[0])
    primary[:known] = rng.choice(primary, known)
    for number, (above, _) in of.worked.items():
        primary[number] = above[0]
    return primary


def _found(rng: Rng, of: Giant, sp2: Block, primary: I64, items: int) -> Block:
    """Return split sp3, which consists of sp4 and sp5."""
    width = layered(rng, sizes(rng, *of.sp3, items, 1, of.most), 6)
    for number, layers in of.layers.items():
        width[number] = layers
    made = block(rng, width, sp2.end, SP4, LAST["sp5"], sp2.document[primary])
    made.level[list(of.worked)] = SP4
    return made


def _sp3_links(rng: Rng, of: Giant, sp3: Block, primary: I64, count: int) -> Links:
    """Return ``count`` links between the sets of sp3 and their parent sets in sp2.

    For the sets in the paper's worked queries, ``of.worked`` gives the parents.
    """
    fixed = [(number, one) for number, (above, _) in of.worked.items() for one in above[1:]]
    child, parent = np.array(fixed, np.int64).reshape(-1, 2).T
    return linked(rng, sp3, primary, Links(child, parent), count, of.sp2[1], set(of.worked))


def _within(rng: Rng, of: Giant, sp1: Block, sp2: Block, sp3: Block) -> list[Inner]:
    usual = np.arange(len(sp2.bounds)) >= of.shared
    text = inner(rng, sp2, np.where(usual, 0.8, 0.1), np.where(usual, of.wider, 0))
    overlap = np.full(len(sp3.bounds), of.overlap)
    overlap[list(of.worked)] = 1
    found = inner(rng, sp3, overlap, 0, of.aggregates, Widest(of.widest), list(of.worked))
    for number, (_, triples) in of.worked.items():
        found = trimmed(rng, sp3, found, number, triples)
    return [inner(rng, sp1, 0), text, found]


def _from_filings(
    rng: Rng, of: Giant, sp1: Block, sp2: Block, links: Links
) -> list[tuple[I64, I64]]:
    """Return the triples from sp1 to sp2.

    A shared set of sp2 gets only one triple for each item of its first layer, or one for each link
    if it has more links than its first layer has items.
    """
    shared = links.child < of.shared
    few = Links(links.child[shared], links.parent[shared])
    many = Links(links.child[~shared], links.parent[~shared])
    count = int(sp2.roots[of.shared :].sum()) * (1 + of.wider)
    return [between(rng, sp2, sp1, few, None), between(rng, sp2, sp1, many, count)]
