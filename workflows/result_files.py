"""Files of results: each distinct result is stored once, under the SHA-256 of its sorted rows.

If the result has no order, its rows are stored by *bucket*: a range of hashes of the key. The
number of rows and a digest of each bucket are stored next to the file. So the difference of two
results reads only the buckets that differ.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt

from provhouse.model.errors import BadInput
from provhouse.model.fault_points import reach
from provhouse.runtime.files import make_folder, sync_file, sync_folder
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import check_lock

from .pinned_inputs import file_digest
from .row_digests import row_text, rows_digest

ROWS_OF_BUCKET = 64
MOST_BITS = 16
GROUP_ROWS = 2048
"""The number of rows of a row group. A difference reads one row group per differing bucket."""
ROW_NUMBER = "file_row_number"
"""The name of DuckDB's row number column. A result that has such a column has no buckets."""
STORED, ERASED, WITHDRAWN = "stored", "erased", "withdrawn"
"""The states of a result. Only a stored result is offered for reuse."""
Buckets = npt.NDArray[np.uint64]
"""For each bucket, three numbers: its number of rows, and two sums of 64-bit row hashes."""


@dataclass(frozen=True)
class ResultFile:
    """A stored result."""

    result: str
    """The SHA-256 of names, types and sorted rows. Rows with an order are not sorted."""
    columns: tuple[str, ...]
    types: tuple[str, ...]
    records: int
    bytes: int
    file: str
    """The SHA-256 of the stored file."""
    key: tuple[str, ...]
    """The columns whose hash determines a row's bucket; empty for all columns."""
    bits: int | None
    """The base-2 logarithm of the number of buckets; None if the file has no buckets."""
    distinct: bool
    """Whether no two rows have the same key."""
    state: str = STORED


def result_path(layout: Layout, digest: str) -> Path:
    """Return the path of a stored result."""
    return layout.results / f"{digest}.parquet"


def buckets_path(layout: Layout, digest: str) -> Path:
    """Return the path of the digests of a result's buckets."""
    return layout.results / f"{digest}.npy"


def is_intact(layout: Layout, stored: ResultFile) -> bool:
    """Return whether the file of a result exists and has its SHA-256."""
    try:
        return file_digest(result_path(layout, stored.result)) == stored.file
    except BadInput:
        return False


def store_result(
    layout: Layout,
    sources: Sequence[Path],
    names: Sequence[str],
    key: Sequence[str],
    known: Mapping[str, ResultFile],
    *,
    ordered: bool,
) -> ResultFile:
    """Store the rows of Parquet files as a result; only the single writer may call this.

    ``names`` are the columns that the result must have; otherwise, BadInput is raised. A result
    that is among ``known`` and whose file is intact is not stored again.
    """
    make_folder(layout.results)
    make_folder(layout.staging)
    for left in layout.results.glob(".*.new"):  # by a writer that was killed
        left.unlink()
    with duckdb.connect(config={"temp_directory": str(layout.staging)}) as con:
        con.execute("set TimeZone = 'UTC'")
        columns, types = _columns(con, sources, names)
        key = _checked_key(key, columns)
        typed = dict(zip(columns, types, strict=True))
        digest = rows_digest(con, "rows", typed, ordered=ordered)
        stored = known.get(digest)
        if stored and stored.state == STORED and is_intact(layout, stored):
            return stored
        records = _count(con)
        plain = ordered or ROW_NUMBER in map(str.lower, columns)
        distinct = _is_distinct(con, row_text(key or columns, typed))
        bits = None if plain else bits_for(records)
        bucket = "" if bits is None else bucket_of(row_text(key or columns, typed), bits)
        path = result_path(layout, digest)
        aside = path.with_name(f".{path.name}.new")
        _write(con, aside, bucket)
        if bits is not None:
            _write_buckets(con, layout, digest, bucket, row_text(columns, typed), bits)
    sync_file(aside)
    check_lock(layout)
    os.replace(aside, path)
    sync_folder(path.parent)
    reach("result written")
    size, file = path.stat().st_size, file_digest(path)
    return ResultFile(digest, columns, types, records, size, file, key, bits, distinct)


def bits_for(records: int) -> int:
    """Return the base-2 logarithm of the number of buckets: about one bucket per 64 records."""
    return min(MOST_BITS, max(0, (records // ROWS_OF_BUCKET).bit_length()))


def bucket_of(text: str, bits: int) -> str:
    """Return SQL for a row's bucket number, given SQL for its key as a string."""
    return f"(md5_number_upper({text}) >> {64 - bits})" if bits else "0::ubigint"


def _columns(
    con: duckdb.DuckDBPyConnection, sources: Sequence[Path], names: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Create the view ``rows`` of Parquet files; return its column names and types."""
    listed = ", ".join("'{}'".format(str(file).replace("'", "''")) for file in sources)
    try:
        con.execute(f"create view rows as from read_parquet([{listed}])")
        found = con.execute("describe rows").fetchall()
    except duckdb.Error as error:
        raise BadInput(
            f"Cannot read the result {sources[0]}", str(error).splitlines()[0], "Give Parquet files"
        ) from error
    columns = tuple(row[0] for row in found)
    if columns != tuple(names):
        raise BadInput(
            f"The file {sources[0]} is not a result of this revision",
            f"Its columns are {', '.join(columns)}, but the query's columns are {', '.join(names)}",
            "Name the file that the revision has written",
        )
    return columns, tuple(row[1] for row in found)


def _checked_key(key: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    if missing := [name for name in key if name not in columns]:
        raise BadInput(
            f"The result has no column {missing[0]}",
            f"Its columns are {', '.join(columns)}",
            "Name columns of the result with --key",
        )
    return tuple(key)


def _count(con: duckdb.DuckDBPyConnection) -> int:
    found = con.execute("select count(*) from rows").fetchone()
    assert found
    return int(found[0])


def _is_distinct(con: duckdb.DuckDBPyConnection, text: str) -> bool:
    query = f"select 1 from rows group by md5({text}) having count(*) > 1 limit 1"
    return con.execute(query).fetchone() is None


def _write(con: duckdb.DuckDBPyConnection, path: Path, bucket: str) -> None:
    order = f"order by {bucket}" if bucket else ""
    target = str(path).replace("'", "''")
    con.execute(
        f"copy (from rows {order}) to '{target}' "
        f"(format parquet, compression zstd, row_group_size {GROUP_ROWS})"
    )


def _write_buckets(
    con: duckdb.DuckDBPyConnection, layout: Layout, digest: str, bucket: str, text: str, bits: int
) -> None:
    sums = (f"sum(md5_number_{half}({text})::hugeint)" for half in ("upper", "lower"))
    hashes = (f"coalesce({each} % (1::hugeint << 64), 0)" for each in sums)
    query = f"select {bucket} b, count(*), {', '.join(hashes)} from rows group by all"
    found: Buckets = np.zeros((1 << bits, 3), np.uint64)
    for number, *values in con.execute(query).fetchall():
        found[number] = values
    path = buckets_path(layout, digest)
    aside = path.with_name(f".{path.name}.new")
    with aside.open("wb") as file:
        np.save(file, found, allow_pickle=False)
        file.flush()
        os.fsync(file.fileno())
    check_lock(layout)
    os.replace(aside, path)
