"""Sort the names of new items by item number; they were staged in the order of their hashes.

The buckets are first distributed over ranges of item numbers. Then each range is sorted and
written, so that only one range at a time is in memory. The look-up from names to item numbers is
written too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from provhouse.model.columns import NAME, TABLE
from provhouse.runtime.storage import (
    load_arrays,
    open_array,
    read_stream,
    save_array,
    save_arrays,
    write_stream,
)
from provhouse.spark.tasks import report_progress
from provhouse.store.names.erased import ERASED
from provhouse.store.names.lookup import write_lookup
from provhouse.store.names.printed import printed, printed_hashes
from provhouse.store.names.segments import BATCH, names_file, one_array, write_names
from provhouse.store.names.versions import version_hashes, write_versions

from ..staging import Staging
from .id_index import IdIndex
from .id_shards import IdTable
from .read_stage import HASH

NUMBER = "number"
NAMED = pa.schema([(NUMBER, pa.int64()), (NAME, pa.string()), (TABLE, pa.string())])
RANGE = 2048 * BATCH
"""The number of names sorted and written at a time."""


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

    def run(self) -> None:
        """Write the bucket's new names, with their numbers, to one file per range."""
        rows = read_stream(self.staging.items(self.bucket))
        places = slice(self.at, self.at + rows.num_rows)
        numbers = np.asarray(open_array(self.staging.numbers)[places])
        new = np.flatnonzero(numbers >= self.first_item)
        offsets = (numbers[new] - self.first_item).astype(np.uint32)
        hashed = np.asarray(rows[HASH])[new]
        fresh = rows.select([NAME, TABLE]).take(pa.array(new))
        named = np.asarray(fresh[NAME].is_valid())  # in a compaction some items have been erased
        versions, bases = version_hashes(fresh[NAME])
        save_arrays(
            self.staging.lookups(self.bucket),
            hash=hashed[named],
            offset=offsets[named],
            erased=numbers[new][~named],
            version_hash=bases,
            version_offset=offsets[versions].astype(np.uint64),
        )
        fresh = fresh.add_column(0, NUMBER, pa.array(numbers[new])).cast(NAMED)
        _spread(self.staging, self.bucket, fresh, self.first_item, self.items)


@dataclass(frozen=True)
class ScatterIds:
    """The task that distributes new items that occur only as row ids over ranges."""

    start: int
    end: int
    """The first of these items, and the end, counted from the first that occurs only as row id."""
    bucket: int
    """The number with which the files are written, after those of the buckets of names."""
    at: int
    """The place of the first item that occurs only as row id."""
    tables: Sequence[IdTable]
    staging: Staging
    first_item: int
    items: int
    """The number of all new items."""

    def run(self) -> None:
        """Write the new items' names, with their numbers, to one file per range."""
        numbers = np.asarray(
            open_array(self.staging.numbers)[self.at + self.start : self.at + self.end]
        )
        new = np.flatnonzero(numbers >= self.first_item)
        position = open_array(self.staging.id_only)[self.start : self.end][new]
        ids, codes = IdIndex(self.staging).row_ids(position)
        offsets = (numbers[new] - self.first_item).astype(np.uint32)
        hashed = np.empty(len(new), np.uint64)
        parts = [NAMED.empty_table()]
        for code, table in enumerate(self.tables):
            rows = np.flatnonzero(codes == code)
            if len(rows):
                hashed[rows] = printed_hashes(table.pattern, ids[rows])
                names = printed(table.pattern, ids[rows])
                of = pa.repeat(table.name, len(rows))
                columns = {NUMBER: numbers[new[rows]], NAME: names, TABLE: of}
                parts.append(pa.table(columns).cast(NAMED))
        lookup = self.staging.lookups(self.bucket)
        none = np.empty(0, np.uint64)
        save_arrays(
            lookup,
            hash=hashed,
            offset=offsets,
            erased=none.view(np.int64),
            version_hash=none,
            version_offset=none,
        )
        _spread(self.staging, self.bucket, pa.concat_tables(parts), self.first_item, self.items)


def _spread(staging: Staging, bucket: int, rows: pa.Table, first_item: int, items: int) -> None:
    """Write rows of names to one file per range of item numbers."""
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

    def run(self) -> None:
        """Write the range's names as one segment, in the order of numbers."""
        parts = self.staging.range_names.all(self.number)
        rows = pa.concat_tables(map(read_stream, parts))
        names = one_array(rows[NAME])
        rows = rows.drop_columns(NAME).combine_chunks().append_column(NAME, names)
        rows = rows.take(pa.array(np.argsort(np.asarray(rows[NUMBER]))))
        report_progress(0.5)
        first = self.first_item + self.number * RANGE
        path = self.staging.segments.folder / names_file(first, self.ingest)
        write_names(path, rows[NAME], rows[TABLE])


@dataclass(frozen=True)
class IndexNames:
    """The task that writes the look-up of all new names."""

    staging: Staging
    ingest: int

    def run(self) -> None:
        """Write the look-up from names to item numbers, and the list of the erased items."""
        parts = [load_arrays(path) for path in self.staging.lookups.all()]
        target = self.staging.segments.folder
        hashed = np.concatenate([part["hash"] for part in parts])
        offsets = np.concatenate([part["offset"] for part in parts])
        write_lookup(target, self.ingest, hashed, offsets)
        bases, versions = (
            np.concatenate([part[name] for part in parts])
            for name in ("version_hash", "version_offset")
        )
        write_versions(target, self.ingest, bases, versions)
        erased = np.concatenate([part["erased"] for part in parts])
        if len(erased):
            save_array(target / ERASED, np.sort(erased))


def name_ranges(items: int) -> list[int]:
    """Return the number of names in each range, if there are ``items`` new items."""
    return [min(RANGE, items - start) for start in range(0, items, RANGE)]
