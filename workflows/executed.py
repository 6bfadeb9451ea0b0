"""Queries of revisions, executed again in DuckDB on pinned inputs."""

from collections.abc import Mapping, Sequence

import duckdb
import pyarrow as pa

from provhouse.equivalence.empty_database import whole_name
from provhouse.model.errors import BadInput

from .pinned_data import open_database, pinned_database, pins_of, scans_of
from .pinned_inputs import InputPin, TablePath
from .revisions import SinkPlan
from .row_digests import row_text

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
    _check_source(sink)
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
            raise _failed(error) from error


def has_rows(sink: SinkPlan, pins: Sequence[InputPin], texts: Sequence[str]) -> bool:
    """Return whether queries over stored results and pinned inputs together give a sink's rows.

    The rows are compared in their order if the sink has one. Raises BadInput if the inputs cannot
    be read, or if a query fails.
    """
    _check_source(sink)
    with open_database(sink.ddl, pins_of(scans_of(sink.plan), pins)) as con:
        try:
            con.execute(f"create temp table {EXECUTED} as {sink.text}")
            con.execute(f"create temp table computed as from {EXECUTED} limit 0")
            for text in texts:
                con.execute(f"insert into computed {text}")
            row = row_text(sink.plan.names, _types(con))
            number = ", rowid" if sink.ordered else ""
            one, other = (f"select {row}{number} from {each}" for each in (EXECUTED, "computed"))
            differ = f"(({one}) except all ({other})) union all (({other}) except all ({one}))"
            return con.execute(f"select 1 from ({differ}) limit 1").fetchone() is None
        except duckdb.Error as error:
            raise _failed(error) from error


def _types(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    found = con.table(EXECUTED)
    return dict(zip(found.columns, map(str, found.types), strict=True))


def _check_source(sink: SinkPlan) -> None:
    """Raise BadInput unless a sink is an SQL query."""
    if sink.source != "sql":
        raise BadInput(
            "The revision cannot be executed again",
            f"DuckDB does not execute a revision from {sink.source}",
            "Execute it in its own engine",
        )


def _failed(error: duckdb.Error) -> BadInput:
    return BadInput(
        "The query of the revision fails on the pinned inputs",
        str(error).splitlines()[0],
        "Correct the query, or the inputs",
    )
