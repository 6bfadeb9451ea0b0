"""Write and read look-ups of row ids, which find the items of an ingest by table and id.

``INGEST.ids.arrow`` contains compressed batches of each table's ids and of the positions of their
items in the ingest. Each batch contains a part of the table's sorted ids, stored in the order of
positions. Ids are in order within a set, and the positions of a set are consecutive, so nearly all
differences are small or equal. The metadata contains the pattern and the batches of each table, and
the first and the last id of each batch. To find an id, one batch is read, or none if the id is in
no batch's range.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.model.patterns import Pattern
from provhouse.runtime.storage import batch_writer, map_batches, mapped_reader

Offsets = npt.NDArray[np.uint32]
IDS_PER_BATCH = 4096
_SCHEMA = pa.schema([("near", pa.uint8()), ("far", pa.int64()), ("offset", pa.uint32())])
"""Differences of ids and of offsets. The difference of two ids is ``near`` plus ``far``.

Nearly all ``far`` are 0.
"""
_PATTERNS, _STARTS, _FIRSTS, _LASTS = b"patterns", b"starts", b"firsts", b"lasts"


@dataclass(frozen=True)
class TableIds:
    """Row ids of one table, in order, and the position of each row id's item in the ingest."""

    pattern: Pattern
    ids: I64
    offsets: Offsets


def ids_file(folder: Path, ingest: int) -> Path:
    """Return the path of the file with the row ids of an ingest.

    Without row ids, no file exists.
    """
    return folder / f"{ingest:08d}.ids.arrow"


def write_ids(path: Path, tables: Sequence[TableIds]) -> None:
    """Write a look-up. No two tables may have the same pattern."""
    tables = [table for table in tables if len(table.ids)]
    pieces = [list(_pieces(table)) for table in tables]
    starts = np.cumsum([0, *map(len, pieces)])
    firsts, lasts = ([int(ids[at]) for each in pieces for ids, _ in each] for at in (0, -1))
    patterns = [(table.pattern.before, table.pattern.after) for table in tables]
    metadata = {
        _PATTERNS: json.dumps(patterns),
        _STARTS: json.dumps(starts.tolist()),
        _FIRSTS: json.dumps(firsts),
        _LASTS: json.dumps(lasts),
    }
    with batch_writer(path, _SCHEMA.with_metadata(metadata)) as out:
        for ids, offsets in (piece for each in pieces for piece in each):
            out.write_batch(_encoded(ids, offsets))


def _pieces(table: TableIds) -> Iterator[tuple[I64, Offsets]]:
    for start in range(0, len(table.ids), IDS_PER_BATCH):
        piece = slice(start, start + IDS_PER_BATCH)
        yield table.ids[piece], table.offsets[piece]


class IdLookup:
    """The row ids of one ingest, and the positions of their items. Several threads may use it.

    After an erasure replaces the file, this object still finds the row ids in the old file.
    """

    def __init__(self, path: Path) -> None:
        """Open the file; raise FileNotFoundError if it is missing."""
        self._content = map_batches(path)
        metadata = self._reader().schema.metadata
        self.patterns = tuple(Pattern(*each) for each in json.loads(metadata[_PATTERNS]))
        self._starts: list[int] = json.loads(metadata[_STARTS])
        self._firsts = np.array(json.loads(metadata[_FIRSTS]), np.int64)
        self._lasts = np.full(len(self._firsts), np.iinfo(np.int64).max)
        if _LASTS in metadata:  # earlier releases did not write this key
            self._lasts[:] = json.loads(metadata[_LASTS])

    def _reader(self) -> pa.ipc.RecordBatchFileReader:
        return mapped_reader(self._content)

    def find(self, pattern: Pattern, ids: I64) -> I64:
        """Return the position of the item that each row id names, or -1 if no item has this id."""
        found = np.full(len(ids), -1, np.int64)
        if pattern not in self.patterns or not len(ids):
            return found
        at = self.patterns.index(pattern)
        start, end = self._starts[at], self._starts[at + 1]
        batch = np.searchsorted(self._firsts[start:end], ids, "right") - 1
        inside = np.flatnonzero((batch >= 0) & (ids <= self._lasts[start:end][batch]))
        order = inside[np.argsort(batch[inside], kind="stable")]
        cuts = np.flatnonzero(np.diff(batch[order])) + 1
        reader = self._reader() if len(order) else None
        for rows in np.split(order, cuts) if len(order) else ():
            known, offsets = _decoded(reader, start + int(batch[rows[0]]))
            place = np.minimum(np.searchsorted(known, ids[rows]), len(known) - 1)
            hit = known[place] == ids[rows]
            found[rows[hit]] = offsets[place[hit]]
        return found

    def tables(self) -> Iterator[TableIds]:
        """Yield the row ids of each table."""
        reader = self._reader()
        for at, pattern in enumerate(self.patterns):
            parts = [_decoded(reader, n) for n in range(self._starts[at], self._starts[at + 1])]
            ids, offsets = (np.concatenate(each) for each in zip(*parts, strict=True))
            yield TableIds(pattern, ids, offsets)

    def offsets(self) -> Offsets:
        """Return the positions of all items, in no particular order."""
        reader = self._reader()
        parts = [_decoded(reader, n)[1] for n in range(reader.num_record_batches)]
        return np.concatenate([np.empty(0, np.uint32), *parts])


def _encoded(ids: I64, offsets: Offsets) -> pa.RecordBatch:
    order = np.argsort(offsets)
    steps = np.diff(ids[order], prepend=np.int64(0))  # may wrap around; the sum then wraps back
    near = np.where((steps >= 0) & (steps < 256), steps, 0).astype(np.uint8)
    columns = [near, steps - near, np.diff(offsets[order], prepend=np.uint32(0))]
    return pa.record_batch([pa.array(one) for one in columns], schema=_SCHEMA)


def _decoded(reader: pa.ipc.RecordBatchFileReader, number: int) -> tuple[I64, Offsets]:
    """Return the ids of a batch, in order, and the offset of each id."""
    *steps, offset_steps = (np.asarray(column) for column in reader.get_batch(number).columns)
    ids, offsets = np.cumsum(sum(steps)), np.cumsum(offset_steps, dtype=np.uint32)
    if len(steps) == 1:  # before format 6, ids were written in order
        return ids, offsets
    order = np.argsort(ids, kind="stable")  # fast, since the ids of each set are in order
    return ids[order], offsets[order]


def read_ids(folder: Path, ingest: int) -> IdLookup | None:
    """Return the look-up of the row ids of an ingest, or None if it has none."""
    try:
        return IdLookup(ids_file(folder, ingest))
    except FileNotFoundError:
        return None
