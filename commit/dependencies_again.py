"""Find the set dependencies of an ingest that other ingests have added too."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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
    """Yield, as several tables, the visible dependencies between the pairs of sets in ``pairs``.

    Rows of the ingest ``but``, which added the pairs, are left out. The yielded tables have the
    given columns and the ingest. Both ``pairs`` and the stored dependencies are read in pieces; the
    snapshot's room holds one number for each pair.
    """
    wanted = [*dict.fromkeys([*columns, INGEST])]
    codes: I64 | None = None
    ingests = snapshot.ingests[INGEST]
    if but is not None and len(ingests) == 1:
        return
    if but is not None and but == ingests[-1].as_py():  # earlier ingests lack the new sets
        codes = _distinct(snapshot, _older(snapshot, pairs, but))
        ends = snapshot.pieces("set_dependencies", [SET, DERIVES_FROM, INGEST])
        # Ops take most of the time to read, and new triples rarely repeat a stored dependency.
        if not len(codes) or not any(map(len, _again(snapshot, ends, but, lambda: codes))):
            return
    stored = snapshot.pieces("set_dependencies", wanted)
    known = cache(lambda: _distinct(snapshot, pairs) if codes is None else codes)
    yield from _again(snapshot, stored, but, known)


def _again(
    snapshot: Snapshot, stored: Iterable[pa.Table], but: int | None, codes: Callable[[], I64]
) -> Iterator[pa.Table]:
    """Yield the stored dependencies whose pairs have one of the given codes.

    Rows of the ingest ``but`` are left out.
    """
    for rows in stored:
        others = np.asarray(rows[INGEST]) != but
        if not others.any():
            continue
        if not others.all():
            rows = rows.filter(pa.array(others))
        again = among(pair_codes(snapshot, rows)[0], codes())
        if again.any():
            yield rows.filter(pa.array(again))


def _older(snapshot: Snapshot, pairs: Iterable[pa.Table], ingest: int) -> Iterator[pa.Table]:
    """Yield the pairs in which both sets are older than the given ingest.

    Newer sets have higher ids.
    """
    made = (rows[SET] for rows in snapshot.pieces("sets", [SET], ingest) if rows.num_rows)
    first = min((pc.min(ids).as_py() for ids in made), default=None)
    for rows in pairs:
        if first is not None:
            both = pc.and_(pc.less(rows[SET], first), pc.less(rows[DERIVES_FROM], first))
            rows = rows.filter(both)
        if rows.num_rows:
            yield rows


def _distinct(snapshot: Snapshot, pairs: Iterable[pa.Table]) -> I64:
    parts = (pair_codes(snapshot, piece) for piece in pairs)
    return snapshot.room.distinct(code[shown] for code, shown in parts)


def pair_codes(snapshot: Snapshot, rows: pa.Table) -> tuple[I64, Bools]:
    """Return a number for each row's pair of sets, and whether both sets are visible."""
    ids, shown = snapshot.set_ids, np.ones(rows.num_rows, bool)
    code = np.zeros(rows.num_rows, np.int64)
    for column in (SET, DERIVES_FROM):
        sets = SetIds(np.asarray(rows[column]))
        at = snapshot.positions(sets)
        if len(ids):
            shown &= ids[np.minimum(at, len(ids) - 1)] == sets
        code = code * len(ids) + at
    return code, shown
