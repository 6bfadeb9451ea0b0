"""Count the triples that groups stand for, by the tables of src and dst.

For each dst and each input of a group, the dst's table depends on the input's table, although no
triple connects the two items directly.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.commit.append import OPS_KEPT
from provhouse.model.arrays import I64, among
from provhouse.model.columns import DST, DST_TABLE, OP, OPS, SRC, SRC_TABLE, TRIPLES
from provhouse.runtime.storage import (
    load_array,
    open_array,
    read_batches,
    write_stream,
)

from ..staging import Staging

_GROUP, _NEW = "group", "new"


@dataclass(frozen=True)
class CountGroups:
    """The task that writes the dependencies between tables that lead through groups."""

    files: int
    """The number of files of staged rows."""
    number: int
    """The number of the file to write."""
    staging: Staging

    def run(self) -> None:
        """Write a row for each pair of tables.

        In each row, only triples whose group or dst is new are counted. Their number may be 0.
        """
        groups = np.sort(load_array(self.staging.groups)).astype(np.int64)
        parts = [self._ends(file, groups) for file in range(self.files)]
        inputs, uses = (pa.concat_tables(each) for each in zip(*parts, strict=True))
        keys = [_GROUP, SRC_TABLE, OP]
        counted = _distinct(inputs).group_by(keys).aggregate([([], "count_all")])
        peers = _distinct(uses).group_by([_GROUP, DST_TABLE]).aggregate([(_NEW, "sum")])
        pairs = counted.join(peers, _GROUP, join_type="inner", use_threads=False)
        pairs = pairs.append_column(TRIPLES, pc.multiply(pairs["count_all"], pairs[f"{_NEW}_sum"]))
        write_stream(self.staging.workflow(self.number), _by_tables(pairs))

    def _ends(self, file: int, groups: I64) -> tuple[pa.Table, pa.Table]:
        """Return the rows of a file whose dst is a group, and the rows whose src is a group."""
        tables, stored = open_array(self.staging.tables), open_array(self.staging.stored)
        edges = open_array(self.staging.edges(file))
        inputs, uses, at = [_INPUTS.empty_table()], [_USES.empty_table()], 0
        for batch in read_batches(self.staging.rows(file)):
            src, dst = (end[at : at + batch.num_rows].astype(np.int64) for end in edges)
            at += batch.num_rows
            to, of = np.flatnonzero(among(dst, groups)), np.flatnonzero(among(src, groups))
            op = batch.column(OP).take(pa.array(to))
            ends: Sequence[object] = [dst[to], src[to], tables[src[to]], op]
            inputs.append(pa.table(ends, schema=_INPUTS))
            new = (stored[src[of]] < 0) | (stored[dst[of]] < 0)
            ends = [src[of], dst[of], tables[dst[of]], new.astype(np.int64)]
            uses.append(pa.table(ends, schema=_USES))
        return pa.concat_tables(inputs), pa.concat_tables(uses)


_INPUTS = pa.schema(
    [(_GROUP, pa.int64()), (SRC, pa.int64()), (SRC_TABLE, pa.int32()), (OP, pa.string())]
)
_USES = pa.schema(
    [(_GROUP, pa.int64()), (DST, pa.int64()), (DST_TABLE, pa.int32()), (_NEW, pa.int64())]
)


def _distinct(rows: pa.Table) -> pa.Table:
    return rows.group_by(rows.column_names, use_threads=False).aggregate([])


def _by_tables(pairs: pa.Table) -> pa.Table:
    """Return a row for each pair of tables, with the number of triples and some of the ops."""
    keys = [SRC_TABLE, DST_TABLE]
    by_op = pairs.group_by([*keys, OP], use_threads=False).aggregate([(TRIPLES, "sum")])
    rows = by_op.group_by(keys, use_threads=False).aggregate(
        [(f"{TRIPLES}_sum", "sum"), (OP, "list")]
    )
    few = pc.list_slice(rows[f"{OP}_list"], 0, OPS_KEPT, return_fixed_size_list=False)
    columns = {name: rows[name] for name in keys}
    return pa.table(columns | {TRIPLES: rows[f"{TRIPLES}_sum_sum"], OPS: few})
