"""Cut new items that join stored components, so that questions read few stored sets.

In the search for a cut, each stored set counts as one more item, from which new items derive. So
the search keeps new items that derive from stored sets apart from new items that do not. For the
same reason, new items that derive from nothing get sets of their own. These sets have no triples,
so reading them costs nothing, even when they are packed into large sets.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from provhouse.model.arrays import I32

from .components import Edges
from .distinct import coded, decoded, dense_values, distinct

STORED = np.iinfo(np.int32).max
"""The table number of the items that stand for stored sets."""
Cut: TypeAlias = Callable[[I32, Edges, Edges, I32], tuple[I32, int]]
"""A function that cuts pieces.

Its arguments are the piece of each item, the src and the dst of each edge, and the table of each
item. It returns the set of each item, and the number of sets.
"""


def cut_appended(
    outside: tuple[I32, I32], piece: I32, src: Edges, dst: Edges, table: I32, cut: Cut
) -> tuple[I32, int]:
    """Return the set of each new item, and the number of sets.

    ``outside`` has distinct pairs of a new item and the number of a stored set that it derives
    from. Without pairs, the result is what ``cut`` returns for the other arguments.
    """
    item, stored = outside
    if not len(item):
        return cut(piece, src, dst, table)
    code = coded(piece[item], stored)
    sets = distinct(code.copy())
    place = np.searchsorted(sets, code).astype(np.int32) + np.int32(len(piece))
    found, _ = cut(
        np.concatenate([piece, decoded(sets)[0]]),
        np.concatenate([src, place]),
        np.concatenate([dst, item]),
        np.concatenate([table, np.full(len(sets), STORED, np.int32)]),
    )
    joined = np.zeros(int(piece.max()) + 1, np.int32)
    joined[piece[item]] = 1
    derived = np.zeros(len(piece), np.int32)
    derived[dst] = derived[item] = 1
    label = dense_values(np.int32(2) * found[: len(piece)] + derived * joined[piece])
    return label, int(label.max(initial=-1)) + 1
