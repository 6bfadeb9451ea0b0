"""Append the rows of an ingest to the tables of a base."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import Bools, among, unique
from provhouse.model.columns import DERIVES_FROM, INGEST, OPS, SET, TABLES, TRIPLES
from provhouse.store.tables.delta_tables import append_rows, in_pieces
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import check_lock

OPS_KEPT = 20
"""The largest number of ops listed for a set dependency or for a pair of item tables.

Only people read these ops.
"""


@dataclass(frozen=True)
class Target:
    """Where an ingest writes its rows: the base, the ingest's number, and its first partition."""

    layout: Layout
    base: int
    ingest: int
    first_partition: int


def append(target: Target, name: str, tables: Iterable[pa.Table]) -> int:
    """Append rows of an ingest, with its number, to a table; return the table's new version.

    If there are no rows, nothing is written and the result is -1. Only one piece of the rows is in
    memory at a time, provided that ``tables`` are made or memory-mapped one after another. Raises
    Busy if another writer has taken the lock.
    """
    pieces = (_with_ingest(rows, target.ingest, name) for rows in in_pieces(tables))
    first = next(pieces, None)
    if first is None:
        return -1
    check_lock(target.layout)
    folder = target.layout.table(target.base, name)
    return append_rows(folder, name, chain([first], pieces), target.ingest)


def _with_ingest(rows: pa.Table, ingest: int, name: str) -> pa.Table:
    """Return the rows with all columns of the table ``name``, in the table's order of columns."""
    if INGEST not in rows.column_names:
        numbers = pa.repeat(pa.scalar(ingest, pa.int32()), rows.num_rows)
        rows = rows.append_column(INGEST, numbers)
    return rows.select(TABLES[name].names)


def merged(tables: Sequence[pa.Table], *keys: str) -> pa.Table:
    """Return one row for each value of the keys, with summed triple counts and the distinct ops.

    If any value occurs in several rows, each returned row lists at most ``OPS_KEPT`` ops.
    """
    rows = pa.concat_tables(tables)
    sums = rows.group_by(list(keys), use_threads=False).aggregate([(TRIPLES, "sum")])
    if sums.num_rows == rows.num_rows:  # all keys are distinct
        return rows
    order = [(key, "ascending") for key in keys]
    sums = sums.rename_columns([*keys, TRIPLES]).sort_by(order)
    # Sorted by key, the two tables have matching rows. Arrow cannot join tables with list columns.
    return sums.append_column(OPS, _ops(rows, keys).sort_by(order)[OPS])


def merged_ranges(ranges: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield the set dependencies of ranges of triples, with one row for each pair of sets.

    The ranges are in the order of sets, and in each range's rows, a pair occurs only once. So a
    pair can only occur again in the next range if its set is the last set of its range. Only one
    range at a time is in memory.
    """
    held: pa.Table | None = None
    for rows in ranges:
        if not rows.num_rows:
            continue
        sets = np.asarray(rows[SET])
        if (sets[1:] < sets[:-1]).any():  # Arrow does not promise the order of groups
            rows = rows.take(pa.array(np.argsort(sets, kind="stable")))
            sets = np.asarray(rows[SET])
        if held is not None:
            again = int(np.searchsorted(sets, held[SET][0].as_py(), "right"))
            if again:
                both = merged([held, rows.slice(0, again)], SET, DERIVES_FROM)
                held = both.select(rows.column_names).cast(rows.schema)
            rows, sets = rows.slice(again), sets[again:]
            if not rows.num_rows:
                continue
            yield held
        last = int(np.searchsorted(sets, sets[-1]))
        yield rows.slice(0, last)
        held = rows.slice(last)
    if held is not None:
        yield held


def pairs_among(rows: pa.Table, others: pa.Table) -> Bools:
    """Return, for each row, whether its pair of sets also occurs in ``others``.

    The result is used instead of a join, since Arrow does not join tables with list columns.
    """
    near = among(np.asarray(others[SET]), unique(rows[SET]))
    others = others.select([SET, DERIVES_FROM]).filter(pa.array(near))
    codes = []
    for column in (SET, DERIVES_FROM):
        both = np.concatenate([np.asarray(rows[column]), np.asarray(others[column])])
        codes.append(np.unique(both, return_inverse=True)[1])
    code = codes[0] * (int(codes[1].max(initial=0)) + 1) + codes[1]
    return np.isin(code[: rows.num_rows], code[rows.num_rows :])


def _ops(rows: pa.Table, keys: Iterable[str]) -> pa.Table:
    keys = list(keys)
    owner = pc.list_parent_indices(rows[OPS].combine_chunks())
    flat = rows.select(keys).take(owner)
    flat = flat.append_column(OPS, pc.list_flatten(rows[OPS]))
    flat = flat.group_by([*keys, OPS], use_threads=False).aggregate([])
    lists = flat.group_by(keys, use_threads=False).aggregate([(OPS, "list")])
    few = pc.list_slice(lists[f"{OPS}_list"], 0, OPS_KEPT, return_fixed_size_list=False)
    return lists.select(keys).append_column(OPS, few)
