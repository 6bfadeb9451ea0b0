"""Sort the names of new items by item number.

Step 1 staged the names in buckets, in the order of their hashes. Tasks first distribute the names
of each bucket over ranges of item numbers. Then other tasks sort and write one range each, so that
no task has more than one range in memory. One more task writes the look-up from names to item
numbers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools
from provhouse.model.columns import NAME, TABLE
from provhouse.model.patterns import Pattern
from provhouse.runtime.spark.tasks import report_progress
from provhouse.runtime.storage import (
    Array,
    create_array,
    has_file,
    load_arrays,
    open_array,
    read_stream,
    save_array,
    save_arrays,
    write_stream,
)
from provhouse.store.names.erased import ERASED
from provhouse.store.names.id_lookup import Offsets, TableIds, ids_file, write_ids
from provhouse.store.names.lookup import lookup_file, write_lookup
from provhouse.store.names.pair_sort import sort_pairs
from provhouse.store.names.segments import (
    BATCH,
    RowIds,
    ids_among,
    names_file,
    one_array,
    write_names,
)
from provhouse.store.names.versions import version_hashes, write_versions

from ..staging import CHUNK, Staging
from .id_index import IdIndex
from .id_shards import IdTable
from .read_writers import HASH

NUMBER, ID = "number", "id"
NAMED = pa.schema(
    [(NUMBER, pa.int64()), (NAME, pa.string()), (TABLE, pa.string()), (ID, pa.int64())]
)
RANGE = 2048 * BATCH
"""The number of names to sort and write at a time."""


@dataclass(frozen=True)
class ScatterNames:
    """The task that distributes the new names of a bucket over ranges."""

    bucket: int
    at: int
    """The place of the bucket's first item."""
    staging: Staging
    first_item: int
    items: int
    """The number of new items in all buckets."""
    patterns: Mapping[str, Pattern]
    """For each table with row ids, the pattern of its names."""

    def run(self) -> None:
        """Write the bucket's new names, with their numbers, to one file per range.

        If the pattern of a table makes a name from an id, the id is written instead of the name.
        """
        rows = read_stream(self.staging.items(self.bucket))
        places = slice(self.at, self.at + rows.num_rows)
        numbers = np.asarray(open_array(self.staging.numbers)[places])
        new = np.flatnonzero(numbers >= self.first_item)
        offsets = (numbers[new] - self.first_item).astype(np.uint32)
        hashed = np.asarray(rows[HASH])[new]
        fresh = rows.select([NAME, TABLE]).take(pa.array(new))
        named = np.asarray(fresh[NAME].is_valid())  # in a compaction, some items are erased
        versions, bases = version_hashes(fresh[NAME])
        codes, ids = ids_among(fresh[NAME], fresh[TABLE], self.patterns)
        printed = codes >= 0
        save_arrays(
            self.staging.lookups(self.bucket),
            hash=hashed[named & ~printed],
            offset=offsets[named & ~printed],
            erased=numbers[new][~named],
            version_hash=bases,
            version_offset=offsets[versions].astype(np.uint64),
            code=codes[printed],
            id=ids[printed],
            id_offset=offsets[printed],
        )
        fresh = fresh.add_column(0, NUMBER, pa.array(numbers[new]))
        fresh = fresh.append_column(ID, pa.array(ids, mask=~printed)).cast(NAMED)
        _spread(self.staging, self.bucket, fresh, self.first_item, self.items)


@dataclass(frozen=True)
class ScatterIds:
    """The task that distributes the new items without names over ranges.

    These items occur only as row ids.
    """

    start: int
    end: int
    """The end of the range of items that this task distributes; ``start`` is its beginning.

    Both are counted from the first item that occurs only as a row id.
    """
    bucket: int
    """The number that identifies the files to write. It is above the numbers of all buckets."""
    at: int
    """The place of the first item that occurs only as a row id."""
    tables: Sequence[IdTable]
    staging: Staging
    first_item: int
    items: int
    """The total number of new items."""
    patterns: Mapping[str, Pattern]
    """For each table with row ids, the pattern of its names."""

    def run(self) -> None:
        """Write the new items' ids, with their numbers, to one file per range."""
        numbers = np.asarray(
            open_array(self.staging.numbers)[self.at + self.start : self.at + self.end]
        )
        new = np.flatnonzero(numbers >= self.first_item)
        position = new + self.start
        if has_file(self.staging.id_only):  # if some row ids are names too
            position = open_array(self.staging.id_only)[position]
        ids, codes = IdIndex(self.staging).row_ids(position)
        names = [table.name for table in self.tables]
        places = np.array([[*self.patterns].index(name) for name in names], np.int32)
        none = np.empty(0, np.uint64)
        save_arrays(
            self.staging.lookups(self.bucket),
            hash=none,
            offset=none.astype(np.uint32),
            erased=none.view(np.int64),
            version_hash=none,
            version_offset=none,
            code=places[codes],
            id=ids,
            id_offset=(numbers[new] - self.first_item).astype(np.uint32),
        )
        of = pa.DictionaryArray.from_arrays(codes, pa.array(names, pa.string()))
        columns = {
            NUMBER: numbers[new],
            NAME: pa.nulls(len(new), pa.string()),
            TABLE: of.dictionary_decode(),
            ID: ids,
        }
        rows = pa.table(columns, NAMED)
        _spread(self.staging, self.bucket, rows, self.first_item, self.items)


def _spread(staging: Staging, bucket: int, rows: pa.Table, first_item: int, items: int) -> None:
    """Distribute rows of names over files, one for each range of item numbers."""
    range_of = (np.asarray(rows[NUMBER]) - first_item) // RANGE
    for number in range(len(name_ranges(items))):
        kept = rows.filter(pa.array(range_of == number))
        write_stream(staging.range_names(number, bucket), kept)


@dataclass(frozen=True)
class GatherNames:
    """The task that writes the names of a range of item numbers."""

    number: int
    staging: Staging
    first_item: int
    ingest: int
    patterns: Mapping[str, Pattern]

    def run(self) -> None:
        """Write the names of the range as one segment, in the order of item numbers."""
        parts = self.staging.range_names.all(self.number)
        rows = pa.concat_tables(map(read_stream, parts))
        names = one_array(rows[NAME])
        rows = rows.drop_columns(NAME).combine_chunks().append_column(NAME, names)
        rows = rows.take(pa.array(np.argsort(np.asarray(rows[NUMBER]))))
        report_progress(0.5)
        first = self.first_item + self.number * RANGE
        path = self.staging.segments.folder / names_file(first, self.ingest)
        given: Bools = np.asarray(rows[ID].is_valid())
        ids: I64 = np.asarray(rows[ID].fill_null(0))
        write_names(path, rows[NAME], rows[TABLE], RowIds(ids, given, self.patterns))


@dataclass(frozen=True)
class IndexNames:
    """The task that writes the look-up of all new names."""

    staging: Staging
    ingest: int
    patterns: Mapping[str, Pattern]

    def run(self) -> None:
        """Write the look-up from names to item numbers, and the list of erased items."""
        target = self.staging.segments.folder
        # These files are numbered like buckets, so they too are in the order of the hashes.
        pairs = partial(self._pairs, "hash", "offset")
        write_lookup(lookup_file(target, self.ingest), pairs)
        versions = partial(self._pairs, "version_hash", "version_offset")
        write_versions(target, self.ingest, versions)
        tables = self._row_ids()
        if tables:
            write_ids(ids_file(target, self.ingest), tables)
        erased = np.concatenate([each for (each,) in self._parts("erased")])
        if len(erased):
            save_array(target / ERASED, np.sort(erased))

    def _parts(self, *names: str) -> Iterator[tuple[Array, ...]]:
        """Yield, for each bucket in order, the staged arrays with the given names."""
        for path in self.staging.lookups.all():
            part = load_arrays(path)
            yield tuple(part[name] for name in names)

    def _pairs(self, keys: str, values: str) -> Iterator[tuple[Array, Array]]:
        return ((key, value) for key, value in self._parts(keys, values))

    def _row_ids(self) -> list[TableIds]:
        """Return, for each table, its sorted row ids, in memory-mapped files."""
        sizes = np.zeros(len(self.patterns), np.int64)
        for (code,) in self._parts("code"):
            sizes += np.bincount(code, minlength=len(sizes))
        if not sizes.sum():
            return []
        bounds = np.append(0, np.cumsum(sizes))
        ids, offsets = self._by_table(bounds)
        sorted_ids, sorted_offsets = self._created(1, int(bounds[-1]))
        found = []
        for pattern, (start, end) in zip(
            self.patterns.values(), pairwise(bounds.tolist()), strict=True
        ):
            of_table = partial(_chunks, ids[start:end], offsets[start:end])
            table = TableIds(pattern, sorted_ids[start:end], sorted_offsets[start:end])
            sort_pairs(of_table, table.ids, table.offsets)
            found.append(table)
        return found

    def _by_table(self, bounds: I64) -> tuple[I64, Offsets]:
        """Return all row ids and their offsets, table by table, in memory-mapped files."""
        ids, offsets = self._created(0, int(bounds[-1]))
        free = bounds[:-1].copy()
        for code, some, of_some in self._parts("code", "id", "id_offset"):
            order = np.argsort(code, kind="stable")
            ends = np.cumsum(np.bincount(code, minlength=len(free))).tolist()
            for table, (start, end) in enumerate(pairwise([0, *ends])):
                rows, place = order[start:end], slice(free[table], free[table] + end - start)
                ids[place], offsets[place] = some[rows], of_some[rows]
                free[table] += end - start
        return ids, offsets

    def _created(self, kind: int, size: int) -> tuple[I64, Offsets]:
        """Create memory-mapped files for row ids and their offsets."""
        ids = create_array(self.staging.sorted_ids(kind, 0), np.int64, (size,))
        offsets = create_array(self.staging.sorted_ids(kind, 1), np.uint32, (size,))
        return np.asarray(ids), np.asarray(offsets)


def _chunks(ids: I64, offsets: Offsets) -> Iterator[tuple[I64, Offsets]]:
    for start in range(0, max(len(ids), 1), CHUNK):
        yield ids[start : start + CHUNK], offsets[start : start + CHUNK]


def name_ranges(items: int) -> list[int]:
    """Return how many names each range should have if there are ``items`` new items."""
    return [min(RANGE, items - start) for start in range(0, items, RANGE)]
