"""Run a GROUP BY of one table with compiled loops, which also capture its lineage."""

from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..index.decoded import Unfit
from .cells import Cells, DecodedSource, locate
from .fused import CELL, GROUPS, Fused
from .totals import GroupTotals


@dataclass
class CompiledGroups:
    """The rows of a query, the cell of each row, and the lineage of the cells."""

    rows: pa.Table
    row_cells: NDArray[np.int32]
    cells: Cells


def run(con: duckdb.DuckDBPyConnection, fused: Fused, columns: DecodedSource) -> CompiledGroups:
    """Run a query. Raises Unfit if only DuckDB can run it, and passes on DuckDB's errors."""
    located = locate(con, fused, columns)
    cells = located.cells
    numbers = {name.lower(): columns.numbers(fused.table, name) for name in fused.numbers}
    counts = cells.counts.sum(axis=0)
    totals = GroupTotals(fused.aggregates, numbers, cells.cells, cells.parts, counts)
    present = np.flatnonzero(totals.rows) if fused.keys else np.zeros(1, np.int64)
    named: dict[str, Any] = {CELL: pa.array(present.astype(np.int32))}
    places = np.unravel_index(present, located.sizes) if fused.keys else ()
    for at, (values, place) in enumerate(zip(located.values, places, strict=True)):
        named[f"k{at}"] = values.take(pa.array(place))
    for at, aggregate in enumerate(fused.aggregates):
        named[f"a{at}"] = totals.column(aggregate, present)
    con.register(GROUPS, pa.table(named))
    try:
        relation = con.sql(fused.sql)
        if list(map(str, relation.types[:-1])) != fused.kinds:
            raise Unfit("It has types that cannot be compiled")
        found = relation.to_arrow_table()
    finally:
        con.unregister(GROUPS)
    last = found.num_columns - 1
    return CompiledGroups(found.select(range(last)), found.column(last).to_numpy(), cells)
