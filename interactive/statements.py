"""Run a statement that stores the rows of a query, and keep the lineage of the stored rows.

First the query runs with hidden columns, and the lineage of all its rows is indexed. Then DuckDB
runs the user's own statement, and the stored rows are matched with the query's rows
(``stored_rows``). Both happen in one transaction, so that no table changes if the rows do not
match.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from provhouse.model.errors import UsageError
from provhouse.sql.catalog import TablePlace
from provhouse.sql.not_covered import REWRITE, NotCovered
from provhouse.sql.parameters import Parameters, with_parameters
from provhouse.sql.quoting import quoted

from .capture import keep
from .index.rid_indexes import Rows
from .made_tables import same_name
from .planning.plan import Plan
from .planning.want import Mode, Want
from .result import Result
from .statement_text import ALONE, Storing, storing
from .stored_rows import QUERY, StoredRows, order_of
from .table_sources import ReadSource
from .written_files import FILE, forget_file, read_file

if TYPE_CHECKING:
    from .session_state import Session

READERS_OF = {"parquet": "", "csv": "read_csv", "json": "read_json"}
"""The function that a later query must use without options, by the format of the file."""
TABLES = "select database_name, schema_name, table_name, table_oid from duckdb_tables()"
COLUMNS = """
    select column_name from information_schema.columns
    where (table_catalog, table_schema, table_name) = (?, ?, ?) and is_generated = 'NEVER'
    order by ordinal_position"""


def stored(
    con: "Session", text: str, params: Parameters | None, want: Want, mode: Mode | None
) -> Result:
    """Run a statement, and return the rows of its query in the order in which they are stored.

    Raises NotCovered, and undoes the statement, if the lineage of the rows cannot be captured.
    Raises UsageError inside a transaction, and DuckDB's own errors.
    """
    _check(con, want, mode)
    statement = storing(text if params is None else with_parameters(con.duckdb, text, params))
    assert statement is not None
    query = con.text(statement.query, None, {})
    plan = con.current_plan(query)
    run = _Run(con, text, params, query, plan)
    try:
        return {"CREATE TABLE": _create, "INSERT": _insert, "COPY": _copy}[statement.kind](
            run, statement
        )
    finally:
        con.duckdb.execute(f"drop table if exists temp.{QUERY}")


def _check(con: "Session", want: Want, mode: Mode | None) -> None:
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
        self, con: "Session", text: str, params: Parameters | None, query: str, plan: Plan
    ) -> None:
        self.con, self.plan = con, plan
        self._text, self._params, self._query = text, params, query
        self.tables = {each.table for each in plan.references}

    def result(self) -> Result:
        """Return the rows of the query, with indexed lineage."""
        con, names = self.con, ", ".join(f"c{at}" for at in range(self.plan.width))
        keep(con, self.plan)
        try:
            con.duckdb.execute(f"create temp table {QUERY}({names}) as {self.plan.sql}")
        except duckdb.Error:
            with self.transaction():  # raises DuckDB's own error, if it has one
                raise NotCovered(
                    "Lineage of this statement is not supported",
                    "DuckDB does not accept its query with columns that identify its rows",
                    REWRITE,
                ) from None
        found = replace(self.plan, sql=f"select * from {QUERY} order by rowid", _costs={})
        return Result(con, self._query, found, Want(), "defer")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the statement, and undo it if the block raises an error."""
        duck = self.con.duckdb
        duck.execute("begin")
        try:
            duck.execute(self._text, self._params).fetchall()
            yield
            duck.execute("commit")
        except BaseException:
            duck.execute("rollback")
            raise
        finally:
            self.con.read_again()

    def order(self, stored: StoredRows) -> Rows | None:
        """Return the query's row numbers in the order of stored rows; None if the order is equal.

        Raises NotCovered if other rows are stored.
        """
        _check_columns(stored.columns)
        return order_of(self.con.duckdb, self.plan, stored)


def _check_columns(columns: Iterable[str]) -> None:
    if "rowid" in map(str.lower, columns):
        raise _refused("rows with a column rowid, which hides DuckDB's row numbers,")


def _create(run: _Run, _: Storing) -> Result:
    con, result = run.con, run.result()
    links = con.made.links(result)
    earlier = {*con.duckdb.execute(TABLES).fetchall()}
    with run.transaction():
        (found,) = {*con.duckdb.execute(TABLES).fetchall()} - earlier
        place = TablePlace(*found[:3])
        columns = con.duckdb.sql(f"from {place.sql()}").columns
        order = run.order(StoredRows(place.sql(), columns))
    con.made.add(place, 0, links.reordered(order), [])
    return result.stored(order, renewed=not same_name(place, run.tables))


def _insert(run: _Run, statement: Storing) -> Result:
    con, place = run.con, _target(run.con, statement)
    behind = {state.place for state in con.made.behind(run.tables)}
    if same_name(place, run.tables | behind):
        raise _refused("INSERT into a table that its query reads, itself or through others")
    columns = statement.columns
    if statement.by_name:
        columns = tuple(run.plan.names)
    elif not columns:
        columns = tuple(name for (name,) in con.duckdb.execute(COLUMNS, [*place]).fetchall())
    result = run.result()
    links, before, (_, end) = con.made.links(result), con.made.of(place), con.measured(place)
    with run.transaction():
        stored = StoredRows(place.sql(), columns[: len(run.plan.names)], end)
        order = run.order(stored)
    first = _first(con, place, end, len(result))
    con.made.add(place, first, links.reordered(order), before)
    return result.stored(order, added=True)


def _target(con: "Session", statement: Storing) -> TablePlace:
    """Return the table of an INSERT. Raises DuckDB's own error if it does not exist."""
    names = zip(("this", "db", "catalog"), reversed(statement.target), strict=False)
    parts = {part: exp.to_identifier(name, quoted=True) for part, name in names}
    found = con.catalog().find(exp.Table(**parts))
    if found is None or found.view is not None:
        con.duckdb.sql(f"select * from {'.'.join(map(quoted, statement.target))}")
        raise _refused("INSERT into what is no table of this connection")
    _check_columns(found.columns)
    return found.place


def _first(con: "Session", place: TablePlace, end: int, rows: int) -> int:
    """Return the rid of the first row that an INSERT added to a table."""
    text = f"select min(rowid), max(rowid), count(*) from {place.sql()} where rowid >= {end}"
    ((first, last, number),) = con.duckdb.execute(text).fetchall()
    if number != rows or (rows and last - first + 1 != rows):
        raise UsageError(
            f"The lineage of the new rows of {place.name} is unknown",
            "Another connection has changed the table at the same time",
            f"The rows are stored; create {place.name} again to get their lineage",
        )
    return int(first) if rows else end


def _copy(run: _Run, statement: Storing) -> Result:
    _check_columns(run.plan.names)
    con, (path,), result = run.con, statement.target, run.result()
    links = con.made.links(result)
    try:
        with run.transaction():
            columns = read_file(con.duckdb, statement, run.plan.names, run.plan.kinds)
            order = run.order(StoredRows(f"temp.{FILE}", columns))
            forget_file(con.duckdb)
    except NotCovered as error:
        found = f"{error.found or 'DuckDB has run the statement'}. The file is written"
        raise NotCovered(error.wanted, found, error.remedy) from None
    made = replace(links.reordered(order), reader=READERS_OF[statement.format])
    con.made.add_file(ReadSource.of(path).version, made)
    return result.stored(order)


def _refused(what: str) -> NotCovered:
    return NotCovered(f"Lineage of {what} is not supported", "", ALONE)
