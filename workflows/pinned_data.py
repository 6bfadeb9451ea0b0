"""An in-memory DuckDB database with the tables of a DDL, which contain the pinned data.

Queries run here under the same conditions as when the revision was bound: with the names and types
of the DDL, and without access to anything but the pinned data.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds

from provhouse.equivalence.empty_database import (
    EmptyDatabase,
    empty_database,
    table_columns,
    whole_name,
)
from provhouse.equivalence.plan_form import PlanForm, Scan, operators
from provhouse.model.errors import BadInput
from provhouse.runtime.packages import Deferred

from .pinned_inputs import InputPin, TablePath, files_of, pinned_now
from .table_pins import rows_of_place

if TYPE_CHECKING:
    import deltalake
else:
    deltalake = Deferred("deltalake")


def scans_of(plan: PlanForm) -> dict[TablePath, Scan]:
    """Return a scan of each table that a plan reads, by the table's qualified name."""
    return {each.table: each for each in operators(plan.root) if isinstance(each, Scan)}


def pins_of(tables: Iterable[TablePath], pins: Iterable[InputPin]) -> dict[TablePath, InputPin]:
    """Return the pin of each table. A pin may name a table by only the last parts of its name.

    Raises BadInput if a table has no pin or more than one.
    """
    known = list(pins)
    found = {table: [pin for pin in known if pin.names(table)] for table in tables}
    for table, named in found.items():
        if len(named) != 1:
            raise BadInput(
                f"The input {table[-1]} is not pinned",
                f"{len(named)} inputs have its name",
                f"Name its state with --inputs {table[-1]}=DELTA@VERSION",
            )
    return {table: named for table, (named,) in found.items()}


@contextmanager
def pinned_database(
    ddl: str,
    pins: Mapping[TablePath, InputPin],
    instead: Mapping[TablePath, pa.Table] | None = None,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a database in which the tables of a DDL contain the pinned data.

    ``instead`` maps tables to other rows, which replace their pinned data. Raises BadInput if data
    are missing, have changed, or lack columns of the DDL.
    """
    with empty_database(ddl, small=False) as database:
        _fill(database, pins, instead or {})
        yield database.con


@contextmanager
def open_database(
    ddl: str, pins: Mapping[TablePath, InputPin]
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a database like ``pinned_database`` whose queries can also read stored results.

    Only queries that provhouse has made may be executed in it. Raises BadInput likewise.
    """
    with empty_database(ddl):
        pass  # the DDL declares tables, and does nothing else
    with duckdb.connect() as con:
        con.execute(ddl)
        _fill(EmptyDatabase(con, table_columns(con), {}, ()), pins, {})
        yield con


def _fill(
    database: EmptyDatabase,
    pins: Mapping[TablePath, InputPin],
    instead: Mapping[TablePath, pa.Table],
) -> None:
    """Replace the empty tables of a database by views of the pinned data, or of other rows."""
    _drop_tables(database)
    for number, (table, pin) in enumerate(pins.items()):
        data = instead.get(table)
        rows = rows_of(pin) if data is None else data
        _show(database, table, f"__provhouse_input{number}", rows)


def rows_of(pin: InputPin) -> ds.FileSystemDataset | pa.Table:
    """Return the data of a pin, after checking that they have not changed."""
    if pin.kind != "table":
        return dataset_of(pin)
    rows, state = rows_of_place(pin.place)
    if state != pin.state:
        raise _gone(pin, "Its rows have changed")
    return rows


def dataset_of(pin: InputPin) -> ds.FileSystemDataset:
    """Return the files of a pin, after checking that they have not changed."""
    if pin.kind == "table":
        raise BadInput(
            f"The input {pin.table} has no earlier state",
            "It is a table in a DuckDB file, which has only its current rows",
            "Pin the input as a Delta table or as Parquet files",
        )
    if pin.kind == "digest":
        raise BadInput(
            f"The data of the input {pin.table} are not available",
            "Only their digest is stored",
            "Pin the input as a Delta table or as Parquet files",
        )
    try:
        if pin.kind == "delta":
            table = deltalake.DeltaTable(pin.place, version=pin.version)
            same = f"{table.metadata().id}@{table.version()}" == pin.state
            data = table.to_pyarrow_dataset()
        else:
            (now,) = pinned_now([pin])
            same = now == pin
            data = ds.dataset([str(file) for file in files_of(Path(pin.place))])
        data.count_rows()  # files that VACUUM has removed are noticed here
    except (deltalake.exceptions.DeltaError, OSError, pa.ArrowException) as error:
        raise _gone(pin, "Files are missing, or the table cannot be read without Spark") from error
    if not same:
        raise _gone(pin, "It was made again, or its files have changed")
    return data


def _gone(pin: InputPin, found: str) -> BadInput:
    return BadInput(
        f"The pinned data of {pin.table} in {pin.place} cannot be read", found, "Run it again"
    )


def check_columns(table: TablePath, columns: Iterable[str], data: ds.Dataset | pa.Table) -> None:
    """Raise BadInput unless the data have all columns of a table."""
    if missing := [column for column in columns if column not in data.schema.names]:
        raise BadInput(
            f"The pinned data of {table[-1]} lack the column {missing[0]}",
            f"Their columns are {', '.join(data.schema.names)}",
            "Correct the DDL of the revision, or pin another input",
        )


def _show(
    database: EmptyDatabase, table: TablePath, name: str, data: ds.Dataset | pa.Table
) -> None:
    """Replace an empty table by a view of ``data``, with the table's columns and types."""
    con, columns = database.con, database.columns[table]
    check_columns(table, (column for column, _ in columns), data)
    con.register(name, data)
    listed = ", ".join(f"cast({_quoted(column)} as {type_}) as {_quoted(column)}"
                       for column, type_ in columns)  # fmt: skip
    con.execute(f"create view {whole_name(table)} as select {listed} from {_quoted(name)}")


def _drop_tables(database: EmptyDatabase) -> None:
    """Drop all tables; tables that refer to others come first. Views and macros are kept."""
    left = list(database.columns)
    for _ in database.columns:
        left = [table for table in left if not _dropped(database.con, table)]


def _dropped(con: duckdb.DuckDBPyConnection, table: TablePath) -> bool:
    try:
        con.execute(f"drop table {whole_name(table)}")
    except duckdb.Error:
        return False
    return True


def _quoted(name: str) -> str:
    return whole_name((name,))
