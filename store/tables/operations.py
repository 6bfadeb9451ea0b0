"""Read the visible descriptions of ops in one generation: kind, function, place, exactness."""

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
"""The columns of the visible descriptions of a generation."""


def operations_of(snapshot: Snapshot) -> pa.Table:
    """Return the newest description of each op, as rows with the columns ``DESCRIBED``.

    The rows are in the order of the ops. An op that was erased, or whose newest description is
    empty, is left out. If no op was ever described, nothing is read, because the warehouse has no
    table of operations.
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
    """Return, for each row, the code of its own kind, or else the code of its op's kind.

    The code is -1 if both kinds are unknown. ``rows`` must have the columns op and kind.
    ``operations`` are the descriptions of a generation.
    """
    own = np.asarray(rows[KIND].fill_null(-1), np.int64)
    known = operations.filter(operations[KIND].is_valid())
    at = np.asarray(pc.index_in(rows[OP], known[OP].combine_chunks()).fill_null(-1), np.int64)
    codes = [*(KINDS[kind] for kind in known[KIND].to_pylist()), -1]  # at index -1 is the last code
    return np.where(own < 0, np.array(codes, np.int64)[at], own)
