"""The state kept between dbt runs: the versions of each table's rows, and the runs' lineage."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import duckdb
import pyarrow as pa

from provhouse.model.errors import Busy, Unavailable

FILE = "state.duckdb"
_TABLES = """
    create table if not exists runs(
        run integer primary key, command varchar, path varchar, waiting boolean);
    create table if not exists tables(
        node varchar primary key, run integer, key varchar[], rows bigint, hash varchar);
    create table if not exists names(node varchar, nth bigint, name varchar);
    create table if not exists rows(node varchar, name varchar);
    create table if not exists ended(run integer, name varchar);
    alter table tables add column if not exists canonical boolean default false"""
_END = """
    create temp table gone as select name from rows where node in (select node from named);
    delete from rows where node in (select node from named);
    insert into rows from present;
    insert into ended select {run}, name from (from gone except select name from rows);
    drop table gone"""
"""Store the rows of tables, and which rows the tables had before and no table has now."""

_SCHEMA = pa.schema(
    [
        ("node", pa.string()),
        ("run", pa.int32()),
        ("key", pa.list_(pa.string())),
        ("rows", pa.int64()),
        ("hash", pa.string()),
        ("canonical", pa.bool_()),
    ]
)
"""The columns of ``tables``."""


@dataclass(frozen=True)
class KeptTable:
    """The state of a table after a run."""

    node: str
    run: int
    """The run whose number is the version of all rows, unless ``names`` states their versions."""
    key: tuple[str, ...]
    """The columns that name the rows; empty if the rows are named by position."""
    rows: int
    hash: str
    """The sum of the rows' hashes, which is different for each state of the table."""
    names: pa.Array | None = None
    """The rows' names, in the order of row ids, if rows have different versions; else None."""
    canonical: bool = True
    """Whether the key's values are in the form of ``model/key_texts.py``, unlike in old states."""


class KeptTables:
    """The file with the state. Only one process can have it open at a time."""

    def __init__(self, folder: Path) -> None:
        """Open or create the file. Raises Busy if another process has it open."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._con = duckdb.connect(folder / FILE)
        except duckdb.IOException:
            raise Busy(
                f"Another process uses {folder / FILE}",
                "A run of `provhouse dbt` keeps the versions of rows in this file",
                "Wait until it has ended",
            ) from None
        except OSError as error:
            raise Unavailable(
                f"Cannot write to {folder}",
                error.strerror or "The system reports an error",
                "Change the folder's permissions, or choose another with --warehouse",
            ) from error
        self._con.execute(_TABLES)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._con.close()

    def next_run(self) -> int:
        """Return the number of the next run."""
        ((last,),) = self._con.execute("select coalesce(max(run), 0) from runs").fetchall()
        return int(last) + 1

    def table(self, node: str) -> KeptTable | None:
        """Return a table's state after the last run that built or read it, or else None."""
        text = "select run, key, rows, hash, canonical from tables where node = ?"
        for run, key, rows, hash_, canonical in self._con.execute(text, [node]).fetchall():
            query = "select name from names where node = ? order by nth"
            names = self._con.sql(query, params=[node]).to_arrow_table()["name"]
            found = names.combine_chunks() if len(names) else None
            return KeptTable(node, run, tuple(key), rows, hash_, found, canonical)
        return None

    def add(
        self,
        run: int,
        command: str,
        path: Path,
        tables: Iterable[KeptTable],
        rows: Iterable[tuple[str, pa.Array]],
    ) -> None:
        """Store a run, its database, and the tables' states after it, in one transaction.

        ``rows`` are the names of the tables' rows without versions, by node. Names that an earlier
        run has stored, and that no table has any more, are stored as ended by this run.
        """
        found = list(tables)
        listed = pa.Table.from_pylist([_row(each) for each in found], schema=_SCHEMA)
        self._con.begin()
        self._con.execute("insert into runs values (?, ?, ?, true)", [run, command, str(path)])
        self._con.register("listed", listed)
        self._con.execute("delete from names where node in (select node from listed)")
        self._con.execute("insert or replace into tables by name from listed")
        for each in found:
            if each.names is not None:
                named = pa.table({"nth": pa.array(range(len(each.names))), "name": each.names})
                self._con.register("named", named)
                self._con.execute("insert into names select ?, nth, name from named", [each.node])
                self._con.unregister("named")
        self._end(run, rows)
        self._con.unregister("listed")
        self._con.commit()

    def _end(self, run: int, rows: Iterable[tuple[str, pa.Array]]) -> None:
        """Replace the rows of the given tables, and store which names have ended."""
        found = dict(rows)
        present = [
            pa.table({"node": pa.repeat(node, len(names)), "name": names})
            for node, names in found.items()
        ]
        if found:
            self._con.register("named", pa.table({"node": pa.array(found)}))
            self._con.register("present", pa.concat_tables(present))
            for statement in _END.format(run=run).split(";"):
                self._con.execute(statement)
            self._con.unregister("named")
            self._con.unregister("present")

    def ended(self, run: int) -> pa.Array:
        """Return the names, without versions, of the rows that a run no longer built."""
        query = "select name from ended where run = ?"
        names = self._con.sql(query, params=[run]).to_arrow_table()["name"]
        return names.combine_chunks()

    def waiting(self) -> list[tuple[int, str]]:
        """Return the runs whose lineage is not yet in the warehouse, with their commands."""
        text = "select run, command from runs where waiting order by run"
        return self._con.execute(text).fetchall()

    def database(self) -> Path | None:
        """Return the path of the last run's database, or None before the first run."""
        text = "select path from runs order by run desc limit 1"
        return next((Path(path) for (path,) in self._con.execute(text).fetchall()), None)

    def landed(self, run: int) -> None:
        """Record that the lineage of a run is in the warehouse."""
        self._con.execute("update runs set waiting = false where run = ?", [run])
        self._con.execute("delete from ended where run = ?", [run])


def _row(table: KeptTable) -> dict[str, object]:
    return {name: getattr(table, name) for name in _SCHEMA.names}
