"""Stage one input file: reject incomplete rows, and replace names by hashes.

The names are staged apart from the rows: in each batch, a name is staged once for each table that
it is named with. They are distributed over buckets by the first bits of their hash, so that
``read_names`` can then load one bucket at a time.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import I64, U64, Bools
from provhouse.model.attributes import quoted
from provhouse.model.columns import (
    ATTRIBUTES,
    DST,
    DST_TABLE,
    INGEST,
    NAME,
    OP,
    SRC,
    SRC_TABLE,
    TABLE,
    TABLES,
)
from provhouse.model.faults import reach
from provhouse.spark.tasks import report_progress
from provhouse.store.names.hashing import hashes

from ..formats.registry import batches
from ..formats.source import Batch, Source
from ..staging import Staging, stream_writer

HASH = "hash"
VOTES = "votes"
ROWS = pa.schema(
    [(SRC, pa.uint64()), (DST, pa.uint64()), (OP, pa.string()), (ATTRIBUTES, pa.string())]
)
NAMED = pa.schema(
    [(HASH, pa.uint64()), (NAME, pa.string()), (TABLE, pa.string()), (VOTES, pa.int64())]
)
REJECTS = TABLES["rejects"]


@dataclass(frozen=True)
class StagedFile:
    """The number of valid rows and the number of rejected rows in a file."""

    valid: int
    rejected: int


@dataclass(frozen=True)
class StageFile:
    """The task that stages a file."""

    number: int
    source: Source
    staging: Staging
    buckets: int
    """The number of buckets, a power of two."""
    seed: int
    ingest: int

    def run(self) -> StagedFile:
        """Stage the file as ``rows``, ``names`` and, if there are any, ``rejects``."""
        valid = rejected = 0
        with _Writer(self) as out:
            size = max(os.path.getsize(self.source.path), 1)
            for batch in batches(
                self.source, lambda behind: report_progress(min(behind / size, 1))
            ):
                good, bad = _judge(batch, self)
                if bad.num_rows:
                    out.reject(bad)
                if good.num_rows:
                    out.write(good)
                valid, rejected = valid + good.num_rows, rejected + bad.num_rows
        reach("rows staged")
        return StagedFile(valid, rejected)


def _judge(batch: Batch, task: StageFile) -> tuple[pa.Table, pa.Table]:
    """Return the valid rows, and the rejected rows with their reasons."""
    rows = batch.rows.append_column(ATTRIBUTES, batch.attributes)
    lacks = _empty(rows[SRC]) + 2 * _empty(rows[DST]).astype(np.int8)
    if batch.scope is not None:
        lacks += 4 * _empty(batch.scope)
    if not lacks.any():
        return _scoped(rows, batch.scope), REJECTS.empty_table()
    at = np.flatnonzero(lacks)
    rejects = pa.table(
        {
            "file": pa.repeat(task.source.path, len(at)),
            "row": batch.first_row + at,
            "reason": _reasons(task.source.columns.scope).take(pa.array(lacks[at])),
            "content": _content(rows.take(pa.array(at))),
            INGEST: pa.repeat(task.ingest, len(at)),
        }
    )
    kept = pa.array(lacks == 0)
    scope = None if batch.scope is None else batch.scope.filter(kept)
    return _scoped(rows.filter(kept), scope), rejects.cast(REJECTS)


def _reasons(scope: str | None) -> pa.Array:
    """Return the reason for each code. A code's bits mean that src, dst or the scope is missing."""
    wanted = (SRC, DST, scope)
    lacking = [[n for bit, n in enumerate(wanted) if code >> bit & 1] for code in range(8)]
    return pa.array([" and ".join(f"no {name}" for name in names) for names in lacking])


def _scoped(rows: pa.Table, scope: pa.Array | None) -> pa.Table:
    """Return the rows with the scope's value put before their names."""
    if scope is None:
        return rows
    for at, name in enumerate(rows.column_names):
        if name in (SRC, DST):
            names = rows[name].combine_chunks()
            rows = rows.set_column(at, name, pc.binary_join_element_wise(scope, names, "/"))
    return rows


def _empty(column: pa.ChunkedArray) -> Bools:
    return np.asarray(pc.equal(pc.fill_null(column, ""), ""), dtype=bool)


def _content(rows: pa.Table) -> pa.Array:
    """Return each row as a JSON object."""
    parts: list[pa.Array | str] = ["{"]
    for number, name in enumerate(rows.column_names):
        value = pc.fill_null(quoted(rows[name].combine_chunks()), "null")
        parts += [f'{", " if number else ""}"{name}": ', value]
    return pc.binary_join_element_wise(*parts, "}", "")


class _Writer:
    """The files that a ``StageFile`` task writes."""

    def __init__(self, task: StageFile) -> None:
        self._task = task
        self._rows = stream_writer(task.staging.rows(task.number), ROWS)
        self._names = [
            stream_writer(task.staging.names(bucket, task.number), NAMED)
            for bucket in range(task.buckets)
        ]
        self._rejects: pq.ParquetWriter | None = None

    def __enter__(self) -> "_Writer":
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self._rows, *self._names):
            stream.close()
        if self._rejects:
            self._rejects.close()

    def reject(self, rows: pa.Table) -> None:
        """Write rejected rows, in the form of the table ``rejects``."""
        if not self._rejects:
            self._rejects = rejects_writer(self._task.staging.rejects(self._task.number))
        self._rejects.write_table(rows)

    def write(self, rows: pa.Table) -> None:
        """Write valid rows with hashes in place of names, and write the names."""
        both = pa.chunked_array([*rows[SRC].chunks, *rows[DST].chunks]).combine_chunks()
        encoded = both.dictionary_encode()
        hashed = hashes(encoded.dictionary, self._task.seed)
        ends = np.asarray(encoded.indices)
        keys = hashed[ends]
        count = rows.num_rows
        self._rows.write_table(
            pa.table(
                {
                    SRC: keys[:count],
                    DST: keys[count:],
                    OP: _or_empty(rows, OP),
                    ATTRIBUTES: rows[ATTRIBUTES],
                },
                schema=ROWS,
            )
        )
        self._write_names(encoded.dictionary, hashed, ends, _tables(rows))

    def _write_names(self, names: pa.Array, hashed: U64, ends: I64, tables: pa.Array) -> None:
        """Write each pair of a name and its table once, with the number of times it occurs."""
        encoded = tables.dictionary_encode()
        pair = ends.astype(np.int64) * len(encoded.dictionary) + np.asarray(encoded.indices)
        distinct, votes = np.unique(pair, return_counts=True)
        name, table = np.divmod(distinct, len(encoded.dictionary))
        bucket = bucket_of(hashed[name], self._task.buckets)
        order = np.argsort(bucket, kind="stable")
        bounds = np.searchsorted(bucket[order], np.arange(self._task.buckets + 1))
        for stream, start, end in zip(self._names, bounds, bounds[1:], strict=False):
            rows = order[start:end]
            stream.write_table(
                pa.table(
                    {
                        HASH: hashed[name[rows]],
                        NAME: names.take(pa.array(name[rows])),
                        TABLE: encoded.dictionary.take(pa.array(table[rows])),
                        VOTES: votes[rows],
                    },
                    schema=NAMED,
                )
            )


def rejects_writer(path: Path) -> pq.ParquetWriter:
    """Open a file of rejected rows, in the form of the table ``rejects``."""
    return pq.ParquetWriter(path, REJECTS, compression="zstd", write_statistics=False)


def bucket_of(hashed: U64, buckets: int) -> I64:
    """Return the bucket of each hash; a higher hash is never in a lower bucket."""
    if buckets == 1:
        return np.zeros(len(hashed), np.int64)
    return (hashed >> np.uint64(64 - (buckets.bit_length() - 1))).astype(np.int64)


def _tables(rows: pa.Table) -> pa.Array:
    sides = [_or_empty(rows, SRC_TABLE), _or_empty(rows, DST_TABLE)]
    return pa.concat_arrays(sides)


def _or_empty(rows: pa.Table, column: str) -> pa.Array:
    if column not in rows.column_names:
        return pa.repeat(pa.scalar("", pa.string()), rows.num_rows)
    return pc.fill_null(rows[column], "").combine_chunks()
