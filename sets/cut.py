"""Algorithm 3 of CSProv (section IV): cut large pieces into connected sets below theta.

The paper cuts along splits that a person names, and stops after the last split. Here, the module
``search`` then cuts the pieces that are still too large. If no splits are given, ``search`` cuts
all large pieces. Answers are right with every cut (``docs/decisions/0004-tables.md``); a better cut
only lets queries read less.
"""

from collections.abc import Sequence

import numpy as np

from provhouse.model.arrays import I32

from .components import Edges, dense, flatten, join_within
from .distinct import dense_values
from .search import Plans, find_sets


def cut(
    piece: I32,
    src: Edges,
    dst: Edges,
    table: I32,
    theta: int,
    splits: Sequence[I32] = (),
    limit: int = 0,
    plans: Plans | None = None,
    bars: I32 | None = None,
) -> tuple[I32, int]:
    """Cut pieces into sets below ``theta`` items; return each item's set and the number of sets.

    ``piece`` is the number of each item's connected piece, from 0. ``src`` and ``dst`` are the
    edges within pieces, and ``table`` is each item's table. ``splits`` is a result of
    ``split_codes``. ``limit`` is the size in items up to which the caller will pack sets; the cut
    takes this into account. ``plans`` is passed on to ``find_sets``. ``bars`` has a threshold for
    each piece, which replaces theta: pieces with fewer items are not cut. Sets are numbered from 0.
    """
    sets = piece.copy()
    sizes = np.bincount(piece)
    bars = np.full(len(sizes), theta, np.int32) if bars is None else bars
    large = (sizes >= bars[: len(sizes)])[piece]
    if not large.any():
        return sets, int(piece.max(initial=-1)) + 1
    place = np.cumsum(large, dtype=np.int32) - np.int32(1)
    inside = large[src]
    piece, src, dst = piece[large], place[src[inside]], place[dst[inside]]
    label, bar = dense_values(piece), bars[piece]
    table = table[large]
    for level in splits:
        still = np.bincount(label)[label] >= theta
        side = np.where(still, level[table], -2).astype(np.int32)
        label = _relabel(label, src, dst, side)
    sets[large] = find_sets(label, src, dst, table, theta, limit, plans, bar)
    sets[large] += np.int32(len(sizes))
    sets = dense_values(sets)
    return sets, int(sets.max(initial=-1)) + 1


def _relabel(label: I32, src: Edges, dst: Edges, side: I32) -> I32:
    """Cut each piece between items of different splits; return each item's part.

    ``label`` has the piece of each item, and ``side`` has the split of each item. A part is
    connected, and parts are numbered from 0.
    """
    parent = np.arange(len(label), dtype=np.int32)
    join_within(parent, src, dst, label, side)
    flatten(parent)
    return dense(parent)[0]
