"""The records of a file, copied to a temporary Arrow file for quick reads of any record."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet as pq

from provhouse.model.errors import BadInput, NotFound, ProvhouseError, Unavailable, UsageError
from provhouse.runtime.scratch import scratch

from .brush_sql import literal, quoted
from .duckdb_types import as_charted

ROW = "(row)"
"""In the copy of a DuckDB table, the name of the column that holds each record's rowid."""
BATCH = 1 << 17
DATABASES = (".duckdb", ".db", ".ddb")
_Version = tuple[int, int, int]


class FileRecords:
    """All records of a file, as they were when the file was opened.

    The attribute ``table`` is an Arrow table over a temporary file that is mapped into memory: the
    operating system reads it on demand and caches it while memory is free. The file may be Parquet,
    CSV, Arrow or DuckDB; for a DuckDB file with several tables, pass the name of one table. Raises
    NotFound, BadInput or UsageError if the file cannot be read, and Unavailable if no space is left
    for the copy.
    """

    def __init__(self, file: Path, table: str | None = None) -> None:
        self.file = file
        self._version = self._current()
        if self._version is None:
            raise NotFound(f"There is no file {file}", "", "Check the path")
        self._folder: TemporaryDirectory[str] = scratch("crossfilter")
        copy = Path(self._folder.name) / "records.arrow"
        try:
            with _batches(file, table) as batches:
                self.name, read = batches
                _copy(read, copy)
        except ProvhouseError:
            self.close()
            raise
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            self.close()
            raise BadInput(f"Cannot read {file}", str(error).splitlines()[0]) from error
        except OSError as error:
            self.close()
            raise Unavailable(
                f"Cannot copy {file} to a temporary folder",
                error.strerror or str(error),
                "Choose a folder with more space by setting TMPDIR",
            ) from error
        self.table: pa.Table = pa.ipc.open_stream(pa.memory_map(str(copy))).read_all()

    @property
    def title(self) -> str:
        """The name of the file."""
        return self.file.name

    @property
    def source(self) -> str:
        """The records as an expression for DuckDB's FROM clause."""
        of_file = self.file.suffix.lower() in (".parquet", ".csv", ".gz")
        return literal(str(self.file)) if of_file else quoted(self.name)

    @property
    def columns(self) -> list[str]:
        """The names of the file's columns."""
        return [name for name in self.table.column_names if name != ROW]

    @property
    def numbered(self) -> bool:
        """Whether records have row numbers. A DuckDB table with a column ``rowid`` hides them."""
        return ROW in self.table.column_names or self.file.suffix.lower() not in DATABASES

    @property
    def changed(self) -> bool:
        """Whether the file has changed or disappeared since it was opened."""
        return self._current() != self._version

    def close(self) -> None:
        """Delete the copy."""
        self._folder.cleanup()

    def _current(self) -> _Version | None:
        try:
            found = os.stat(self.file)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size


def _copy(read: Any, copy: Path) -> None:
    """Write batches as an Arrow stream.

    Unlike in an Arrow file, each batch of a stream may have its own dictionary.
    """
    with pa.OSFile(str(copy), "wb") as out, pa.ipc.new_stream(out, read.schema) as writer:
        for batch in read:
            writer.write_batch(batch)


@contextmanager
def _batches(file: Path, table: str | None) -> Iterator[tuple[str, Any]]:
    """Yield the name of the table that contains the records, and a reader of its Arrow batches."""
    ending = file.suffix.lower()
    if ending in DATABASES:
        with _of_duckdb(file, table) as found:
            yield found
        return
    if table is not None:
        raise UsageError(
            f"{file} has no tables", "Only DuckDB files have tables", "Leave out --table"
        )
    if ending == ".parquet":
        with pq.ParquetFile(file) as parquet:
            batches = parquet.iter_batches(BATCH)
            yield file.stem, pa.RecordBatchReader.from_batches(parquet.schema_arrow, batches)
    elif ending in (".csv", ".gz"):
        options = pa.csv.ReadOptions(block_size=1 << 24)
        with pa.csv.open_csv(file, read_options=options) as reader:
            yield file.name.removesuffix(".gz").removesuffix(".csv"), reader
    elif ending in (".arrow", ".arrows", ".feather", ".ipc"):
        with pa.memory_map(str(file)) as mapped:
            yield file.stem, _of_arrow(mapped)
    else:
        raise UsageError(
            f"Cannot tell the format of {file}",
            f"Its name ends in {ending or 'nothing'}",
            "Name it .parquet, .csv, .csv.gz, .arrow or .duckdb",
        )


def _of_arrow(mapped: Any) -> Any:
    try:
        found = pa.ipc.open_file(mapped)
    except pa.ArrowInvalid:
        mapped.seek(0)
        return pa.ipc.open_stream(mapped)
    batches = (found.get_batch(at) for at in range(found.num_record_batches))
    return pa.RecordBatchReader.from_batches(found.schema, batches)


def _listed(table: Any) -> str:
    """Return a SELECT list for a DuckDB table: its columns, and the rowid if that is visible."""
    named = {name: '"' + name.replace('"', '""') + '"' for name in table.columns}
    listed = [
        f"{as_charted(named[name], str(kind)) or named[name]} as {named[name]}"
        for name, kind in zip(table.columns, table.types, strict=True)
    ]
    hidden = "rowid" in map(str.lower, table.columns)
    return ", ".join(listed if hidden else [*listed, f'rowid as "{ROW}"'])


@contextmanager
def _of_duckdb(file: Path, table: str | None) -> Iterator[tuple[str, Any]]:
    import duckdb

    try:
        with closing(duckdb.connect(str(file), read_only=True)) as connection:
            names = [name for (name,) in connection.execute(_TABLES).fetchall()]
            if (table or len(names) != 1) and table not in names:
                raise UsageError(
                    f"{file} has no table {table!r}" if table else "No table is named",
                    f"The tables are: {', '.join(names) or 'none'}",
                    "Name one with --table",
                )
            name = table or names[0]
            quoted = '"' + name.replace('"', '""') + '"'
            listed = _listed(connection.sql(f"from {quoted}"))
            found = connection.sql(f"select {listed} from {quoted}")
            yield name, found.to_arrow_reader(BATCH)
    except duckdb.Error as error:
        raise BadInput(f"Cannot read {file}", str(error).splitlines()[0]) from error


_TABLES = """
select table_name from duckdb_tables() where not internal and schema_name = 'main' order by 1
"""
