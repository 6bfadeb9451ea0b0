"""Step 2: give every name a place, and turn rows into edges between places.

A place is the position of a name's hash among all hashes of the ingest. A place takes four bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit

from provhouse.commit.origins import Origin
from provhouse.model.arrays import I32, I64, U64
from provhouse.model.columns import DST, SRC, TABLE
from provhouse.model.errors import BadInput
from provhouse.sets.splits import Split
from provhouse.spark.tasks import report_progress

from ..job import Job
from ..splits import check_splits
from ..staging import Staging, create_array, open_array, read_batches, read_stream
from .read import ReadResult
from .read_names import STORED


@dataclass(frozen=True)
class NumberResult:
    """The results of step 2 that are not in the staging folder: tables and origins."""

    tables: Sequence[str]
    """The table names, by number; the first is the empty name, for items without a table."""
    origins: Sequence[Origin] | None = None
    """In a compaction, the origins named in the staged rows; None if each file is an origin."""


def number(job: Job, read: ReadResult) -> NumberResult:
    """Give every name a place, and write the edges of every file."""
    tables = ["", *sorted({t for bucket in read.buckets for t in bucket.tables if t})]
    if job.inputs.strict and read.two_tables:
        raise BadInput(
            f"{read.two_tables:,} items are named with several tables",
            "With --strict an item has one table",
            "Correct the files, or leave out --strict to keep the most frequent table",
        )
    if job.inputs.splits:
        _check_splits(job, tables, *job.inputs.splits)
    _join_buckets(job.staging, read, tables)
    job.progress.count("items", read.items)
    job.progress.begin("Number the rows")
    tasks = [NumberFile(n, file.valid, job.staging) for n, file in enumerate(read.files)]
    job.run(tasks, [task.rows for task in tasks])
    return NumberResult(tables)


def _check_splits(job: Job, tables: Sequence[str], path: Path, splits: list[Split]) -> None:
    snapshot = job.snapshot()
    check_splits(path, splits, {*tables, *(snapshot.tables if snapshot else ())})


def _join_buckets(staging: Staging, read: ReadResult, tables: Sequence[str]) -> None:
    """Write the hashes, tables and stored item numbers of all buckets, bucket after bucket."""
    code = pa.array(tables, pa.string())
    hashes = create_array(staging.hashes, np.uint64, (read.items,))
    codes = create_array(staging.tables, np.int32, (read.items,))
    stored = create_array(staging.stored, np.int64, (read.items,))
    at = 0
    for bucket, named in enumerate(read.buckets):
        end = at + named.items
        rows = read_stream(staging.items(bucket))
        hashes[at:end] = np.load(staging.item_hashes(bucket))
        codes[at:end] = pc.index_in(rows[TABLE], code)
        stored[at:end] = rows[STORED]
        at = end
    for array in (hashes, codes, stored):
        array.flush()


@dataclass(frozen=True)
class NumberFile:
    """The task that turns the rows of a staged file into edges."""

    number: int
    rows: int
    staging: Staging

    def run(self) -> None:
        """Write the edges of the file: two arrays of places, src and dst."""
        places = Places(open_array(self.staging.hashes))
        out = create_array(self.staging.edges(self.number), np.int32, (2, self.rows))
        at = 0
        for batch in read_batches(self.staging.rows(self.number)):
            end = at + batch.num_rows
            out[0, at:end] = places.of(np.asarray(batch.column(SRC)))
            out[1, at:end] = places.of(np.asarray(batch.column(DST)))
            at = end
            report_progress(at / self.rows)
        out.flush()


class Places:
    """Finds hashes in a sorted array; the first bits of a hash select the part to search."""

    def __init__(self, hashed: U64) -> None:
        self._hashed = np.asarray(hashed)
        bits = max(len(hashed).bit_length() - 2, 1)
        self._shift = np.uint64(64 - bits)
        tops = np.arange((1 << bits) + 1, dtype=np.float64) * 2.0 ** (64 - bits)
        self._starts: I64 = np.searchsorted(self._hashed, tops[:-1].astype(np.uint64))
        self._starts = np.append(self._starts, len(hashed))

    def of(self, wanted: npt.NDArray[np.uint64]) -> I32:
        """Return the place of each hash; raise BadInput if one is missing."""
        result: I32 = _find(self._hashed, self._starts, self._shift, wanted)
        if len(wanted) and (result.min() < 0):
            raise BadInput(
                "An input file changed while it was read", "It now contains new names", "Try again"
            )
        return result


@njit(cache=True)
def _find(hashed: U64, starts: I64, shift: np.uint64, wanted: U64) -> I32:
    out = np.empty(len(wanted), np.int32)
    for row in range(len(wanted)):
        key = wanted[row]
        top = np.int64(key >> shift)
        low, high = starts[top], starts[top + 1]
        while low < high:
            middle = (low + high) // 2
            if hashed[middle] < key:
                low = middle + 1
            else:
                high = middle
        out[row] = low if low < starts[top + 1] and hashed[low] == key else -1
    return out
