"""Find the name and table of an item by its number, and its number by its name, without Spark.

Each ingest adds files, which later only an erasure changes:

- ``FIRST-INGEST.arrow`` is a segment (``segments.py``): names and tables in the order of numbers,
  in small compressed batches, so that reading one name decompresses one batch.
- ``INGEST.lookup.npy`` is a look-up (``lookup.py``) of all names that are not row ids: a part of
  each hash, and the number of its item, counted from the ingest's first item. Every hit is verified
  by comparing the name. Earlier releases wrote other files instead (``old_lookup.py``).
- ``INGEST.ids.arrow`` is a look-up (``id_lookup.py``) of the items whose names are row ids of
  their tables. Only the ids of these items are stored, not their names.
- ``INGEST.versions.npy`` maps names without a version to their versions (``versions.py``).

``erased.npy`` contains the numbers of erased items (``erased.py``). Erased items have no names,
even if a segment still contains their names. Names are stored only in these files and in rejected
rows.
"""

import mmap
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock, local
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from cachetools import LRUCache

from provhouse.model.arrays import I64, U64, Column, ItemNumbers, among, unique
from provhouse.model.columns import NAME, TABLE
from provhouse.model.patterns import Pattern
from provhouse.runtime.storage import list_files

from .erased import Mark, erased_in, erased_mark, without_names
from .hashing import hashes
from .id_lookup import IdLookup, read_ids
from .lookup import read_lookup
from .printed import parsed, printed, printed_hashes
from .segments import BATCH, SCHEMA, SegmentReader, one_array
from .versions import Version, matching, read_versions

MANY = 1 << 18
"""The maximum number of names that one call decompresses into memory.

More names go into a temporary file.
"""
GROUP = 64
"""The number of batches from which names are copied together; a call costs more than a copy."""
SPARSE = 4
"""Names of a group are copied immediately if fewer than one in ``SPARSE`` of them are needed.

The names of all other groups are copied together at the end, which takes half the time.
"""
_NONE = pa.array([], pa.string())
_NO_ROWS = np.empty(0, np.int64)
T = TypeVar("T")
_Key = tuple[str, int, tuple[str, ...]]


@dataclass(frozen=True)
class Span:
    """The items that one ingest added: ``items`` consecutive numbers that begin with ``first``."""

    ingest: int
    first: int
    items: int


class Names:
    """The names of the items that the given ingests added; the names of erased items are null.

    Recently used batches stay decompressed, up to ``kept`` bytes.
    """

    def __init__(self, folder: Path, spans: Iterable[Span], kept: int = 0) -> None:
        self._folder = folder
        self._spans = [span for span in spans if span.items]
        self._most = kept
        self._readers = local()  # one for each thread: readers are not thread-safe
        self._kept: LRUCache[_Key, pa.RecordBatch] = LRUCache(kept, _size)
        self._lock = Lock()
        self._mark: Mark = None
        self._erased = ItemNumbers(np.empty(0, np.int64))
        self._read_versions = cache(lambda ingest: read_versions(folder, ingest))
        self._read_lookup = cache(lambda ingest: read_lookup(folder, ingest))
        self._read_ids = cache(lambda ingest: read_ids(folder, ingest))

    def __reduce__(self) -> tuple[type["Names"], tuple[Path, list[Span], int]]:
        return Names, (self._folder, self._spans, self._most)

    @cached_property
    def _segments(self) -> tuple[I64, list[str]]:
        visible = {span.ingest for span in self._spans}
        files = [f.name for f in list_files(self._folder, "*-*.arrow")]
        kept = [f for f in files if int(f.split("-")[1].split(".")[0]) in visible]
        return np.array([int(f.split("-")[0]) for f in kept], np.int64), kept

    @property
    def files(self) -> list[tuple[int, Path]]:
        """For each segment, its first item number and its file, in the order of numbers."""
        firsts, names = self._segments
        return [
            (first, self._folder / name) for first, name in zip(firsts.tolist(), names, strict=True)
        ]

    @property
    def erased(self) -> ItemNumbers:
        """The numbers of all erased items of the base, in order.

        Every access returns the same array until more items are erased.
        """
        mark = erased_mark(self._folder)
        with self._lock:
            if mark != self._mark:
                self._mark, self._erased = mark, erased_in(self._folder)
            return self._erased

    def settled(self, read: Callable[[], T]) -> T:
        """Return the result of ``read``; call it again if items were erased meanwhile.

        Otherwise, a result could mix names, ops and attributes from before and from after the
        erasure. An erasure writes ``erased.npy`` before it removes any name, op or attribute.
        """
        while True:
            erased = self.erased
            result = read()
            if self.erased is erased:
                return result

    def names(self, numbers: ItemNumbers) -> pa.Array:
        """Return the name of each item, in the given order; null for erased items."""
        return self._without_erased(numbers, self.stored(numbers))

    def stored(self, numbers: ItemNumbers) -> pa.Array:
        """Return the name of each item as stored in the segments.

        Segments may still contain names of items that ``erased.npy`` lists as erased.
        """
        return self._columns(numbers, NAME)[NAME].combine_chunks()

    def _without_erased(self, numbers: ItemNumbers, names: pa.Array) -> pa.Array:
        erased = self.erased
        return without_names(names, among(numbers, erased)) if len(erased) else names

    def tables(self, numbers: ItemNumbers) -> pa.Array:
        """Return the table of each item, in the given order; empty if the item has no table."""
        return self.coded_tables(numbers).cast(pa.string())

    def coded_tables(self, numbers: ItemNumbers) -> pa.DictionaryArray:
        """Return the table of each item, in the given order, as a dictionary-encoded array."""
        return _coded(self._columns(numbers, TABLE)[TABLE].combine_chunks())

    def described(self, numbers: ItemNumbers) -> tuple[pa.Array, pa.DictionaryArray]:
        """Return the names and tables of items, which must be ordered, distinct and not erased.

        More than ``MANY`` names are kept in a temporary file instead of memory.
        """
        tables: list[pa.Array] = []

        def names() -> Iterator[pa.Array]:
            for start in range(0, len(numbers), MANY):
                rows = self._columns(ItemNumbers(numbers[start : start + MANY]), NAME, TABLE)
                tables.append(_coded(rows[TABLE].combine_chunks()))
                yield rows[NAME].combine_chunks()

        texts = _spilled(names(), len(numbers)) if len(numbers) > MANY else next(names(), _NONE)
        coded = pa.chunked_array(tables, pa.dictionary(pa.int32(), pa.string()))
        return texts, coded.unify_dictionaries().combine_chunks()

    def _columns(self, numbers: ItemNumbers, *columns: str) -> pa.Table:
        distinct, back = numbers, None
        if (numbers[1:] <= numbers[:-1]).any():
            ordered, back = np.unique(numbers, return_inverse=True)
            distinct = ItemNumbers(ordered)
        parts, places, count = list[pa.Table](), list[I64](), 0
        schema = pa.schema([SCHEMA.field(name) for name in columns])
        for batches, rows in _groups(self._batches(distinct, columns)):
            part = pa.Table.from_batches(batches, schema)
            if len(rows) * SPARSE < part.num_rows:
                part, rows = part.unify_dictionaries().take(pa.array(rows)), np.arange(len(rows))
            parts.append(part)
            places.append(rows + count)
            count += part.num_rows
        whole = pa.concat_tables([schema.empty_table(), *parts]).unify_dictionaries()
        at = np.concatenate([_NO_ROWS, *places])
        if back is None and len(at) == count:
            return pa.table([one_array(column) for column in whole.columns], schema.names)
        rows = pa.array(at if back is None else at[back])
        return pa.table([one_array(column).take(rows) for column in whole.columns], schema.names)

    def _batches(
        self, numbers: ItemNumbers, columns: tuple[str, ...]
    ) -> Iterator[tuple[pa.RecordBatch, I64]]:
        if not len(numbers):
            return
        firsts, files = self._segments
        segment = np.searchsorted(firsts, numbers, "right") - 1
        within = numbers - firsts[segment]
        block = within // BATCH
        row = within - block * BATCH
        changes = (segment[1:] != segment[:-1]) | (block[1:] != block[:-1])
        starts = np.concatenate([[0], np.flatnonzero(changes) + 1])
        ends = [*starts[1:].tolist(), len(numbers)]
        of = zip(segment[starts].tolist(), block[starts].tolist(), strict=True)
        for (file, number), start, end in zip(of, starts.tolist(), ends, strict=True):
            yield self._batch(files[file], number, columns), row[start:end]

    def _batch(self, file: str, number: int, columns: tuple[str, ...]) -> pa.RecordBatch:
        key = (file, number, columns)
        with self._lock:
            batch = self._kept.get(key)
        if batch is None:
            batch = self._reader(file, columns).get_batch(number)
            if self._most:
                with self._lock, suppress(ValueError):  # raised if it is larger than the cache
                    self._kept[key] = batch
        return batch

    def _reader(self, file: str, columns: tuple[str, ...]) -> SegmentReader:
        readers = self._readers.__dict__
        key = " ".join((file, *columns))
        if key not in readers:
            readers[key] = SegmentReader(self._folder / file, columns)
        reader: SegmentReader = readers[key]
        return reader

    def locate(self, names: Column) -> ItemNumbers:
        """Return the number of each name, or -1 if no item has it."""
        found = _none_of(len(names))
        self._locate_hashes(hashes(names), lambda rows: names.take(pa.array(rows)), found)
        if patterns := sorted({one for _, ids in self._ids() for one in ids.patterns}):
            codes, ids = parsed(one_array(pa.table({NAME: names})[NAME]), patterns)
            for code in unique(codes[codes >= 0]).tolist():
                rows = np.flatnonzero((codes == code) & (found < 0))
                found[rows] = self._find_ids(patterns[code], ids[rows])
        return found

    def locate_ids(self, pattern: Pattern, ids: I64) -> ItemNumbers:
        """Return the number of the item that each row id names, or -1 if no item has the id."""
        found = self._find_ids(pattern, ids)
        rows = np.flatnonzero(found < 0)
        if len(rows) and any(len(self._read_lookup(span.ingest)) for span in self._spans):
            missing, others = ids[rows], _none_of(len(rows))
            hashed = printed_hashes(pattern, missing)
            self._locate_hashes(hashed, lambda some: printed(pattern, missing[some]), others)
            found[rows] = others
        return found

    def _ids(self) -> Iterator[tuple[Span, IdLookup]]:
        for span in self._spans:
            if ids := self._read_ids(span.ingest):
                yield span, ids

    def _find_ids(self, pattern: Pattern, ids: I64) -> ItemNumbers:
        """Return the number of the item that is stored with each row id, or -1.

        Items that are stored with a name instead of an id are not found.
        """
        found = _none_of(len(ids))
        for span, known in self._ids():
            rows = np.flatnonzero(found < 0)
            offsets = known.find(pattern, ids[rows])
            found[rows] = np.where(offsets >= 0, offsets + span.first, -1)
        found[among(found, self.erased)] = -1
        return found

    def versions(self, name: str) -> list[Version]:
        """Return the stored versions of a name, the oldest first."""
        hashed = hashes(pa.array([name], pa.string()))[0]
        numbers = [np.empty(0, np.int64)]
        for span in self._spans:
            known, offsets = self._read_versions(span.ingest)
            at = slice(*(np.searchsorted(known, hashed, side) for side in ("left", "right")))
            numbers.append(offsets[at].astype(np.int64) + span.first)
        found = ItemNumbers(np.sort(np.concatenate(numbers)))
        return matching(name, found, self.names(found)) if len(found) else []

    def _locate_hashes(
        self, wanted: U64, names_of: Callable[[I64], Column], found: ItemNumbers
    ) -> None:
        ordered = np.sort(wanted)
        for span in self._spans:
            known = self._read_lookup(span.ingest)
            if len(known) > len(ordered) or known.shares(ordered):
                self._locate_in(span, wanted, names_of, found)

    def _locate_in(
        self, span: Span, wanted: U64, names_of: Callable[[I64], Column], found: ItemNumbers
    ) -> None:
        known = self._read_lookup(span.ingest)
        at = known.search(wanted)
        rows = np.flatnonzero(found < 0)
        # One round for each further name with the same part of the hash.
        while len(rows := rows[known.matches(at[rows], wanted[rows])]):
            numbers = ItemNumbers(span.first + known.offsets(at[rows]))
            same = pc.equal(self.names(numbers), names_of(rows))
            hit = np.asarray(pc.fill_null(same, False), dtype=bool)
            found[rows[hit]] = numbers[hit]
            rows = rows[~hit]
            at[rows] += 1


def _none_of(count: int) -> ItemNumbers:
    return ItemNumbers(np.full(count, -1, np.int64))


def _coded(tables: pa.DictionaryArray) -> pa.DictionaryArray:
    """Return tables with a dictionary of only the used values, in order of first occurrence."""
    if tables.null_count:
        return tables.cast(pa.string()).dictionary_encode()
    used = np.asarray(pc.unique(tables.indices))
    place = np.empty(len(tables.dictionary), np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    codes = place[np.asarray(tables.indices)]
    return pa.DictionaryArray.from_arrays(codes, tables.dictionary.take(pa.array(used)))


def _groups(
    batches: Iterable[tuple[pa.RecordBatch, I64]],
) -> Iterator[tuple[list[pa.RecordBatch], I64]]:
    """Yield up to ``GROUP`` batches at a time, and the numbers of all needed rows in them."""
    left = iter(batches)
    while group := list(islice(left, GROUP)):
        starts = np.cumsum([0, *(batch.num_rows for batch, _ in group)]).tolist()
        rows = [rows + start for (_, rows), start in zip(group, starts, strict=False)]
        yield [batch for batch, _ in group], np.concatenate(rows)


def _size(batch: pa.RecordBatch) -> int:
    return int(batch.get_total_buffer_size())


def _spilled(pieces: Iterable[pa.Array], count: int) -> pa.LargeStringArray:
    """Return all ``count`` strings as one array, stored in an unnamed temporary file.

    The file is memory-mapped. At least one string must not be empty.
    """
    ends, done = np.zeros(count + 1, np.int64), 0
    with TemporaryFile() as file:
        for texts in pieces:
            width = np.int64 if pa.types.is_large_string(texts.type) else np.int32
            offsets = np.frombuffer(texts.buffers()[1], width)
            offsets = offsets[texts.offset : texts.offset + len(texts) + 1]
            begin, end = int(offsets[0]), int(offsets[-1])
            ends[done + 1 : done + 1 + len(texts)] = offsets[1:]
            ends[done + 1 : done + 1 + len(texts)] += ends[done] - begin
            done += len(texts)
            file.write(texts.buffers()[2][begin:end])
        file.flush()
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return pa.LargeStringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(data))
