"""Scan Parquet files for ids that are in memory, with threads of this process."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model import arrays
from provhouse.model.arrays import I64, Bools

from ..reading.source_keys import KeyFile, key_of_null
from ..reading.tap_table import TapTable

MOST = 1 << 31
"""The largest number of rows that this process scans, in about 10 seconds.

Spark scans larger numbers of rows.
"""

HASHED = 1 << 12
"""The largest number of values to look up by a hash table, which Arrow rebuilds in each call."""
THREADS = min(8, os.cpu_count() or 1)
AHEAD = 2 * THREADS
"""The largest number of parts that the threads may read ahead."""
PART = 1 << 19
"""The approximate number of rows that a thread reads at once."""

Keep = Callable[[pa.Array], Bools]
"""A function that returns, for the values of a column, a mask of the values to keep."""


@dataclass(frozen=True)
class Matches:
    """A selection of the rows of one file."""

    path: Path
    rows: I64
    """The rows' indexes in the file."""
    values: I64
    """The values, as an array with one row for each column, and one column for each row."""


def rows_in(paths: Sequence[Path]) -> int:
    """Return the total number of rows in the files ``paths``."""
    return sum(pq.read_metadata(path).num_rows for path in paths)


def among(values: I64) -> Keep:
    """Return a filter that keeps ``values``; it searches only values within a column's range."""
    ordered = np.sort(values)

    def keep(column: pa.Array) -> Bools:
        here = np.asarray(column)
        if not len(ordered) or not len(here):
            return np.zeros(len(here), bool)
        least, most = here.min(), here.max()
        first = np.searchsorted(ordered, least)
        wanted = ordered[first : np.searchsorted(ordered, most, side="right")]
        if len(wanted) == 1:
            found: Bools = here == wanted[0]
            return found
        is_sparse = int(most) - int(least) > arrays.MOST_PER_VALUE * len(here)
        if is_sparse and len(wanted) <= HASHED:
            return np.asarray(pc.is_in(column, pa.array(wanted)))
        return arrays.among(here, wanted)

    return keep


def matches(
    paths: Sequence[Path], by: str, keep: Keep, columns: Sequence[str]
) -> Iterator[Matches]:
    """Yield the rows whose value in the column ``by`` passes ``keep``, with the ``columns``.

    Several threads read ahead and call ``keep``.
    """
    pool, running = ThreadPoolExecutor(THREADS, "scan"), deque[Future[Matches]]()
    try:
        for part in _parts(paths):
            running.append(pool.submit(part.matches, by, keep, columns))
            if len(running) > AHEAD:
                yield from _found(running.popleft())
        while running:
            yield from _found(running.popleft())
    finally:
        pool.shutdown(cancel_futures=True)


def _found(part: Future[Matches]) -> Iterator[Matches]:
    found = part.result()
    if len(found.rows):
        yield found


@dataclass(frozen=True)
class _Part:
    """A run of consecutive row groups of a file."""

    path: Path
    metadata: pq.FileMetaData
    groups: range
    start: int
    """The index of the part's first row in the file."""

    def matches(self, by: str, keep: Keep, columns: Sequence[str]) -> Matches:
        with pq.ParquetFile(self.path, metadata=self.metadata) as file:
            read = {by: _column(file, self.groups, by)}
            at = np.flatnonzero(keep(read[by]))
            wanted = columns if len(at) else ()
            read |= {name: _column(file, self.groups, name) for name in {*wanted} - {by}}
            values = [np.asarray(read[name])[at] for name in wanted]
        return Matches(self.path, self.start + at, np.array(values, np.int64))


def _parts(paths: Sequence[Path]) -> Iterator[_Part]:
    for path in paths:
        metadata = pq.read_metadata(path)
        start = first = rows = 0
        for group in range(metadata.num_row_groups):
            rows += metadata.row_group(group).num_rows
            if rows >= PART or group + 1 == metadata.num_row_groups:
                yield _Part(path, metadata, range(first, group + 1), start)
                start, first, rows = start + rows, group + 1, 0


def rows_at(path: Path, rows: I64, columns: Sequence[str]) -> I64:
    """Return integer ``columns`` of the rows with the indexes ``rows``, which must be ascending."""
    with pq.ParquetFile(path) as file:
        found = [
            np.stack([np.asarray(_column(file, [group], name))[at] for name in columns])
            for group, at in groups_of(file, rows)
        ]
    return np.concatenate([np.empty((len(columns), 0), np.int64), *found], 1)


def groups_of(file: pq.ParquetFile, rows: I64) -> Iterator[tuple[int, I64]]:
    """Yield each row group that contains some of ``rows``, and their indexes in the group."""
    start = 0
    for group in range(file.num_row_groups):
        end = start + file.metadata.row_group(group).num_rows
        low, high = np.searchsorted(rows, (start, end))
        if low < high:
            yield group, rows[low:high] - start
        start = end


def _column(file: pq.ParquetFile, groups: Sequence[int], name: str) -> pa.Array:
    found = file.read_row_groups(groups, [name], use_threads=False).column(0)
    # combine_chunks copies the values.
    return found.chunk(0) if found.num_chunks == 1 else found.combine_chunks()


class KeyScan:
    """A reader that returns the keys of a source file's rows."""

    def __init__(self, path: Path, table: TapTable) -> None:
        self._path, self._file = path, KeyFile(path, table)
        assert table.source
        self._key, self._null = table.source, key_of_null(table.source)
        self._last: tuple[int, I64] = (-1, np.empty(0, np.int64))
        """The row group that the method ``of`` read last, and the keys of its rows."""

    def having(self, keys: I64) -> Bools:
        """Return a mask of the rows whose key is among ``keys``."""
        rows = self._file.metadata.num_rows
        if not self._file.names:
            return np.full(rows, self._null in keys)
        found = np.zeros(rows, bool)
        keep, start = among(keys), 0
        with pq.ParquetFile(self._path, metadata=self._file.metadata) as file:
            for group in range(file.num_row_groups):
                end = start + file.metadata.row_group(group).num_rows
                if self._may_have(group, keys):
                    found[start:end] = keep(pa.array(self._keys(file, group)))
                start = end
        return found

    def _may_have(self, group: int, keys: I64) -> bool:
        chunks = self._file.metadata.row_group(group)
        for at in range(0 if self._key.hashed else chunks.num_columns):
            chunk = chunks.column(at)
            if chunk.path_in_schema == self._file.names[0]:
                known = chunk.statistics
                if known is None or not known.has_min_max or self._null in keys:
                    return True
                return bool(((keys >= known.min) & (keys <= known.max)).any())
        return True

    def of(self, rows: I64) -> I64:
        """Return the key of each row with an index in ``rows``."""
        found = np.full(len(rows), self._null)
        if not self._file.names:
            return found
        order, parts = np.argsort(rows, kind="stable"), list[I64]()
        with pq.ParquetFile(self._path, metadata=self._file.metadata) as file:
            for group, at in groups_of(file, rows[order]):
                if group != self._last[0]:
                    self._last = (group, self._keys(file, group))
                parts.append(self._last[1][at])
        found[order] = np.concatenate([np.empty(0, np.int64), *parts])
        return found

    def _keys(self, file: pq.ParquetFile, group: int) -> I64:
        rows = file.read_row_group(group, self._file.names, use_threads=False)
        parts = [self._file.keys(batch) for batch in rows.to_batches()]
        return np.concatenate([np.empty(0, np.int64), *parts])
