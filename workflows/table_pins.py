"""Pins of tables in DuckDB databases, by the digest of their rows.

A table in a file can be read again, so that its current state is known. A table in memory has only
a digest.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from provhouse.model.errors import BadInput

from .row_digests import rows_digest

MARK = "#"
"""The separator of the path of a database and the name of a table in the place of a pin."""


def table_place(path: Path, table: str) -> str:
    """Return the place of a table, given as quoted SQL, in a DuckDB file."""
    return f"{path.absolute()}{MARK}{table}"


def file_of(place: str) -> Path:
    """Return the DuckDB file of a place."""
    return Path(_parts(place)[0])


def table_state(con: duckdb.DuckDBPyConnection, table: str) -> str:
    """Return the digest of the rows of a table, given as SQL; raise BadInput if it is missing."""
    try:
        found = con.sql(f"from {table}")
        types = dict(zip(found.columns, map(str, found.types), strict=True))
        return f"sha256:{rows_digest(con, table, types, ordered=False)}"
    except duckdb.Error as error:
        raise BadInput(
            f"Cannot read the table {table}", str(error).splitlines()[0], "Check that it exists"
        ) from error


def state_of_place(place: str) -> str:
    """Return the current digest of a table's rows; raise BadInput if it cannot be read."""
    with opened(place) as (con, table):
        return table_state(con, table)


def rows_of_place(place: str) -> tuple[pa.Table, str]:
    """Return the rows of a table and their digest; raise BadInput if it cannot be read."""
    with opened(place) as (con, table):
        con.execute("begin")  # both queries read one state
        return con.sql(f"from {table}").to_arrow_table(), table_state(con, table)


@contextmanager
def opened(place: str) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
    """Yield the database of a place, opened read-only, and SQL for the table."""
    path, table = _parts(place)
    try:
        con = duckdb.connect(path, read_only=True)
    except duckdb.Error as error:
        raise BadInput(
            f"Cannot read the database {path}",
            str(error).splitlines()[0],
            "Close the programs that have it open",
        ) from error
    with con:
        yield con, table


def _parts(place: str) -> tuple[str, str]:
    path, _, table = place.partition(f'{MARK}"')
    return path, f'"{table}'
