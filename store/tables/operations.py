"""Read the descriptions of ops that one generation shows: kind, function, place, exactness."""

from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64
from provhouse.model.columns import BORN, INGEST, KIND, OP, OPERATION, TABLES
from provhouse.model.derivations import KINDS

from .snapshot import Snapshot

OPERATIONS = "operations"
DESCRIBED = pa.schema([TABLES[OPERATIONS].field(name) for name in (*OPERATION, BORN)])
"""The columns of the descriptions that a generation shows."""


def operations_of(snapshot: Snapshot) -> pa.Table:
    """Return the newest description of each op, in order of the ops, with the columns `DESCRIBED`.

    An op that was erased, or whose newest description is empty, is left out. If no op was ever
    described, this costs nothing, because the warehouse has no such table.
    """
    if OPERATIONS not in snapshot.commit.tables:
        return DESCRIBED.empty_table()
    rows = snapshot.rows(OPERATIONS)
    rows = rows.filter(rows[OP].is_valid()).combine_chunks()
    rows = rows.sort_by([(OP, "ascending"), (INGEST, "ascending")]).combine_chunks()
    ops = rows[OP]
    newest = np.ones(len(ops), bool)
    newest[:-1] = np.asarray(pc.not_equal(ops[:-1], ops[1:]))
    says = reduce(pc.or_, (pc.is_valid(rows[name]) for name in OPERATION[1:]))
    return rows.filter(pc.and_(pa.array(newest), says)).select(DESCRIBED.names)


def kind_codes(rows: pa.Table, operations: pa.Table) -> I64:
    """Return the code of each row's own kind, or else of its op's kind; -1 if both are unknown.

    ``rows`` must have the columns op and kind. ``operations`` are the descriptions of a generation.
    """
    own = np.asarray(rows[KIND].fill_null(-1), np.int64)
    known = operations.filter(operations[KIND].is_valid())
    at = np.asarray(pc.index_in(rows[OP], known[OP].combine_chunks()).fill_null(-1), np.int64)
    codes = [*(KINDS[kind] for kind in known[KIND].to_pylist()), -1]  # index -1 takes the last code
    return np.where(own < 0, np.array(codes, np.int64)[at], own)
