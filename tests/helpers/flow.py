"""A workflow in a warehouse of its own, whose queries DuckDB executes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.store.warehouse.layout import Layout
from provhouse.workflows.executions import RegisteredExecution, add_execution
from provhouse.workflows.reuse import reuse
from provhouse.workflows.reuse_search import Reuse
from provhouse.workflows.revision_names import RevisionName
from provhouse.workflows.revisions import add_revision


@dataclass
class Flow:
    """A workflow that reads its tables from Parquet files in a folder."""

    folder: Path
    ddl: str
    name: str = "flow"
    settings: Settings = field(init=False)

    def __post_init__(self) -> None:
        self.settings = Settings(warehouse=self.folder / "warehouse")

    @property
    def layout(self) -> Layout:
        """The paths of the warehouse."""
        return Layout(self.settings.warehouse)

    def table(self, name: str, query: str) -> Path:
        """Write the rows of a query as the Parquet file of a table."""
        path = self.folder / f"{name}.parquet"
        write(query, path)
        return path

    def add(self, text: str | Mapping[str, str], ddl: str | None = None) -> int:
        """Add a revision, and return its number."""
        texts = {"result": text} if isinstance(text, str) else text
        given = self.ddl if ddl is None else ddl
        added = add_revision(self.name, texts, "sql", given, self.settings, Silent())
        return int(added.revision.rpartition("@r")[2])

    def execute(
        self,
        number: int,
        text: str | Mapping[str, str],
        *tables: str,
        key: Sequence[str] = (),
    ) -> RegisteredExecution:
        """Execute queries in DuckDB, and store their results."""
        texts = {"result": text} if isinstance(text, str) else text
        files = {sink: self.folder / f"out-{number}-{sink}.parquet" for sink in texts}
        for sink, path in files.items():
            write(texts[sink], path, self.prepared(*tables))
        return self.store(number, files, *tables, key=key)

    def store(
        self, number: int, files: Mapping[str, Path], *tables: str, key: Sequence[str] = ()
    ) -> RegisteredExecution:
        """Store files as the results of a revision."""
        inputs = {table: str(self.folder / f"{table}.parquet") for table in tables}
        return self.store_with(files, number, inputs, key)

    def store_with(
        self,
        files: Mapping[str, Path],
        number: int,
        inputs: Mapping[str, str],
        key: Sequence[str] = (),
    ) -> RegisteredExecution:
        """Store files as the results of a revision on named inputs."""
        name = RevisionName(self.name, number)
        return add_execution(name, files, inputs, self.settings, Silent(), key=key)

    def prepared(self, *tables: str) -> duckdb.DuckDBPyConnection:
        """Return a database with the DDL and the rows of the tables, cast to the DDL's types."""
        con = duckdb.connect()
        con.execute(self.ddl)
        for table in tables:
            path = self.folder / f"{table}.parquet"
            con.execute(f"insert into {table} by name from '{path}'")
        return con

    def reuse(self, number: int, sink: str | None = None, **options: Any) -> Reuse:
        """Ask whether a stored result can be used."""
        return reuse(self.layout, f"{self.name}@r{number}", sink, **options)


def write(query: str, path: Path, con: duckdb.DuckDBPyConnection | None = None) -> None:
    """Write the rows of a query as a Parquet file."""
    (con or duckdb.connect()).execute(f"copy ({query}) to '{path}' (format parquet)")


def rows(path: str | Path) -> list[tuple[Any, ...]]:
    """Return the rows of a Parquet file as strings, in a fixed order."""
    found = duckdb.connect().execute(f"from '{path}'").fetchall()
    return sorted(tuple(map(repr, row)) for row in found)
