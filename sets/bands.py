"""Groups of items that a cut may join: by table, by depth, or by level.

In the paper's workflows, each table derives from other tables (CSProv, section IV). But a table of
versions, or of hashes of hashes, derives from itself over any number of steps. Items without a
table may derive from each other in the same way. A split of tables cannot separate the items of
such a table. Instead, these items are divided by depth into bands with about equal numbers of
items.
"""

from collections.abc import Iterator

import numpy as np

from provhouse.model.arrays import I32, unique

from .components import Edges
from .cycles import depths_over, on_cycles
from .depths import depths
from .distinct import dense_values, distinct_pairs

BANDS = 64
"""The largest number of bands. The items in bands are those whose tables derive from themselves."""
MAX_GROUPS = 256
"""The largest number of groups in a grouping.

The contraction looks at each pair of groups many times.
"""


def bands(src: Edges, dst: Edges, table: I32, cycle: I32) -> Iterator[I32]:
    """Yield at least one grouping of a component's items; groups are numbered from 0 without gaps.

    The first grouping is by table. If some tables derive from themselves, the second grouping
    replaces these tables by bands of depth. The last grouping merges groups of the same level. The
    level of a group is the length of the longest path of groups that leads to the group. The first
    or second grouping is left out if it has more than ``MAX_GROUPS`` groups. If there are more than
    ``MAX_GROUPS`` levels, neighboring levels are merged.

    ``table`` holds numbers from 0 without gaps. Items with the same number in ``cycle`` derive from
    each other.
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
    """Return a band for each depth: at most ``most`` bands with about equal numbers of items.

    Bands are numbered in the order of depths.
    """
    if depth.max() >= most:
        limits = np.quantile(depth, np.arange(1, most) / most, method="nearest")
        depth = np.searchsorted(unique(limits), depth, side="right").astype(np.int32)
    return dense_values(depth)
