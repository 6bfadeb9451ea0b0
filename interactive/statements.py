"""Run a statement that stores the rows of a query, and keep the lineage of the stored rows.

DuckDB runs the user's own text. Then the query runs again with hidden columns, and its rows are
matched with the stored rows (``stored_rows``). All of this is one transaction, so that no table
changes if the lineage cannot be captured.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from provhouse.model.errors import UsageError
from provhouse.sql.catalog import TablePlace
from provhouse.sql.not_covered import NotCovered
from provhouse.sql.parameters import Parameters, with_parameters
from provhouse.sql.quoting import quoted, text_of

from .capture import keep
from .made_tables import same_name
from .planning.plan import Plan
from .planning.want import Mode, Want
from .result import Result
from .sources import ReadSource
from .statement_text import ALONE, Storing, storing
from .stored_rows import ORDER, QUERY, StoredRows, matched

if TYPE_CHECKING:
    from .duckdb_session import Connection

FILE = "__provhouse_file"
"""The temporary table with the rows of a file that COPY has written."""
TABLES = "select database_name, schema_name, table_name, table_oid from duckdb_tables()"
COLUMNS = """
    select column_name from information_schema.columns
    where (table_catalog, table_schema, table_name) = (?, ?, ?) and is_generated = 'NEVER'
    order by ordinal_position"""


def stored(
    con: "Connection", text: str, params: Parameters | None, want: Want, mode: Mode | None
) -> Result:
    """Run a statement, and return the rows of its query in the order in which they are stored.

    Raises NotCovered, and undoes the statement, if the lineage of the rows cannot be captured.
    Raises UsageError inside a transaction, and DuckDB's own errors.
    """
    _check(con, want, mode)
    statement = storing(text if params is None else with_parameters(con.duckdb, text, params))
    assert statement is not None
    query = con.text(statement.query, None, {})
    plan = con.plan(query)
    return {"CREATE TABLE": _create, "INSERT": _insert, "COPY": _copy}[statement.kind](
        _Run(con, text, params, statement, query, plan)
    )


def _check(con: "Connection", want: Want, mode: Mode | None) -> None:
    if mode is not None or want != Want():
        raise UsageError(
            "A statement has neither a mode nor declared needs",
            "The lineage of all rows that it stores is indexed at once",
            "Leave out mode and want",
        )
    numbers = [con.duckdb.execute("select txid_current()").fetchall() for _ in range(2)]
    if numbers[0] == numbers[1]:
        raise UsageError(
            "A statement with lineage cannot run inside a transaction",
            "Rows that a rollback removes would keep their lineage",
            "Run it after COMMIT",
        )


class _Run:
    """One run of a statement."""

    def __init__(
        self,
        con: "Connection",
        text: str,
        params: Parameters | None,
        statement: Storing,
        query: str,
        plan: Plan,
    ) -> None:
        self.con, self.statement, self.plan = con, statement, plan
        self._text, self._params, self._query = text, params, query
        self.tables = {each.table for each in plan.references}

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the statement, and undo it if the block raises an error."""
        duck = self.con.duckdb
        duck.execute("begin")
        try:
            duck.execute(self._text, self._params).fetchall()
            yield
            for table in (QUERY, ORDER, FILE):
                duck.execute(f"drop table if exists temp.{table}")
            duck.execute("commit")
        except BaseException:
            duck.execute("rollback")
            raise
        finally:
            self.con.read_again()

    def result(self, stored: StoredRows) -> Result:
        """Return the rows of the query in the order of stored rows, with indexed lineage."""
        keep(self.con, self.plan)
        text = matched(self.con.duckdb, self.plan, stored)
        return Result(
            self.con, self._query, replace(self.plan, sql=text, _costs={}), Want(), "defer"
        )


def _create(run: _Run) -> Result:
    con = run.con
    earlier = {*con.duckdb.execute(TABLES).fetchall()}
    with run.transaction():
        (found,) = {*con.duckdb.execute(TABLES).fetchall()} - earlier
        place = TablePlace(*found[:3])
        if same_name(place, run.tables):
            raise _refused("CREATE OR REPLACE of a table that its query reads")
        columns = con.duckdb.sql(f"from {place.sql()}").columns
        result = run.result(StoredRows(place.sql(), columns))
    result.store()
    con.made.add(place, 0, result, [])
    return result


def _insert(run: _Run) -> Result:
    con, statement = run.con, run.statement
    names = zip(("this", "db", "catalog"), reversed(statement.target), strict=False)
    parts = {part: exp.to_identifier(name, quoted=True) for part, name in names}
    found = con.catalog().find(exp.Table(**parts))
    if found is None or found.view is not None:
        con.duckdb.sql(f"select * from {'.'.join(map(quoted, statement.target))}")
        raise _refused("INSERT into what is no table of this connection")
    place = found.place
    behind = {state.place for state in con.made.behind(run.tables)}
    if same_name(place, run.tables | behind):
        raise _refused("INSERT into a table that its query reads, itself or through others")
    before, (_, end) = con.made.of(place), con.measured(place)
    columns = statement.columns
    if statement.by_name:
        columns = tuple(run.plan.names)
    elif not columns:
        columns = tuple(name for (name,) in con.duckdb.execute(COLUMNS, [*place]).fetchall())
    with run.transaction():
        result = run.result(StoredRows(place.sql(), columns[: len(run.plan.names)], end))
    result.store()
    con.made.add(place, _first(con, place, end, len(result)), result, before)
    return result


def _first(con: "Connection", place: TablePlace, end: int, rows: int) -> int:
    """Return the rid of the first of the rows that were added to a table."""
    text = f"select min(rowid), max(rowid), count(*) from {place.sql()} where rowid >= {end}"
    ((first, last, number),) = con.duckdb.execute(text).fetchall()
    if number != rows or (rows and last - first + 1 != rows):
        raise UsageError(
            f"The lineage of the new rows of {place.name} is unknown",
            "Another connection has changed the table at the same time",
            f"The rows are stored; make {place.name} again for their lineage",
        )
    return int(first) if rows else end


def _copy(run: _Run) -> Result:
    con, (path,) = run.con, run.statement.target
    try:
        with run.transaction():
            reader = f"read_parquet({text_of(path)}, hive_partitioning = false)"
            con.duckdb.execute(f"create temp table {FILE} as from {reader}").fetchall()
            columns = con.duckdb.sql(f"from temp.{FILE}").columns
            result = run.result(StoredRows(f"temp.{FILE}", columns))
    except NotCovered as error:
        raise NotCovered(
            error.wanted, f"{error.found}. The file is written", error.remedy
        ) from None
    result.store()
    con.made.add_file(ReadSource.of(path).version, result)
    return result


def _refused(what: str) -> NotCovered:
    return NotCovered(f"Lineage of {what} is not supported", "", ALONE)
