"""Remove duplicate triples, but keep all origins that brought them."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools
from provhouse.model.columns import ATTRIBUTES, DERIVATION, DST, KIND, OP, ORIGIN, SRC

from .place_derivations import ALONE, changes, codes, derivations, groups, said
from .sort_keys import packed, sorted_by


@dataclass(frozen=True)
class MoreOrigins:
    """The second and further origins of triples, as pairs of a triple's row and an origin."""

    rows: I64
    origins: I64

    def of(self, chosen: Bools) -> "MoreOrigins":
        """Return the pairs of the chosen rows, renumbered by position among the chosen rows."""
        mine = chosen[self.rows]
        return MoreOrigins((np.cumsum(chosen) - 1)[self.rows[mine]], self.origins[mine])


@dataclass(frozen=True)
class DistinctRows:
    """The triples of a range, each once, ordered by dst, then src."""

    rows: pa.Table
    """The triples with their first origin."""
    derivations: I64
    """A number for the derivation of each triple, or ``ALONE``."""
    more: MoreOrigins


def distinct(rows: pa.Table, *, labels_differ: bool = False) -> DistinctRows:
    """Return each triple once; ``labels_differ`` is explained in ``derivations``.

    Triples that are in different derivations, or differ in kind, value, times or role, are
    different.
    """
    if not rows.num_rows:
        none = np.empty(0, np.int64)
        return DistinctRows(rows, none, MoreOrigins(none, none))
    texts = [codes(rows[name]) for name in (OP, ATTRIBUTES)]
    keys = [*texts, np.asarray(rows[SRC]), np.asarray(rows[DST])]
    derivation = np.full(rows.num_rows, ALONE)
    tie = []
    if DERIVATION in rows.column_names or KIND in rows.column_names:
        group = groups(rows)
        derivation = derivations(rows, group, labels_differ=labels_differ)
        tie = [group]  # of equal derivations, keep the rows of one
        keys = [derivation, *said(rows), *keys]
    sortable = packed(keys)
    order = sorted_by(packed([*tie, *sortable]))
    differs = changes(sortable, order)
    once = order[differs]
    return DistinctRows(
        rows.take(pa.array(once)).combine_chunks(),
        derivation[once],
        _more_origins(np.asarray(rows[ORIGIN], dtype=np.int64), order, differs),
    )


def _more_origins(origins: I64, order: I64, differs: Bools) -> MoreOrigins:
    again = order[~differs]
    row = (np.cumsum(differs) - 1)[~differs]
    other = origins[again] != origins[order[differs]][row]
    pairs = np.unique(np.stack([row[other], origins[again][other]]), axis=1)
    return MoreOrigins(pairs[0], pairs[1])
