"""Stage the content of a warehouse for a compaction, as if an ingest had just read and numbered it.

In this module, the *place* of an item is its position among all stored items, ordered by number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.commit.numbered_origins import stored_origins
from provhouse.ingest.job import Job
from provhouse.ingest.staging import Staging
from provhouse.ingest.steps.number import NumberResult
from provhouse.ingest.steps.place_names import RANGE
from provhouse.ingest.steps.read import ReadResult
from provhouse.ingest.steps.read_judge import REJECTS
from provhouse.ingest.steps.read_names import NamedBucket
from provhouse.ingest.steps.read_stage import StagedFile
from provhouse.ingest.steps.read_writers import HASH, rejects_writer
from provhouse.model.arrays import (
    I32,
    I64,
    ItemNumbers,
    PartitionNumber,
    PartitionNumbers,
    RowPlaces,
)
from provhouse.model.columns import (
    ATTRIBUTES,
    BORN,
    DERIVATION,
    DESCRIPTION,
    DST,
    INGEST,
    NAME,
    OP,
    ORIGIN,
    PARTITION,
    SRC,
    TABLE,
    TRIPLES,
    WAY,
)
from provhouse.runtime.room import slices
from provhouse.runtime.storage import (
    create_array,
    load_array,
    parquet_reader,
    save_array,
    stream_writer,
    write_stream,
)
from provhouse.store.names.hashing import hashes
from provhouse.store.tables.delta_tables import table_files
from provhouse.store.tables.partitions import partition_path, read_partition
from provhouse.store.tables.ranges import places
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit
from provhouse.store.warehouse.layout import Layout

CHUNK_TRIPLES = 2 << 20
"""The approximate number of triples that one task stages."""
ROWS = pa.schema(
    [(OP, pa.string()), (ATTRIBUTES, pa.string()), (BORN, pa.int32()), (ORIGIN, pa.int32())]
)


def restage(job: Job) -> tuple[ReadResult, NumberResult]:
    """Stage all data of the current generation, instead of reading and numbering files."""
    assert job.before, "compact checks that there is something to compact"
    snapshot = Snapshot(job.layout, job.before, room=job.room)
    old = _OldBase(job.staging, job.layout, job.before)
    tables = ["", *snapshot.tables]
    items = sum(span.items for span in snapshot.spans)
    tasks: list[_Triples | _Names | _Rejects] = [
        _Triples(number, old, chunk) for number, chunk in enumerate(_chunks(snapshot))
    ]
    for number, start in enumerate(range(0, items, RANGE)):
        tasks.append(_Names(number, old, start, min(start + RANGE, items), tables))
    for number, file in enumerate(old.rejects()):
        tasks.append(_Rejects(number, old, file, job.ids.ingest))
    done = job.run(tasks)
    if len(snapshot.groups):
        save_array(job.staging.groups, _places(snapshot.groups, *old.spans()))
    _join_tables(job.staging, items)
    read = ReadResult(
        [result for result in done if isinstance(result, StagedFile)],
        [result for result in done if isinstance(result, NamedBucket)],
    )
    return read, NumberResult(tables, stored_origins(snapshot))


def _join_tables(staging: Staging, items: int) -> None:
    """Write each item's table, and -1 as its stored number, since the new base has no items yet."""
    codes = create_array(staging.tables, np.int32, (items,))
    at = 0
    for path in staging.item_tables.all():
        part = load_array(path)
        codes[at : at + len(part)] = part
        at += len(part)
    stored = create_array(staging.stored, np.int64, (items,))
    for rows in slices(items):
        stored[rows] = -1


def _chunks(snapshot: Snapshot) -> Iterator[PartitionNumbers]:
    """Yield groups of consecutive partitions with about ``CHUNK_TRIPLES`` triples each."""
    triples = np.zeros(len(snapshot.partitions), np.int64)
    for rows in snapshot.pieces("placements", [PARTITION, TRIPLES]):
        np.add.at(triples, np.searchsorted(snapshot.partitions, rows[PARTITION]), rows[TRIPLES])
    chunk = np.cumsum(triples) // CHUNK_TRIPLES
    yield from map(
        PartitionNumbers, np.split(snapshot.partitions, np.flatnonzero(np.diff(chunk)) + 1)
    )


@dataclass(frozen=True)
class _OldBase:
    """The base that is compacted, and the staging folder for its content."""

    staging: Staging
    layout: Layout
    commit: Commit

    def snapshot(self) -> Snapshot:
        return Snapshot(self.layout, self.commit)

    def spans(self) -> tuple[ItemNumbers, I64]:
        """Return, for each ingest, the number and the place of its first item."""
        spans = self.snapshot().spans
        items = np.array([span.items for span in spans], np.int64)
        firsts = ItemNumbers(np.array([span.first for span in spans], np.int64))
        return firsts, np.cumsum(items) - items

    def rejects(self) -> list[Path]:
        folder = self.layout.table(self.commit.base, "rejects")
        return table_files(folder, "rejects", self.commit.tables.get("rejects"))


def _places(numbers: ItemNumbers, firsts: ItemNumbers, starts: I64) -> I32:
    """Return the places of items; ``firsts`` and ``starts`` come from ``_OldBase.spans``."""
    span = np.searchsorted(firsts, numbers, "right") - 1
    return (numbers - firsts[span] + starts[span]).astype(np.int32)


@dataclass(frozen=True)
class _Triples:
    """The task that stages the triples of some partitions as rows and edges.

    A triple is staged once for each origin that asserts it. When triples are placed, these rows are
    merged like duplicates in any input.
    """

    number: int
    old: _OldBase
    partitions: PartitionNumbers

    def run(self) -> StagedFile:
        triples = self.old.layout.table(self.old.commit.base, "triples")
        firsts, starts = self.old.spans()
        snapshot = self.old.snapshot()

        edges = [np.empty((2, 0), np.int32)]
        path = self.old.staging.rows(self.number)
        described = DESCRIPTION if snapshot.derived else {}
        schema = pa.schema([*ROWS, *described.items()])
        staged = _labelled(schema.empty_table()).schema
        with stream_writer(path, staged, compression=None) as out:
            for partition in self.partitions.tolist():
                rows = read_partition(partition_path(triples, partition), (SRC, DST, *schema.names))
                rows = _standing(snapshot, partition, rows)
                out.write_table(_labelled(rows.select(schema.names).cast(schema)))
                ends = [ItemNumbers(np.asarray(rows[end])) for end in (SRC, DST)]
                edges.append(np.stack([_places(end, firsts, starts) for end in ends]))
        joined = np.concatenate(edges, axis=1)
        save_array(self.old.staging.edges(self.number), joined)
        return StagedFile(joined.shape[1], 0)


def _labelled(rows: pa.Table) -> pa.Table:
    """Return the rows; the numbers of derivations, if any, become text labels."""
    if WAY not in rows.column_names:
        return rows
    at = rows.column_names.index(WAY)
    return rows.set_column(at, DERIVATION, rows[WAY].cast(pa.string()))


def _standing(snapshot: Snapshot, partition: PartitionNumber, rows: pa.Table) -> pa.Table:
    """Return the rows of live triples, repeated for every origin that asserts the triple."""
    place = places(partition, np.arange(rows.num_rows))
    first = np.asarray(rows[ORIGIN], dtype=np.int64)
    at, origins = snapshot.assertions.standing(place, first)
    living = ~snapshot.deaths.has(RowPlaces(place[at]))
    column = rows.column_names.index(ORIGIN)
    kept = rows.take(pa.array(at[living]))
    return kept.set_column(column, ORIGIN, pa.array(origins[living], pa.int32()))


@dataclass(frozen=True)
class _Names:
    """The task that stages the names and tables of the items in a range of places."""

    number: int
    old: _OldBase
    start: int
    end: int
    tables: Sequence[str]

    def run(self) -> NamedBucket:
        firsts, starts = self.old.spans()
        place = np.arange(self.start, self.end)
        span = np.searchsorted(starts, place, "right") - 1
        numbers = ItemNumbers(place - starts[span] + firsts[span])
        known = self.old.snapshot().names
        names, tables = known.names(numbers), known.tables(numbers)
        rows = pa.table({NAME: names, TABLE: tables, HASH: hashes(names)})
        write_stream(self.old.staging.items(self.number), rows)
        codes = pc.index_in(tables, pa.array(self.tables, pa.string()))
        save_array(self.old.staging.item_tables(self.number), np.asarray(codes, dtype=np.int32))
        return NamedBucket(len(names), 0, ())


@dataclass(frozen=True)
class _Rejects:
    """The task that stages a file of rejected rows."""

    number: int
    old: _OldBase
    file: Path
    ingest: int

    def run(self) -> None:
        snapshot = self.old.snapshot()
        path = self.old.staging.rejects(self.number)
        with parquet_reader(self.file) as file, rejects_writer(path) as out:
            for batch in file.iter_batches():
                shown = snapshot.shows(np.asarray(batch[INGEST]))
                rows = pa.table(batch.filter(pa.array(shown)))
                ingest = pa.repeat(pa.scalar(self.ingest, pa.int32()), rows.num_rows)
                at = rows.column_names.index(INGEST)
                out.write_table(rows.set_column(at, INGEST, ingest).cast(REJECTS))
