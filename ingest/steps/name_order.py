"""For names: new items' names go from the order of hashes into the order of numbers.

As with triples, buckets are scattered into ranges of numbers first, then each range is sorted and
written, so that one range at a time is in memory. The look-up from names to numbers is written too.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.model.columns import NAME, TABLE
from provhouse.spark.tasks import report_progress
from provhouse.store.names.erased import ERASED
from provhouse.store.names.lookup import write_lookup
from provhouse.store.names.segments import BATCH, names_file, write_names

from .stage import HASH, read_stream

NUMBER = "number"
NAMED = pa.schema([(NUMBER, pa.int64()), (NAME, pa.string()), (TABLE, pa.string())])
RANGE = 2048 * BATCH
"""Names sorted and written at a time."""


@dataclass(frozen=True)
class ScatterNames:
    """A bucket whose new names go into ranges."""

    bucket: int
    at: int
    """The place of the bucket's first item."""
    folder: Path
    first_item: int
    items: int
    """How many items are new, over all buckets."""

    def run(self) -> None:
        """Write the bucket's new names, with their numbers, into one file a range."""
        rows = read_stream(self.folder / "items" / f"{self.bucket:04d}.arrow")
        numbers = np.load(self.folder / "numbers.npy", mmap_mode="r")
        numbers = np.asarray(numbers[self.at : self.at + rows.num_rows])
        new = np.flatnonzero(numbers >= self.first_item)
        offsets = (numbers[new] - self.first_item).astype(np.uint32)
        (self.folder / "spelled").mkdir(exist_ok=True)
        (self.folder / "lookup").mkdir(exist_ok=True)
        hashed = np.asarray(rows[HASH])[new]
        fresh = rows.select([NAME, TABLE]).take(pa.array(new))
        named = np.asarray(fresh[NAME].is_valid())  # a compaction has items that were erased
        np.savez(
            self.folder / "lookup" / f"{self.bucket:04d}.npz",
            hash=hashed[named],
            offset=offsets[named],
            erased=numbers[new][~named],
        )
        fresh = fresh.add_column(0, NUMBER, pa.array(numbers[new]))
        for number in range(len(name_ranges(self.items))):
            kept = fresh.filter(pa.array(offsets // RANGE == number))
            path = self.folder / "spelled" / f"{number:04d}-{self.bucket:04d}.arrow"
            with pa.ipc.new_stream(str(path), NAMED) as out:
                out.write_table(kept.cast(NAMED))


@dataclass(frozen=True)
class GatherNames:
    """A range of numbers whose names are written."""

    number: int
    folder: Path
    first_item: int
    ingest: int

    def run(self) -> None:
        """Write one segment of names in the order of numbers."""
        parts = sorted((self.folder / "spelled").glob(f"{self.number:04d}-*.arrow"))
        rows = pa.concat_tables(map(read_stream, parts)).combine_chunks()
        rows = rows.take(pa.array(np.argsort(np.asarray(rows[NUMBER]))))
        report_progress(0.5)
        target = self.folder / "segments"
        target.mkdir(exist_ok=True)
        first = self.first_item + self.number * RANGE
        write_names(target / names_file(first, self.ingest), rows[NAME], rows[TABLE])


@dataclass(frozen=True)
class Index:
    """The look-up of all new names."""

    folder: Path
    ingest: int

    def run(self) -> None:
        """Write the look-up from names to numbers, and which of these have no name."""
        parts = [np.load(path) for path in sorted((self.folder / "lookup").glob("*.npz"))]
        target = self.folder / "segments"
        target.mkdir(exist_ok=True)
        hashed = np.concatenate([part["hash"] for part in parts])
        offsets = np.concatenate([part["offset"] for part in parts])
        write_lookup(target, self.ingest, hashed, offsets)
        erased = np.concatenate([part["erased"] for part in parts])
        if len(erased):
            np.save(target / ERASED, np.sort(erased))


def name_ranges(items: int) -> list[int]:
    """How many names each range has in which so many are written."""
    return [min(RANGE, items - start) for start in range(0, items, RANGE)]
