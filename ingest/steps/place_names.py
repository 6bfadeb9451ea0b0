"""Sort the names of new items by item number; they were staged in the order of their hashes.

The buckets are first distributed over ranges of item numbers. Then each range is sorted and
written, so that only one range at a time is in memory. The look-up from names to item numbers is
written too.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from provhouse.model.columns import NAME, TABLE
from provhouse.spark.tasks import report_progress
from provhouse.store.names.erased import ERASED
from provhouse.store.names.lookup import write_lookup
from provhouse.store.names.segments import BATCH, names_file, write_names

from ..staging import Staging, open_array, read_stream, write_stream
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
        np.savez(
            self.staging.lookups(self.bucket),
            hash=hashed[named],
            offset=offsets[named],
            erased=numbers[new][~named],
        )
        fresh = fresh.add_column(0, NUMBER, pa.array(numbers[new]))
        for number in range(len(name_ranges(self.items))):
            kept = fresh.filter(pa.array(offsets // RANGE == number))
            write_stream(self.staging.range_names(number, self.bucket), kept.cast(NAMED))


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
        rows = pa.concat_tables(map(read_stream, parts)).combine_chunks()
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
        """Write the look-up from names to numbers, and the numbers of erased items."""
        parts = [np.load(path) for path in self.staging.lookups.all()]
        target = self.staging.segments.folder
        hashed = np.concatenate([part["hash"] for part in parts])
        offsets = np.concatenate([part["offset"] for part in parts])
        write_lookup(target, self.ingest, hashed, offsets)
        erased = np.concatenate([part["erased"] for part in parts])
        if len(erased):
            np.save(target / ERASED, np.sort(erased))


def name_ranges(items: int) -> list[int]:
    """Return the number of names in each range, if there are ``items`` new items."""
    return [min(RANGE, items - start) for start in range(0, items, RANGE)]
