"""Remove the descriptions of ops that only triples of erased items have had."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import ItemNumbers
from provhouse.model.columns import OP, OPERATION
from provhouse.model.faults import reach
from provhouse.store.tables.delta import stored_files
from provhouse.store.tables.operations import OPERATIONS
from provhouse.store.tables.snapshot import Snapshot

from .rewriting import rewrite, update_lengths
from .triples import lone_ops, without_used

_NOTHING = ItemNumbers(np.empty(0, np.int64))


def clear_descriptions(bases: Sequence[Snapshot], items: Mapping[int, ItemNumbers]) -> None:
    """Remove the descriptions, in all bases, of ops that only triples of these items have.

    ``items`` has the items by base. All bases are cleared before any triple is: a compaction keeps
    the description of an op whose last triple has died, so only an older base may have the triples
    that show what to remove. The rows stay, without any text.
    """
    described = [base for base in bases if OPERATIONS in base.commit.tables]
    if not described:
        return
    lone = set[str]()
    for base in bases:
        if base.commit.base in items:
            lone |= lone_ops(base, items[base.commit.base])
    for base in described:
        _clear(base, without_used(base, lone, items.get(base.commit.base, _NOTHING)))


def _clear(snapshot: Snapshot, ops: set[str]) -> None:
    folder = snapshot.folder(OPERATIONS)
    known = pa.array(sorted(ops), pa.string())
    for path in stored_files(folder):
        if pc.any(pc.is_in(pq.read_table(path, partitioning=None)[OP], known)).as_py():
            rewrite(path, lambda rows, _: _without(rows, known))
            reach("ops cleared")
    update_lengths(folder)


def _without(rows: pa.Table, ops: pa.Array) -> pa.Table:
    gone = pc.is_in(rows[OP], ops)
    for at, name in enumerate(rows.column_names):
        if name in OPERATION:
            rows = rows.set_column(at, name, pc.if_else(gone, None, rows[name]))
    return rows
