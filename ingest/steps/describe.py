"""Find which of the given descriptions of ops a job has to store: those that say something new."""

from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.columns import BORN, OP, OPERATION
from provhouse.store.tables.operations import DESCRIBED, operations_of

from ..job import Job


def new_operations(job: Job) -> pa.Table:
    """Return the rows that this job adds to the table ``operations``, without ``ingest``.

    A description that the generation already shows is left out. A compaction passes descriptions
    with the generation that they are from, which they keep.
    """
    if job.inputs.operations is None:
        return DESCRIBED.empty_table()
    rows, before = job.inputs.operations.rows, job.snapshot()
    shown = operations_of(before) if before else DESCRIBED.empty_table()
    rows = rows.filter(_differ(rows, shown))
    if BORN in rows.column_names:
        return rows
    return rows.append_column(BORN, pa.repeat(pa.scalar(job.ids.generation, pa.int32()), len(rows)))


def _differ(rows: pa.Table, shown: pa.Table) -> pa.ChunkedArray:
    """Return which rows differ from the description shown; an op without one has all nulls."""
    at = pc.index_in(rows[OP], shown[OP].combine_chunks())
    return reduce(
        pc.or_,
        (
            pc.not_equal(rows[name].fill_null(""), shown[name].take(at).fill_null(""))
            for name in OPERATION[1:]
        ),
    )
