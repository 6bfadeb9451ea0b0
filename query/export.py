"""Export a generation, or one answer, as Parquet files with names, for other programs.

Partitions are written one at a time, so memory stays small however large the warehouse is. The
manifest is written last: a folder without it is no complete export.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.model.answer import Answer
from provhouse.model.arrays import ItemNumbers
from provhouse.model.columns import (
    ATTRIBUTES,
    BORN,
    DST,
    DST_TABLE,
    INGEST,
    ITEM,
    OP,
    SRC,
    SRC_TABLE,
    TABLE,
)
from provhouse.model.errors import Damaged
from provhouse.model.progress import Progress
from provhouse.model.question import AsOf
from provhouse.store.tables.links import touching
from provhouse.store.tables.partitions import partition_path, read_partition
from provhouse.store.tables.ranges import places
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.bases import pinned
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.manifest import Holds, Manifest, write_manifest

from .as_of import commit_as_of
from .export_files import FILE_TRIPLES, ExportWriter, create_folder

_NAMED = (SRC, DST, OP, ATTRIBUTES, SRC_TABLE, DST_TABLE)
_ANSWER = pa.schema([(name, pa.string()) for name in _NAMED])
_WAREHOUSE = pa.schema([*_ANSWER, (INGEST, pa.int32()), (BORN, pa.int32())])
_HOLDS: dict[str, Holds] = {"upstream": "lineage", "downstream": "impact"}


def export_warehouse(
    layout: Layout, folder: Path, progress: Progress, as_of: AsOf | None = None
) -> Manifest:
    """Write all triples of a generation into a new folder.

    Raises what ``commit_as_of`` raises, UsageError if the folder is not empty, and Damaged if
    a partition cannot be read.
    """
    commit = commit_as_of(layout, as_of)
    with pinned(layout, commit):
        snapshot = Snapshot(layout, commit)
        create_folder(layout, folder)
        progress.begin("Export the triples")
        manifest = snapshot.names.settled(lambda: _write_partitions(snapshot, folder, progress))
    write_manifest(folder, manifest)
    return manifest


def _write_partitions(snapshot: Snapshot, folder: Path, progress: Progress) -> Manifest:
    for left in folder.glob("triples-*.parquet"):  # an erasure makes this start again
        left.unlink()
    commit = snapshot.commit
    seen = _ExportedItems(snapshot)
    with ExportWriter(folder, _WAREHOUSE) as out:
        for rows in _partitions(snapshot, seen, progress):
            out.write(rows)
    triples = sum(part.rows for part in out.parts)
    if triples + seen.erased != commit.totals.triples:
        raise Damaged(
            f"Generation {commit.generation} should have {commit.totals.triples:,} triples",
            f"{triples + seen.erased:,} were read",
            "Run `provhouse check`",
        )
    return Manifest(
        "warehouse", None, commit.generation, commit.time, triples, seen.items, tuple(out.parts),
        seen.erased,
    )  # fmt: skip


def export_answer(layout: Layout, answer: Answer, folder: Path) -> Manifest:
    """Write the triples of an answer into a new folder; raises UsageError if it is not empty."""
    create_folder(layout, folder)
    triples = answer.triples
    src, dst = (triples[end].combine_chunks() for end in (SRC, DST))
    tables = _tables(answer, len(src.dictionary))
    known = {SRC_TABLE: src, DST_TABLE: dst}
    coded = triples.select([SRC, DST, OP, ATTRIBUTES])
    for name, end in known.items():
        codes = tables.indices.take(end.indices)
        of = pa.DictionaryArray.from_arrays(codes, tables.dictionary)
        coded = coded.append_column(name, of)
    with ExportWriter(folder, _ANSWER) as out:
        for at in range(0, triples.num_rows, FILE_TRIPLES):
            out.write(coded.slice(at, FILE_TRIPLES))
    items = np.unique(np.concatenate([src.indices, dst.indices]))
    manifest = Manifest(
        _HOLDS[answer.direction], answer.item, answer.generation, answer.time,
        triples.num_rows, len(items), tuple(out.parts), answer.links,
    )  # fmt: skip
    write_manifest(folder, manifest)
    return manifest


def _tables(answer: Answer, names: int) -> pa.DictionaryArray:
    """Return the table of each item, by the code of its name.

    Only the item that was asked about may be missing in ``answer.items``.
    """
    of_items = answer.items[TABLE].combine_chunks()
    texts = pa.concat_arrays([of_items.dictionary, pa.array([answer.table])])
    codes = np.full(names, len(of_items.dictionary), np.int32)
    codes[np.asarray(answer.items[ITEM].combine_chunks().indices)] = of_items.indices
    return pa.DictionaryArray.from_arrays(codes, texts)


def _partitions(
    snapshot: Snapshot, seen: "_ExportedItems", progress: Progress
) -> Iterator[pa.Table]:
    """Yield the triples of each partition, with names instead of numbers."""
    triples = snapshot.layout.table(snapshot.commit.base, "triples")
    columns = (SRC, DST, OP, ATTRIBUTES, INGEST, BORN)
    for done, partition in enumerate(snapshot.partitions.tolist()):
        rows = read_partition(partition_path(triples, partition), columns)
        dead = snapshot.deaths.has(places(partition, np.arange(rows.num_rows)))
        rows = seen.named(rows.filter(pa.array(~dead)))
        ends = [ItemNumbers(np.asarray(rows[end], dtype=np.int64)) for end in (SRC, DST)]
        numbers = ItemNumbers(np.unique(np.concatenate(ends)))
        seen.add(numbers)
        names, tables = snapshot.names.described(numbers)
        yield pa.table(_columns(rows, ends, numbers, names, tables)).select(_WAREHOUSE.names)
        progress.advance(done + 1, len(snapshot.partitions))


def _columns(
    rows: pa.Table, ends: list[ItemNumbers], numbers: ItemNumbers, names: pa.Array, tables: pa.Array
) -> dict[str, pa.Array]:
    known = {name: rows[name].combine_chunks() for name in (OP, ATTRIBUTES, INGEST, BORN)}
    for end, (column, table) in zip(ends, ((SRC, SRC_TABLE), (DST, DST_TABLE)), strict=True):
        at = pa.array(np.searchsorted(numbers, end).astype(np.int32))
        known |= {column: pa.DictionaryArray.from_arrays(at, names), table: tables.take(at)}
    return known


class _ExportedItems:
    """The items that exported triples name, marked in an array with one byte for each item.

    ``erased`` is the number of triples left out because they lead from or to an erased item.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        firsts, counts = snapshot.set_firsts, snapshot.set_items
        self._first = int(firsts[0]) if len(firsts) else 0
        last = int(firsts[-1] + counts[-1]) if len(firsts) else 0
        self._seen = np.zeros(last - self._first, bool)
        self._gone = snapshot.names.erased
        self.erased = 0

    def named(self, rows: pa.Table) -> pa.Table:
        """Return the triples whose ends both have names; add the other triples to ``erased``."""
        kept = ~touching(rows, self._gone)
        self.erased += int((~kept).sum())
        return rows.filter(pa.array(kept))

    def add(self, numbers: ItemNumbers) -> None:
        """Record items as exported."""
        self._seen[numbers - self._first] = True

    @property
    def items(self) -> int:
        """The number of exported items."""
        return int(self._seen.sum())
