"""Queries of revisions, executed again in DuckDB on pinned inputs."""

from collections.abc import Mapping, Sequence

import duckdb
import pyarrow as pa

from provhouse.equivalence.empty_database import whole_name
from provhouse.model.errors import BadInput

from .pinned_data import pinned_database, pins_of, scans_of
from .pinned_inputs import InputPin, TablePath
from .revisions import SinkPlan

EXECUTED = "__provhouse_executed"


def executed_rows(
    sink: SinkPlan,
    pins: Sequence[InputPin],
    names: Sequence[str],
    types: Sequence[str],
    instead: Mapping[TablePath, pa.Table] | None = None,
) -> pa.Table:
    """Execute a sink on pinned inputs; return its rows with the given column names and types.

    ``instead`` maps tables to rows that are read in place of their pinned data. Raises BadInput if
    the sink is not an SQL query, if the inputs cannot be read, or if the query fails or has other
    columns.
    """
    if sink.source != "sql":
        raise BadInput(
            "The revision cannot be executed again",
            f"DuckDB does not execute a revision from {sink.source}",
            "Execute it in its own engine",
        )
    if len(sink.plan.names) != len(names):
        raise BadInput("The numbers of columns differ", "The schema of the result has changed")
    listed = ", ".join(f"c{at}" for at in range(len(names)))
    made = ", ".join(
        f"cast(c{at} as {type_}) as {whole_name((name,))}"
        for at, (name, type_) in enumerate(zip(names, types, strict=True))
    )
    with pinned_database(sink.ddl, pins_of(scans_of(sink.plan), pins), instead) as con:
        try:
            con.execute(f"create temp table {EXECUTED} as {sink.text}")
            return con.sql(f"select {made} from {EXECUTED} as t({listed})").to_arrow_table()
        except duckdb.Error as error:
            raise BadInput(
                "The query of the revision fails on the pinned inputs",
                str(error).splitlines()[0],
                "Correct the query, or the inputs",
            ) from error
