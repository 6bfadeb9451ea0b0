"""Find the set dependencies of an ingest that other ingests have brought too."""

from collections.abc import Iterable
from itertools import chain

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools, SetIds, among
from provhouse.model.columns import DERIVES_FROM, INGEST, OPS, SET, TABLES, TRIPLES
from provhouse.store.tables.snapshot import Snapshot

DEPENDENCY = [SET, DERIVES_FROM, TRIPLES, OPS]
"""The columns of the table ``set_dependencies``, without the ingest."""


def dependencies_again(
    snapshot: Snapshot,
    pairs: Iterable[pa.Table],
    but: int | None = None,
    columns: Iterable[str] = DEPENDENCY,
) -> pa.Table:
    """Return the visible dependencies between the pairs of sets in ``pairs``.

    Rows of the ingest ``but`` are left out. The result has the given columns and the ingest. In
    memory is one number for each pair, and the result, which is small: an ingest adds most of its
    dependencies to new sets, which no other ingest knows.
    """
    wanted = [*dict.fromkeys([*columns, INGEST])]
    found = [pa.schema([TABLES["set_dependencies"].field(name) for name in wanted]).empty_table()]
    if but is not None and snapshot.ingests.num_rows == 1:
        return found[0]
    codes: I64 | None = None
    for rows in snapshot.pieces("set_dependencies", wanted):
        rows = rows.filter(pa.array(np.asarray(rows[INGEST]) != but))
        if not rows.num_rows:
            continue
        if codes is None:
            parts = (_codes(snapshot, piece) for piece in pairs)
            known = [code[shown] for code, shown in parts]
            codes = np.sort(np.concatenate(list(chain([np.empty(0, np.int64)], known))))
        code, _ = _codes(snapshot, rows)
        found.append(rows.filter(pa.array(among(code, codes))))
    return pa.concat_tables(found)


def _codes(snapshot: Snapshot, rows: pa.Table) -> tuple[I64, Bools]:
    """Return one number for each pair of sets, and whether both sets are visible."""
    ids, shown = snapshot.set_ids, np.ones(rows.num_rows, bool)
    code = np.zeros(rows.num_rows, np.int64)
    for column in (SET, DERIVES_FROM):
        sets = SetIds(np.asarray(rows[column]))
        at = np.searchsorted(ids, sets)
        shown &= among(sets, ids)
        code = code * len(ids) + at
    return code, shown
