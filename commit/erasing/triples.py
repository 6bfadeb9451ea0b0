"""Remove op and attributes from triples that touch erased items.

The rows of the triples stay, so questions still reach the items downstream of an erased item, and
all references to rows by place stay valid.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import (
    I64,
    Bools,
    ItemNumbers,
    PartitionNumber,
    SetId,
    among,
    minus,
    unique,
)
from provhouse.model.columns import ATTRIBUTES, DERIVES_FROM, DST, OP, OPS, SET, SRC, TRIPLE
from provhouse.model.fault_points import reach
from provhouse.store.tables.delta_tables import stored_files
from provhouse.store.tables.partitions import read_partition
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.tables.touching import (
    LINK_CLEARED,
    count_described,
    partitions_touching,
    touching,
)

from .rewriting import rewrite, update_lengths

Pairs = dict[tuple[SetId, SetId], set[str]]
"""Ops for each pair of sets. The first set of a pair derives from the second."""
_COUNTED = ("set_dependencies", "workflow")
"""The Delta tables with triple counts and ops."""


def clear_links(snapshot: Snapshot, items: ItemNumbers) -> int:
    """Remove op and attributes from all triples that touch the items; return their number."""
    links = 0
    for partition in partitions_touching(snapshot, items).tolist():
        path = snapshot.partition_path(partition)
        rows = read_partition(path, (*TRIPLE, *LINK_CLEARED))
        touched = touching(rows, items)
        links += int(touched.sum())
        if count_described(rows.filter(pa.array(touched))):
            rewrite(path, lambda rows, _: _without_text(rows, items))
            reach("links cleared")
    update_lengths(snapshot.folder("triples"))
    return links


def _without_text(rows: pa.Table, items: ItemNumbers) -> pa.Table:
    touched = pa.array(touching(rows, items))
    for name in (OP, ATTRIBUTES):
        at = rows.column_names.index(name)
        rows = rows.set_column(at, name, pc.if_else(touched, "", rows[name]))
    for at, name in enumerate(rows.column_names):
        if name in LINK_CLEARED:
            rows = rows.set_column(at, name, pc.if_else(touched, None, rows[name]))
    return rows


def lone_ops(snapshot: Snapshot, items: ItemNumbers) -> set[str]:
    """Return the base's ops that occur only in triples that touch the given items."""
    touched = partitions_touching(snapshot, items)
    lone: set[str] = set()
    for partition in touched.tolist():
        rows = read_partition(snapshot.partition_path(partition), (SRC, DST, OP))
        lone |= _ops(rows.filter(pa.array(touching(rows, items))))
    return without_used(snapshot, lone - {""}, items)


def without_used(snapshot: Snapshot, ops: set[str], items: ItemNumbers) -> set[str]:
    """Return those of the given ops that occur only in triples that touch the items."""
    for others in _other_ops(snapshot, items) if ops else ():
        ops = ops - others
        if not ops:
            break
    return ops


def _other_ops(snapshot: Snapshot, items: ItemNumbers) -> Iterator[set[str]]:
    """Yield, partition by partition, the ops of the triples that do not touch the items."""
    touched = partitions_touching(snapshot, items)
    for partition in touched.tolist():
        rows = read_partition(snapshot.partition_path(partition), (SRC, DST, OP))
        yield _ops(rows.filter(pa.array(~touching(rows, items))))
    for partition in minus(snapshot.partitions, touched).tolist():
        yield _ops(read_partition(snapshot.partition_path(partition), (OP,)))


def _ops(rows: pa.Table) -> set[str]:
    return set(pc.unique(rows[OP]).to_pylist())


def lone_ops_of_pairs(snapshot: Snapshot, items: ItemNumbers) -> Pairs:
    """Return, for each pair of sets, the ops that an erasure removes from all triples between them.

    These are the ops that, among the triples between the two sets, occur only in triples that touch
    the items. A pair without such ops is left out.
    """
    touched = partitions_touching(snapshot, items).tolist()
    lone: Pairs = {}
    for partition in touched:
        for pair, op in _across(snapshot, partition, lambda rows: touching(rows, items)):
            lone.setdefault(pair, set()).add(op)
    for partition in touched:  # all triples of these pairs are here
        for pair, op in _across(snapshot, partition, lambda rows: ~touching(rows, items)):
            lone.get(pair, set()).discard(op)
    return {pair: ops for pair, ops in lone.items() if ops - {""}}


def _across(
    snapshot: Snapshot, partition: PartitionNumber, chosen: Callable[[pa.Table], Bools]
) -> Iterator[tuple[tuple[SetId, SetId], str]]:
    """Yield each pair of sets that triples connect, once for each op of these triples.

    ``chosen`` returns a mask of the triples that count. In a pair, the set of dst comes first.
    """
    rows = read_partition(snapshot.partition_path(partition), (SRC, DST, OP))
    rows = rows.filter(pa.array(chosen(rows)))
    src, dst = (
        snapshot.ids_of(snapshot.set_rows(ItemNumbers(np.asarray(rows[end], np.int64))))
        for end in (SRC, DST)
    )
    named = pa.table({SET: dst, DERIVES_FROM: src, OP: rows[OP]}).filter(pa.array(src != dst))
    for row in named.group_by([SET, DERIVES_FROM, OP]).aggregate([]).to_pylist():
        yield (row[SET], row[DERIVES_FROM]), row[OP]


def clear_ops(snapshot: Snapshot, ops: set[str], pairs: Pairs) -> None:
    """Remove ops from the tables with counts.

    ``ops`` are removed from all rows. The ops of a pair in ``pairs`` are removed only from the rows
    about this pair of sets.
    """
    for name in _COUNTED:
        folder = snapshot.folder(name)
        for path in stored_files(folder):
            rows = pq.read_table(path, partitioning=None)
            if not _without(rows, ops, pairs).equals(rows):
                rewrite(path, lambda rows, _: _without(rows, ops, pairs))
                reach("ops cleared")
        update_lengths(folder)


def _without(rows: pa.Table, ops: set[str], pairs: Pairs) -> pa.Table:
    """Return rows without the given ops. Only the few rows with such ops become Python lists."""
    column = rows[OPS].combine_chunks()
    naming = _rows_naming(rows, column, ops, pairs)
    if not len(naming):
        return rows
    some = rows.take(pa.array(naming))
    gone: list[set[str]] = [ops] * some.num_rows
    if SET in rows.column_names:
        ends = zip(some[SET].to_pylist(), some[DERIVES_FROM].to_pylist(), strict=True)
        gone = [ops | pairs.get(pair, set()) for pair in ends]
    # A row without any remaining op gets the empty op, like triples that were ingested without one.
    lists = [
        [op for op in each if op not in without] or [""]
        for each, without in zip(some[OPS].to_pylist(), gone, strict=True)
    ]
    at = np.arange(rows.num_rows)
    at[naming] = rows.num_rows + np.arange(len(naming))
    changed = pa.concat_arrays([column, pa.array(lists, column.type)]).take(pa.array(at))
    return rows.set_column(rows.column_names.index(OPS), OPS, changed)


def _rows_naming(rows: pa.Table, column: pa.ListArray, ops: set[str], pairs: Pairs) -> I64:
    """Return the numbers of the rows that may have one of the ops, or one of the pairs of sets."""
    named = pc.is_in(pc.list_flatten(column), pa.array(sorted(ops), pa.string()))
    found = np.zeros(rows.num_rows, bool)
    found[np.asarray(pc.list_parent_indices(column).filter(named), dtype=np.int64)] = True
    if SET in rows.column_names and pairs:
        ends = [np.asarray(rows[end], dtype=np.int64) for end in (SET, DERIVES_FROM)]
        child, parent = (unique(each) for each in np.array([*pairs], np.int64).T)
        found |= among(ends[0], child) & among(ends[1], parent)
    return np.flatnonzero(found)
