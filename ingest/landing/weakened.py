"""Keep the exactness and kind of an op as weak as the weakest of its stored triples."""

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.columns import EXACTNESS, KIND, OP
from provhouse.model.operations import weakest
from provhouse.store.tables.operations import operations_of
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import current
from provhouse.store.warehouse.layout import Layout

WEAKEST_KIND = "function"
"""The kind of an op whose triples do not all have the same kind."""


def weakened(ops: pa.Table, layout: Layout) -> pa.Table:
    """Return descriptions of ops with the weakest exactness and kind that each op ever had.

    An op has a single description, which must also be correct for the triples of earlier ingests.
    If an op's earlier kind is unknown, the op gets the weakest kind.
    """
    commit = current(layout)
    if commit is None:
        return ops
    known = operations_of(Snapshot(layout, commit)).select([OP, EXACTNESS, KIND])
    before = {row[OP]: row[EXACTNESS] for row in known.to_pylist() if row[EXACTNESS]}
    now = ops.select([OP, EXACTNESS]).to_pylist()
    levels = [weakest((row[EXACTNESS], before.get(row[OP], row[EXACTNESS]))) for row in now]
    at = ops.column_names.index(EXACTNESS)
    ops = ops.set_column(at, EXACTNESS, pa.array(levels, pa.string()))
    functions = known.filter(pc.equal(known[KIND].fill_null(WEAKEST_KIND), WEAKEST_KIND))[OP]
    weak = pc.is_in(ops[OP], functions.combine_chunks())
    kinds = pc.if_else(weak, WEAKEST_KIND, ops[KIND])
    return ops.set_column(ops.column_names.index(KIND), KIND, kinds)
