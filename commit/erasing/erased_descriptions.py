"""Remove the descriptions and declarations of ops that occur only in triples of erased items."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import ItemNumbers
from provhouse.model.columns import NAME, OPERATION, PART
from provhouse.model.fault_points import reach
from provhouse.store.tables.delta_tables import stored_files
from provhouse.store.tables.modules import MODULES, OP_PART
from provhouse.store.tables.operations import OPERATIONS
from provhouse.store.tables.snapshot import Snapshot

from .rewriting import rewrite, update_lengths
from .triples import lone_ops, without_used

_NOTHING = ItemNumbers(np.empty(0, np.int64))


def clear_descriptions(bases: Sequence[Snapshot], items: Mapping[int, ItemNumbers]) -> None:
    """Clear all descriptions, in all bases, of ops that only triples of these items have.

    ``items`` has the items by base. The descriptions in all bases must be cleared before any triple
    is cleared. The reason is that a compaction keeps the description of an op whose last triple has
    died, so the triples that show which ops to remove may exist only in an older base. The rows of
    the descriptions stay, but their columns are empty.
    """
    described = [base for base in bases if {OPERATIONS, MODULES} & {*base.commit.tables}]
    if not described:
        return
    lone = set[str]()
    for base in bases:
        if base.commit.base in items:
            lone |= lone_ops(base, items[base.commit.base])
    for base in described:
        _clear(base, without_used(base, lone, items.get(base.commit.base, _NOTHING)))


def _clear(snapshot: Snapshot, ops: set[str]) -> None:
    known = pa.array(sorted(ops), pa.string())
    for table, cleared in _CLEARED.items():
        if table in snapshot.commit.tables:
            _clear_table(snapshot, table, cleared, known)


_CLEARED = {OPERATIONS: OPERATION, MODULES: (NAME, PART)}
"""The columns to clear in each table. The first one contains the op."""


def _clear_table(snapshot: Snapshot, table: str, cleared: Sequence[str], ops: pa.Array) -> None:
    folder = snapshot.folder(table)
    for path in stored_files(folder):
        if pc.any(pc.is_in(pq.read_table(path, partitioning=None)[cleared[0]], ops)).as_py():
            rewrite(path, lambda rows, _: _without(rows, cleared, ops))
            reach("ops cleared")
    update_lengths(folder)


def _without(rows: pa.Table, cleared: Sequence[str], ops: pa.Array) -> pa.Table:
    gone = pc.is_in(rows[cleared[0]], ops)
    if PART in cleared:  # a table may have the same name as the op
        gone = pc.and_(gone, pc.equal(rows[PART], OP_PART).fill_null(False))
    for at, name in enumerate(rows.column_names):
        if name in cleared:
            rows = rows.set_column(at, name, pc.if_else(gone, None, rows[name]))
    return rows
