"""Constraints that a revision's DDL declares, checked on the data that an execution has read.

A plan may be certain, or equal to another, only because a column is a key or is never NULL. DuckDB
does not check this for data that it has not stored, so it is checked here before it counts.
"""

from collections.abc import Iterable, Mapping

import duckdb

from provhouse.equivalence.empty_database import empty_database, whole_name
from provhouse.equivalence.from_duckdb import TableFacts
from provhouse.model.errors import BadInput

from .pinned_data import pinned_database
from .pins import Pin, TablePath


def declared(ddl: str, tables: Iterable[TablePath]) -> dict[TablePath, TableFacts]:
    """Return the constraints of those tables that have any."""
    with empty_database(ddl) as database:
        found = {table: database.facts[table] for table in tables}
    return {table: facts for table, facts in found.items() if facts.unique or facts.not_null}


def broken_constraint(
    ddl: str, facts: Mapping[TablePath, TableFacts], pins: Mapping[TablePath, Pin]
) -> str:
    """Return why constraints do not count, as a clause: broken, or impossible to check."""
    if not facts:
        return ""
    try:
        with pinned_database(ddl, {table: pins[table] for table in facts}) as con:
            broken = [table for table, each in facts.items() if _breaks(con, table, each)]
    except BadInput as error:
        return f"the constraints of the inputs cannot be checked: {error.wanted}"
    return f"the pinned data of {broken[0][-1]} break the constraints of the DDL" if broken else ""


def _breaks(con: duckdb.DuckDBPyConnection, table: TablePath, facts: TableFacts) -> bool:
    """Return whether the rows of a table break a constraint. Columns of a key are never NULL."""
    nulls = [f"{whole_name((column,))} is null" for column in sorted(facts.not_null)]
    queries = [f"select 1 from {whole_name(table)} where {' or '.join(nulls)} limit 1"]
    if facts.unique:
        key = ", ".join(whole_name((column,)) for column in facts.unique)
        queries.append(
            f"select 1 from {whole_name(table)} group by {key} having count(*) > 1 limit 1"
        )
    return any(con.execute(query).fetchone() for query in queries)
