"""Check the constraints that a revision's DDL declares on the data that an execution has read.

A proof that a plan's rows are determined, or that two plans are equal, may rely on a constraint: a
column is a key, or is never NULL. DuckDB does not check the constraints for data that it has not
stored, so they are checked here before they are used.
"""

from collections.abc import Iterable, Iterator, Mapping

from provhouse.equivalence.empty_database import empty_database, whole_name
from provhouse.equivalence.from_duckdb import ForeignKey, TableFacts
from provhouse.model.errors import BadInput

from .pinned_data import pinned_database
from .pinned_inputs import InputPin, TablePath


def broken_constraint(ddl: str, pins: Mapping[TablePath, InputPin]) -> str:
    """Return a clause that states which constraint is violated or cannot be checked.

    The clause is empty if all constraints hold. Foreign keys are checked only between the given
    tables.
    """
    with empty_database(ddl) as database:
        facts = {table: database.facts[table] for table in pins if table in database.facts}
    queries = {table: [*_broken_rows(table, each, pins)] for table, each in facts.items()}
    if not any(queries.values()):
        return ""
    try:
        with pinned_database(ddl, pins) as con:
            for table, listed in queries.items():
                if any(con.execute(f"{query} limit 1").fetchone() for query in listed):
                    return f"the pinned data of {table[-1]} break the constraints of the DDL"
    except BadInput as error:
        return f"the constraints of the inputs cannot be checked: {error.wanted}"
    return ""


def _broken_rows(table: TablePath, facts: TableFacts, tables: Iterable[TablePath]) -> Iterator[str]:
    """Yield queries for the rows that violate the constraints of a table."""
    if facts.not_null:
        nulls = (f"{_name(column)} is null" for column in sorted(facts.not_null))
        yield f"select 1 from {whole_name(table)} where {' or '.join(nulls)}"
    for key in facts.keys:
        columns = ", ".join(map(_name, key))
        yield (
            f"select 1 from {whole_name(table)} where {_all_known(key)} "
            f"group by {columns} having count(*) > 1"
        )
    for foreign in facts.foreign:
        if foreign.table in tables:
            yield _dangling(table, foreign)


def _dangling(table: TablePath, foreign: ForeignKey) -> str:
    """Return a query for the rows whose foreign key does not occur in the other table."""
    columns, referred = (
        ", ".join(map(_name, each)) for each in (foreign.columns, foreign.referred)
    )
    return (
        f"select 1 from (select {columns} from {whole_name(table)} "
        f"where {_all_known(foreign.columns)} "
        f"except select {referred} from {whole_name(foreign.table)})"
    )


def _all_known(columns: Iterable[str]) -> str:
    return " and ".join(f"{_name(column)} is not null" for column in columns)


def _name(column: str) -> str:
    return whole_name((column,))
