"""What a cut may join: tables or levels of tables, and bands by depth where tables go in circles.

The paper's workflows derive tables from others (CSProv, section IV). A table of versions, of hashes
of hashes or without a name derives from itself, over any number of steps, and no split of tables
can cut it. Items of such tables go by how deep they lie, in bands of about equally many.
"""

from collections.abc import Iterator

import numpy as np

from provhouse.model.arrays import I32

from .components import Edges
from .cycles import depths_over, on_cycles
from .depths import depths
from .distinct import dense_values, distinct_pairs

BANDS = 64
"""Bands that tables which derive from themselves are cut in, all together."""
MAX_GROUPS = 256
"""Groups, since each pair of them is looked at many times."""


def bands(src: Edges, dst: Edges, table: I32, cycle: I32) -> Iterator[I32]:
    """Ways to group the items of a component, as numbers from 0 without gaps; at least one.

    By table; then, as far as that is different, by band where tables derive from themselves, and by
    level of those: the longest way to them. Where a way has too many groups, only the levels are
    left, in bands. ``table`` holds numbers from 0 without gaps, ``cycle`` tells which items are
    derived from each other.
    """
    banded = _banded(src, dst, table, cycle)
    groups = int(banded.max()) + 1
    level = _in_bands(depths(groups, *distinct_pairs(banded[src], banded[dst])), MAX_GROUPS)
    ways = [table] if banded is table else [table, banded]
    yield from (way for way in ways if int(way.max()) < MAX_GROUPS)
    if int(level.max()) + 1 < groups or groups > MAX_GROUPS:
        yield level[banded]


def _banded(src: Edges, dst: Edges, table: I32, cycle: I32) -> I32:
    cyclic = on_cycles(src, dst, table)[table]
    if not cyclic.any():
        return table
    group = table.copy()
    group[cyclic] = int(table.max()) + 1 + _in_bands(depths_over(cycle, src, dst)[cyclic], BANDS)
    return dense_values(group)


def _in_bands(depth: I32, most: int) -> I32:
    """Numbers that follow the depth, about as many items to each, and at most so many."""
    if depth.max() >= most:
        limits = np.quantile(depth, np.arange(1, most) / most, method="nearest")
        depth = np.searchsorted(np.unique(limits), depth, side="right").astype(np.int32)
    return dense_values(depth)
