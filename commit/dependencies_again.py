"""Find the set dependencies of an ingest that other ingests have brought too."""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools, SetIds, among
from provhouse.model.columns import DERIVES_FROM, INGEST, OPS, SET, TRIPLES
from provhouse.store.tables.snapshot import Snapshot

DEPENDENCY = [SET, DERIVES_FROM, TRIPLES, OPS]
"""The columns of the table ``set_dependencies``, without the ingest."""


def dependencies_again(
    snapshot: Snapshot,
    pairs: Iterable[pa.Table],
    but: int | None = None,
    columns: Iterable[str] = DEPENDENCY,
) -> Iterator[pa.Table]:
    """Yield the visible dependencies between the pairs of sets in ``pairs``, in several tables.

    Rows of the ingest ``but`` are left out. The tables have the given columns and the ingest. Both
    tables are read in pieces; the snapshot's room has one number for each of ``pairs``.
    """
    wanted = [*dict.fromkeys([*columns, INGEST])]
    if but is not None and snapshot.ingests.num_rows == 1:
        return
    codes: I64 | None = None
    for rows in snapshot.pieces("set_dependencies", wanted):
        rows = rows.filter(pa.array(np.asarray(rows[INGEST]) != but))
        if not rows.num_rows:
            continue
        if codes is None:
            parts = (pair_codes(snapshot, piece) for piece in pairs)
            codes = snapshot.room.distinct(code[shown] for code, shown in parts)
        code, _ = pair_codes(snapshot, rows)
        again = rows.filter(pa.array(among(code, codes)))
        if again.num_rows:
            yield again


def pair_codes(snapshot: Snapshot, rows: pa.Table) -> tuple[I64, Bools]:
    """Return one number for each pair of sets, and whether both sets are visible."""
    ids, shown = snapshot.set_ids, np.ones(rows.num_rows, bool)
    code = np.zeros(rows.num_rows, np.int64)
    for column in (SET, DERIVES_FROM):
        sets = SetIds(np.asarray(rows[column]))
        at = np.searchsorted(ids, sets)
        shown &= among(sets, ids)
        code = code * len(ids) + at
    return code, shown
