"""Keep each triple of a range once, and remember its further origins."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools
from provhouse.model.columns import ATTRIBUTES, DST, OP, ORIGIN, SRC


@dataclass(frozen=True)
class MoreOrigins:
    """The second and further origins of triples, as pairs of a triple's row and an origin."""

    rows: I64
    origins: I64

    def of(self, chosen: Bools) -> "MoreOrigins":
        """Return the pairs of the chosen rows, renumbered by position among the chosen rows."""
        mine = chosen[self.rows]
        return MoreOrigins((np.cumsum(chosen) - 1)[self.rows[mine]], self.origins[mine])


def distinct(rows: pa.Table) -> tuple[pa.Table, MoreOrigins]:
    """Return each triple once, with its first origin, and the further origins of all triples.

    The triples are ordered by dst, then src.
    """
    none = np.empty(0, np.int64)
    if not rows.num_rows:
        return rows, MoreOrigins(none, none)
    texts = [_codes(rows[name]) for name in (OP, ATTRIBUTES)]
    keys = [*texts, np.asarray(rows[SRC]), np.asarray(rows[DST])]
    order = np.lexsort(keys)
    differs = np.zeros(len(order), bool)
    differs[0] = True
    for key in keys:
        differs[1:] |= np.diff(key[order]) != 0
    once = rows.take(pa.array(order[differs])).combine_chunks()
    return once, _more_origins(np.asarray(rows[ORIGIN], dtype=np.int64), order, differs)


def _more_origins(origins: I64, order: I64, differs: Bools) -> MoreOrigins:
    again = order[~differs]
    row = (np.cumsum(differs) - 1)[~differs]
    other = origins[again] != origins[order[differs]][row]
    pairs = np.unique(np.stack([row[other], origins[again][other]]), axis=1)
    return MoreOrigins(pairs[0], pairs[1])


def _codes(column: pa.ChunkedArray) -> I64:
    """Return a number for each string; equal strings have equal numbers."""
    return np.asarray(column.combine_chunks().dictionary_encode().indices, dtype=np.int64)
