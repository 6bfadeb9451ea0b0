"""Keep the exactness of an op as weak as that of any triple that it has already."""

import pyarrow as pa

from provhouse.model.columns import EXACTNESS, OP
from provhouse.model.operations import weakest
from provhouse.store.tables.operations import operations_of
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import current
from provhouse.store.warehouse.layout import Layout


def weakened(ops: pa.Table, layout: Layout) -> pa.Table:
    """Return descriptions of ops with the weakest exactness that they have here or in a warehouse.

    An op has one description, which holds also for the triples of earlier ingests.
    """
    commit = current(layout)
    if commit is None:
        return ops
    known = operations_of(Snapshot(layout, commit)).select([OP, EXACTNESS])
    before = {row[OP]: row[EXACTNESS] for row in known.to_pylist() if row[EXACTNESS]}
    now = ops.select([OP, EXACTNESS]).to_pylist()
    levels = [weakest((row[EXACTNESS], before.get(row[OP], row[EXACTNESS]))) for row in now]
    at = ops.column_names.index(EXACTNESS)
    return ops.set_column(at, EXACTNESS, pa.array(levels, pa.string()))
