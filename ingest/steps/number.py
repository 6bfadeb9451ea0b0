"""Step 2: assign a place to every name, and turn rows into edges between places.

The place of a name is the position of its hash among all hashes of the ingest. A place takes four
bytes, which is half the size of a hash.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.commit.numbered_origins import Origin
from provhouse.model.arrays import I32, I64, U64, unique
from provhouse.model.columns import DST, SRC, TABLE
from provhouse.model.compiled import compiled
from provhouse.model.errors import BadInput
from provhouse.runtime.room import slices
from provhouse.runtime.spark.tasks import report_progress
from provhouse.runtime.storage import (
    create_array,
    has_file,
    load_array,
    open_array,
    read_batches,
    read_stream,
    save_array,
)
from provhouse.sets.split_arrays import Split

from ..ingest_summary import Hub
from ..item_naming import refuse_two_tables
from ..job import Job
from ..splits import check_splits
from ..staging import Staging
from .hubs import find_hubs
from .id_index import IdIndex
from .read import ReadResult
from .read_ids import CODE_OF, NO_TABLE, table_codes
from .read_names import STORED


@dataclass(frozen=True)
class NumberResult:
    """The results of step 2 that are not staged: tables, origins and hubs."""

    tables: Sequence[str]
    """The table names, by number. The first name is empty, for items without a table."""
    origins: Sequence[Origin] | None = None
    """The origins to which the staged rows of a compaction refer; None in an ingest of files."""
    hubs: tuple[Hub, ...] = ()
    """Items that may join unrelated rows."""


def number(job: Job, read: ReadResult) -> NumberResult:
    """Assign places to names in the order of the hashes, and write the edges of every file."""
    named = {table for bucket in read.buckets for table in bucket.tables}
    tables = ["", *sorted(named.union(read.row_ids.all_tables if read.row_ids else ()) - {""})]
    refuse_two_tables(job.naming, read.two_tables, read.in_two_tables)
    if job.inputs.strict and read.two_tables:
        raise BadInput(
            f"{read.two_tables:,} items are named with several tables",
            "With --strict an item has one table",
            "Correct the files, or leave out --strict to keep the most frequent table",
        )
    if job.inputs.splits:
        _check_splits(job, tables, *job.inputs.splits)
    _join_buckets(job, read, tables)
    _place_groups(job.staging)
    job.progress.count("items", read.items)
    job.progress.begin("Number the rows")
    known = [table.name for table in read.row_ids.tables] if read.row_ids else []
    tasks = [
        NumberFile(n, file.valid, job.staging, table_codes(file.id_tables, known))
        for n, file in enumerate(read.files)
    ]
    job.run(tasks, [task.rows for task in tasks])
    return NumberResult(tables, hubs=find_hubs(job, read))


def _check_splits(job: Job, tables: Sequence[str], path: Path, splits: list[Split]) -> None:
    snapshot = job.snapshot()
    check_splits(path, splits, {*tables, *(snapshot.tables if snapshot else ())})


def _join_buckets(job: Job, read: ReadResult, tables: Sequence[str]) -> None:
    """Write the hashes, tables and stored item numbers of all buckets, bucket by bucket.

    Items that occur only as row ids follow, without hashes.
    """
    staging, code = job.staging, pa.array(tables, pa.string())
    hashes = create_array(staging.hashes, np.uint64, (read.names,))
    codes = create_array(staging.tables, np.int32, (read.items,))
    stored = create_array(staging.stored, np.int64, (read.items,))
    at = 0
    for bucket, named in enumerate(read.buckets):
        end = at + named.items
        rows = read_stream(staging.items(bucket))
        hashes[at:end] = load_array(staging.item_hashes(bucket))
        codes[at:end] = pc.index_in(rows[TABLE], code)
        stored[at:end] = rows[STORED]
        at = end
    if read.row_ids:
        only = _place_ids(staging, read)
        _join_ids(job, read, tables, only, codes[at:], stored[at:])


def _place_groups(staging: Staging) -> None:
    """Write the places of the groups, if any."""
    hashed = [load_array(path) for path in staging.group_hashes.all()]
    if hashed:
        found = Places(open_array(staging.hashes)).of(unique(np.concatenate(hashed)))
        save_array(staging.groups, found)


def _place_ids(staging: Staging, read: ReadResult) -> I64 | None:
    """Write the places of all row ids.

    Row ids that do not also occur as names get the places that follow those of all names, in order.
    Return the positions of these row ids. If no row id also occurs as a name, return None and write
    nothing.
    """
    if not read.named_ids:
        return None
    assert read.row_ids
    count = read.row_ids.items
    places = np.asarray(create_array(staging.id_places, np.int32, (count,)))
    only = np.asarray(create_array(staging.id_only, np.int64, (count - read.named_ids,)))
    for rows in slices(count):
        places[rows] = -1
    first = 0
    for number, bucket in enumerate(read.buckets):
        if has_file(staging.id_names(number)):
            position, place = load_array(staging.id_names(number))
            places[position] = first + place
        first += bucket.items
    at = 0
    for rows in slices(count):
        others = np.flatnonzero(places[rows] < 0)
        only[at : at + len(others)] = rows.start + others
        places[rows][others] = read.names + at + np.arange(len(others))
        at += len(others)
    return only


def _join_ids(
    job: Job,
    read: ReadResult,
    tables: Sequence[str],
    only: I64 | None,
    codes: I32,
    stored: I64,
) -> None:
    """Write the tables and stored numbers of items that occur only as row ids.

    ``only`` has the positions of these items among the row ids. None stands for all row ids.
    """
    has_stored = bool(job.extends and job.extends.visible)
    assert read.row_ids
    code = {table: number for number, table in enumerate(tables)}
    own = np.array([code[table.name] for table in read.row_ids.tables], np.int32)
    stored[:] = -1
    for at, shard, arrays in read.row_ids.parts():
        bounds = shard.bounds + at
        if only is not None:
            bounds = np.searchsorted(only, bounds)
        start, end = bounds[0], bounds[-1]
        for table, (low, high) in zip(own, pairwise(bounds), strict=True):
            codes[low:high] = table
        if not has_stored:
            continue
        others = np.array([*(code[table] for table in shard.tables), -1], np.int32)
        for some in slices(end - start):
            here = slice(start + some.start, start + some.stop)
            rows = some if only is None else only[here] - at
            stored[here] = arrays.stored[rows]
            kept = others[arrays.kept[rows]]  # -1 takes the last: the item's own table
            codes[here] = np.where(kept < 0, codes[here], kept)


@dataclass(frozen=True)
class NumberFile:
    """The task that turns the rows of a staged file into edges between places."""

    number: int
    rows: int
    staging: Staging
    codes: I32
    """For each table code that the file's rows use, the table's code in the whole ingest."""

    def run(self) -> None:
        """Write the edges of the file: two arrays of places, src and dst."""
        places = Places(open_array(self.staging.hashes))
        out = create_array(self.staging.edges(self.number), np.int32, (2, self.rows))
        at = 0
        for batch in read_batches(self.staging.rows(self.number)):
            end = at + batch.num_rows
            out[0, at:end] = self._places(batch, SRC, places)
            out[1, at:end] = self._places(batch, DST, places)
            at = end
            report_progress(at / self.rows)

    @cached_property
    def _ids(self) -> tuple[IdIndex, I32 | None]:
        """The index of row ids, and the place of each row id.

        The places are None if all row ids follow the names.
        """
        placed = has_file(self.staging.id_places)
        return IdIndex(self.staging), load_array(self.staging.id_places) if placed else None

    def _places(self, batch: pa.RecordBatch, end: str, places: "Places") -> I32:
        """Return the places of the items at one end of the rows."""
        values = np.asarray(batch.column(end))
        if CODE_OF[end] not in batch.schema.names:
            return places.of(values)
        codes = np.asarray(batch.column(CODE_OF[end]))
        index, place_of = self._ids
        at = index.find(np.append(self.codes, NO_TABLE)[codes], values.view(np.int64))
        found: I32 = (at + len(places)).astype(np.int32) if place_of is None else place_of[at]
        names = np.flatnonzero(codes == NO_TABLE)
        if len(names):
            found[names] = places.of(values[names])
        return found


class Places:
    """A search for hashes in a sorted array; the first bits of a hash select the part to search."""

    def __init__(self, hashed: U64) -> None:
        self._hashed = np.asarray(hashed)
        bits = max(len(hashed).bit_length() - 2, 1)
        self._shift = np.uint64(64 - bits)
        tops = np.arange((1 << bits) + 1, dtype=np.float64) * 2.0 ** (64 - bits)
        self._starts: I64 = np.searchsorted(self._hashed, tops[:-1].astype(np.uint64))
        self._starts = np.append(self._starts, len(hashed))  # the last top, 2^64, is no uint64

    def __len__(self) -> int:
        return len(self._hashed)

    def of(self, wanted: npt.NDArray[np.uint64]) -> I32:
        """Return the place of each hash; raise BadInput if one is missing."""
        result: I32 = _find(self._hashed, self._starts, self._shift, wanted)
        if len(wanted) and (result.min() < 0):
            raise BadInput(
                "An input file changed while it was read", "It now contains new names", "Try again"
            )
        return result


@compiled()
def _find(hashed: U64, starts: I64, shift: np.uint64, wanted: U64) -> I32:
    """Return the place of each hash, or -1. ``starts`` bounds the search by the hash's top bits."""
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
