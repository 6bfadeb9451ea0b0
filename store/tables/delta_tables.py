"""Append to the Delta tables of a base, and read them.

pyarrow writes the files in their final form. The files are then added to the table's log. Spark
reads these tables like any Delta table. Logs have no column statistics, because names must be
stored in few places, and statistics would contain some names (``docs/decisions/0004-tables.md``).
"""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from cachetools import LRUCache

from provhouse.model.columns import DERIVED, INGEST, KIND, ORIGIN, PARTITION, ROLE, TABLES, TIMES
from provhouse.model.errors import Damaged
from provhouse.model.fault_points import reach
from provhouse.runtime.files import sync_file, sync_folder
from provhouse.runtime.packages import Deferred
from provhouse.runtime.storage import parquet_reader, parquet_writer

from .merged_files import merged_from

if TYPE_CHECKING:
    import deltalake
    from deltalake.transaction import AddAction, RemoveAction
else:
    deltalake = Deferred("deltalake")


PIECE_ROWS = 1 << 16
"""The maximum number of a small table's rows that are in memory at the same time.

This limit applies when the table is written or read in pieces.
"""
CONFIGURATION: dict[str, str | None] = {
    "delta.checkpointInterval": "10",  # for fast opening after years of daily ingests
    "delta.dataSkippingNumIndexedCols": "0",
    "delta.logRetentionDuration": "interval 36500 days",
    "delta.deletedFileRetentionDuration": "interval 36500 days",
}


@dataclass(frozen=True)
class NewFile:
    """A Parquet file in a table's folder that is not yet part of the table."""

    name: str
    rows: int
    values: dict[str, str | None] = field(default_factory=dict)
    """The values of the Delta partition columns in this file, by column."""


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a Parquet file for a table: one compressed row group, with packed integers."""
    with _writer(path, table.schema) as out:
        out.write_table(table, max(table.num_rows, 1))


def _writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """Open a new Parquet file of a table. Each Arrow table written to it becomes one row group."""
    numbers = packed_columns(schema)
    return parquet_writer(
        path,
        schema,
        compression="zstd",
        use_dictionary=[f.name for f in schema if f.name not in numbers],
        column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
        write_statistics=False,
        write_page_checksum=True,  # so that corruption on disk is detected
        store_schema=False,
    )


def packed_columns(schema: pa.Schema) -> list[str]:
    """Return the columns that are delta-encoded: integers with many different values in a file.

    All other integer columns have few different values, for which a dictionary takes less space.
    """
    few = (ORIGIN, KIND, TIMES, ROLE)
    return [f.name for f in schema if pa.types.is_integer(f.type) and f.name not in few]


def append_files(folder: Path, name: str, files: Sequence[NewFile]) -> int:
    """Add files to a table, which is created if it is missing; return the table's new version."""
    return _append_files(folder, name, files, (), _table(folder))


def _table(folder: Path) -> "deltalake.DeltaTable | None":
    try:
        return deltalake.DeltaTable(folder)
    except deltalake.exceptions.TableNotFoundError:
        return None


def _append_files(
    folder: Path,
    name: str,
    files: Sequence[NewFile],
    merged: Sequence[Path],
    table: "deltalake.DeltaTable | None",
) -> int:
    """Add files to a table, and remove the files whose rows the added files include.

    Both changes are made in one version. The removed files, ``merged``, stay in the folder, because
    earlier versions include them. Returns the table's new version.
    """
    schema = deltalake.Schema.from_arrow(TABLES[name])
    partition_by = [PARTITION] if name == "triples" else []
    actions = [_action(folder, file) for file in files]
    version = 0
    if table:
        changes: list[AddAction | RemoveAction] = [*actions, *map(_removal, merged)]
        _with_columns(table, schema)
        table.create_write_transaction(changes, "append", schema, partition_by)
        table.update_incremental()  # or it would stay at the version that it opened
        version = table.version()
    else:
        deltalake.transaction.create_table_with_add_actions(
            str(folder), schema, actions, partition_by=partition_by, configuration=CONFIGURATION
        )
    reach("log appended")
    if merged:
        reach("files merged")
    for file in files:
        sync_file(folder / file.name)
    logs = folder / "_delta_log"
    written = (version - 1, version)  # _with_columns may have written the first of them
    for log in (
        *(file for v in written for file in logs.glob(f"{v:020d}.*")),
        *logs.glob("_last_checkpoint"),
    ):
        sync_file(log)
    sync_folder(folder)
    sync_folder(folder / "_delta_log")
    reach("table synced")
    if table:
        _remember(_state(folder, version), table)
    return version


def _with_columns(table: "deltalake.DeltaTable", schema: "deltalake.Schema") -> None:
    """Add the columns of ``schema`` that an earlier format lacked."""
    known = {field.name for field in table.schema().fields}
    missing = [field for field in schema.fields if field.name not in known]
    if missing:
        table.alter.add_columns(missing)


def newest_version(folder: Path) -> int | None:
    """Return the newest version of a table, or None if the table is missing.

    Only the writer may call this, because readers must use the version in a commit record.
    """
    table = _table(folder)
    return table.version() if table else None


def append_rows(folder: Path, name: str, pieces: Iterable[pa.Table], ingest: int) -> int:
    """Append the rows of an ingest to a table as one file; return the table's new version.

    The new file may include the rows of earlier files, which are then not part of the new version.
    Each piece becomes a row group, so that only one piece at a time is in memory.
    """
    folder.mkdir(parents=True, exist_ok=True)
    table = _table(folder)
    merged = _to_merge(folder, table, ingest) if table else []
    if merged:
        pieces = in_pieces(chain((_read(path, TABLES[name].names) for path in merged), pieces))
    file, rows = _rows_file(ingest), 0
    with _writer(folder / file, TABLES[name]) as out:
        for piece in pieces:
            out.write_table(piece.cast(TABLES[name]), max(piece.num_rows, 1))
            rows += piece.num_rows
    reach("rows written")
    return _append_files(folder, name, [NewFile(file, rows)], merged, table)


def _to_merge(folder: Path, table: "deltalake.DeltaTable", ingest: int) -> list[Path]:
    """Return the newest files of a table that an ingest must merge with its own rows, if any.

    The files of ``MERGED`` ingests (``merged_from``) are merged into one file, ``MERGED`` of these
    files are merged into one larger file, and so on. Therefore the number of files, and the number
    of times that each row is written, grow only with the logarithm of the number of ingests. Files
    of more than ``PIECE_ROWS`` rows are not merged.
    """
    found = table.get_add_actions(flatten=True)
    files = sorted(zip(found["path"].to_pylist(), found["num_records"].to_pylist(), strict=True))
    numbers = [int(Path(name).stem) for name, _ in files]
    first = first_to_merge(numbers, [rows for _, rows in files], ingest)
    return [folder / name for name, _ in files[first:]]


def first_to_merge(numbers: Sequence[int], rows: Sequence[int], ingest: int) -> int:
    """Return the position of the first file that must be merged with new rows.

    The arguments have, for each file in order, the number that ``merged_from`` expects, and the
    number of its rows.
    """
    large = [at for at, count in enumerate(rows, 1) if count > PIECE_ROWS]
    return max(merged_from(numbers, ingest), *large, 0)


def in_pieces(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield the rows of tables in pieces of ``PIECE_ROWS`` rows, without copying any.

    No piece is empty.
    """
    waiting: list[pa.Table] = []
    free = PIECE_ROWS
    for table in tables:
        start = 0
        while start < table.num_rows:
            waiting.append(table.slice(start, free))
            start += free
            free -= waiting[-1].num_rows
            if not free:
                yield pa.concat_tables(waiting)
                waiting, free = [], PIECE_ROWS
    if waiting:
        yield pa.concat_tables(waiting)


def _rows_file(ingest: int) -> str:
    return f"{ingest:08d}.parquet"


def _action(folder: Path, file: NewFile) -> "AddAction":
    return deltalake.transaction.AddAction(
        path=file.name,
        size=(folder / file.name).stat().st_size,
        partition_values=file.values,
        modification_time=int(time.time() * 1000),
        data_change=True,
        stats=json.dumps({"numRecords": file.rows}),
    )


def _removal(path: Path) -> "RemoveAction":
    return deltalake.transaction.RemoveAction(
        path.name,
        data_change=False,
        deletion_timestamp=int(time.time() * 1000),
        size=path.stat().st_size,
    )


def read_rows(
    folder: Path,
    name: str,
    version: int | None,
    columns: Iterable[str] | None = None,
    ingest: int | None = None,
) -> pa.Table:
    """Return the rows of a small table at one version, read without Spark.

    If ``version`` is None, the result is empty. With ``ingest``, read only the rows that this
    ingest appended. Raises Damaged if the table cannot be read.
    """
    names = list(columns or TABLES[name].names)
    empty = TABLES[name].empty_table().select(names)
    with _readable(folder, name, version):
        read = names if ingest is None else [*dict.fromkeys([*names, INGEST])]
        parts = [
            _of_ingest(_read(file, read), ingest).select(names)
            for file in _files(folder, version, ingest)
        ]
    return pa.concat_tables([empty, *(part.cast(empty.schema) for part in parts)])


def _of_ingest(rows: pa.Table, ingest: int | None) -> pa.Table:
    """Return those rows of a file that one ingest appended, or all rows if ``ingest`` is None."""
    if ingest is None:
        return rows
    mine = pc.equal(rows[INGEST], ingest)
    return rows if pc.all(mine).as_py() else rows.filter(mine)


def read_pieces(
    folder: Path, name: str, version: int | None, columns: Sequence[str], ingest: int | None = None
) -> Iterator[pa.Table]:
    """Yield the rows that ``read_rows`` returns, ``PIECE_ROWS`` rows at a time."""
    schema = pa.schema([TABLES[name].field(column) for column in columns])
    wanted = [*columns] if ingest is None else [*dict.fromkeys([*columns, INGEST])]
    with _readable(folder, name, version):
        for path in _files(folder, version, ingest):
            with parquet_reader(path) as file:
                for batch in file.iter_batches(PIECE_ROWS, columns=wanted):
                    rows = _of_ingest(pa.Table.from_batches([batch]), ingest)
                    if rows.num_rows:
                        yield rows.select(schema.names).cast(schema)


def count_rows(folder: Path, name: str, version: int | None, ingest: int | None = None) -> int:
    """Return the number of rows that ``read_rows`` returns.

    Only the column ``ingest`` is read, and only if it is needed.
    """
    if ingest is not None:
        return len(read_rows(folder, name, version, [INGEST], ingest))
    with _readable(folder, name, version):
        found = 0
        for path in _files(folder, version):
            with parquet_reader(path) as file:
                found += file.metadata.num_rows
    return found


def _read(path: Path, columns: list[str]) -> pa.Table:
    """Read columns of a file. Open it only once, because an erasure may replace it in between."""
    with parquet_reader(path) as file:
        rows = file.read(columns)
    if DERIVED in columns and DERIVED not in rows.column_names:  # written before format 3
        rows = rows.append_column(DERIVED, pa.repeat(pa.scalar(0, pa.int64()), rows.num_rows))
    return rows.select(columns)


def stored_files(folder: Path) -> list[Path]:
    """Return the files of a table in all committed versions, and any newer files."""
    return sorted(folder.glob("[0-9]*.parquet"))


def table_files(folder: Path, name: str, version: int | None) -> list[Path]:
    """Return the files of a table at one version, in order.

    If the version is None, there are none.
    """
    with _readable(folder, name, version):
        return _files(folder, version)


def _files(folder: Path, version: int | None, ingest: int | None = None) -> list[Path]:
    """Return the files of a version, or only the file with the rows of one ingest, if it exists.

    A file is named after the last ingest with rows in it.
    """
    if version is None:
        return []
    state = _state(folder, version)
    with _lock:
        files = _known_files.get(state)
    if files is None:
        files = _remember(state, deltalake.DeltaTable(folder, version=version))
    if ingest is None:
        return [*files]
    return [path for path in files if int(path.stem) >= ingest][:1]


_State = tuple[Path, int, int, int, int]
_known_files: LRUCache[_State, tuple[Path, ...]] = LRUCache(128)
_lock = Lock()


def _state(folder: Path, version: int) -> _State:
    """Return a cache key for a version of a table; it changes if the folder is made again."""
    log = (folder / "_delta_log" / f"{version:020d}.json").stat()
    return folder, version, log.st_ino, log.st_mtime_ns, log.st_size


def _remember(state: _State, table: "deltalake.DeltaTable") -> tuple[Path, ...]:
    """Return the files of a table, and cache the list, because opening a table is slow.

    Opening takes many milliseconds.
    """
    # In a URI, blanks and accents of the path are escaped. The names of our files have neither.
    files = tuple(sorted(state[0] / Path(uri).name for uri in table.file_uris()))
    with _lock:
        _known_files[state] = files
    return files


@contextmanager
def _readable(folder: Path, name: str, version: int | None) -> Iterator[None]:
    try:
        yield
    except (OSError, deltalake.exceptions.DeltaError, pa.ArrowInvalid) as error:
        raise Damaged(
            f"Cannot read version {version} of the table {name} in {folder}",
            f"Reading it fails: {str(error).splitlines()[0]}",
            "Restore the folder from a backup",
        ) from error
