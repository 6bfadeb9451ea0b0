"""Remove duplicate triples, and keep all of their origins."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64, Bools
from provhouse.model.columns import (
    ATTRIBUTES,
    DERIVATION,
    DST,
    KIND,
    OP,
    ORIGIN,
    ROLE,
    SRC,
    VALUE,
)
from provhouse.model.derivations import GROUP_PREFIX, KINDS

from .place_derivations import ALONE, changes, codes, derivations, groups, said
from .repeated import counted
from .sort_keys import packed, sorted_by


@dataclass(frozen=True)
class MoreOrigins:
    """The second and further origins of triples, as pairs of a triple's row and an origin."""

    rows: I64
    origins: I64

    def of(self, chosen: Bools) -> "MoreOrigins":
        """Return the pairs of the chosen rows, with the chosen rows numbered from 0."""
        mine = chosen[self.rows]
        return MoreOrigins((np.cumsum(chosen) - 1)[self.rows[mine]], self.origins[mine])


@dataclass(frozen=True)
class DistinctRows:
    """The distinct triples of a range, ordered by dst, then src."""

    rows: pa.Table
    """The triples, each with its first origin."""
    derivations: I64
    """A number for the derivation of each triple, or ``ALONE``."""
    more: MoreOrigins


def distinct(rows: pa.Table, *, labels_differ: bool = False) -> DistinctRows:
    """Return the distinct triples. The function ``derivations`` explains ``labels_differ``.

    Triples also differ if they are in different derivations, or have a different kind, value, times
    or role. Equal rows of an aggregate in one file become one triple, whose ``times`` is the number
    of these rows. If ``labels_differ`` is true, ``times`` is kept, because equal rows have been
    counted before.
    """
    if not rows.num_rows:
        none = np.empty(0, np.int64)
        return DistinctRows(rows, none, MoreOrigins(none, none))
    derivation = np.full(rows.num_rows, ALONE)
    tie, derived = [], DERIVATION in rows.column_names or KIND in rows.column_names
    if derived:
        group = groups(rows)
        rows = rows if labels_differ else _counted(rows, group)
        derivation = derivations(rows, group, labels_differ=labels_differ)
        tie = [group]  # of several equal derivations, keeps one's rows
    texts = [codes(rows[name]) for name in (OP, ATTRIBUTES)]
    keys = [*texts, np.asarray(rows[SRC]), np.asarray(rows[DST])]
    if derived:
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


def _counted(rows: pa.Table, group: I64) -> pa.Table:
    """Return the rows with ``times`` added up where a file repeats a row of an aggregate.

    In rows of groups, ``times`` is unchanged: repeated rows were already counted for each label,
    and several labels may have the same inputs.
    """
    if KIND not in rows.column_names:
        return rows
    aggregate = np.asarray(rows[KIND].fill_null(ALONE), np.int64) == KINDS["aggregate"]
    if not aggregate.any():
        return rows
    if DERIVATION in rows.column_names:
        aggregate &= ~np.asarray(pc.equal(rows[DERIVATION], GROUP_PREFIX).fill_null(False))
    chosen = np.flatnonzero(aggregate)
    columns = [codes(rows[name])[chosen] for name in (VALUE, ROLE, OP, ATTRIBUTES, ORIGIN)
               if name in rows.column_names]  # fmt: skip
    return counted(rows, chosen, [group[chosen], np.asarray(rows[SRC], np.int64)[chosen], *columns])


def _more_origins(origins: I64, order: I64, differs: Bools) -> MoreOrigins:
    again = order[~differs]
    row = (np.cumsum(differs) - 1)[~differs]
    other = origins[again] != origins[order[differs]][row]
    pairs = np.unique(np.stack([row[other], origins[again][other]]), axis=1)
    return MoreOrigins(pairs[0], pairs[1])
