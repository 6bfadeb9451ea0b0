"""Export a generation, or one answer, as Parquet files with names, for other programs.

An export writes one partition at a time, so memory stays small however large the warehouse is. It
writes the manifest last, so a folder without a manifest is not a complete export.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.model.answer import Answer
from provhouse.model.arrays import ItemNumbers, unique
from provhouse.model.columns import (
    ATTRIBUTES,
    BORN,
    DESCRIBING,
    DESCRIPTION,
    DST,
    DST_TABLE,
    INGEST,
    ITEM,
    OP,
    SRC,
    SRC_TABLE,
    TABLE,
    TIMES,
    VALUE,
)
from provhouse.model.errors import Damaged
from provhouse.model.progress import Progress
from provhouse.model.question import AsOf
from provhouse.store.tables.lost_derivations import broken_ways
from provhouse.store.tables.modules import modules_of
from provhouse.store.tables.operations import operations_of
from provhouse.store.tables.partitions import partition_path, read_partition
from provhouse.store.tables.ranges import places
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.tables.touching import touching
from provhouse.store.warehouse.bases import pinned
from provhouse.store.warehouse.commits import read_commit
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.manifest import Holds, Manifest, write_manifest

from ..as_of import commit_as_of
from .export_files import (
    FILE_TRIPLES,
    MODULES_FILE,
    OPERATIONS_FILE,
    ExportWriter,
    create_folder,
    write_modules,
    write_operations,
)
from .export_groups import written_out_rows

_NAMED = (SRC, DST, OP, ATTRIBUTES, SRC_TABLE, DST_TABLE)
_ANSWER = pa.schema([(name, pa.string()) for name in _NAMED])
_WAREHOUSE = pa.schema([*_ANSWER, (INGEST, pa.int32()), (BORN, pa.int32())])
_DESCRIBED = {name: pa.string() for name in DESCRIBING} | {
    name: DESCRIPTION[name] for name in (VALUE, TIMES)
}
_HOLDS: dict[str, Holds] = {"upstream": "lineage", "downstream": "impact"}


def export_warehouse(
    layout: Layout, folder: Path, progress: Progress, as_of: AsOf | None = None
) -> Manifest:
    """Write all triples of a generation into a new folder.

    Raises the errors of ``commit_as_of``, UsageError if the folder is not empty, and Damaged if
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
    for left in folder.glob("triples-*.parquet"):  # after an erasure, the export starts again
        left.unlink()
    for name in (OPERATIONS_FILE, MODULES_FILE):
        (folder / name).unlink(missing_ok=True)
    commit = snapshot.commit
    seen = _ExportedItems(snapshot)
    schema = pa.schema([*_WAREHOUSE, *_DESCRIBED.items()]) if snapshot.derived else _WAREHOUSE
    with ExportWriter(folder, schema) as out:
        for rows in _partitions(snapshot, seen, progress, schema):
            out.write(rows)
    triples = sum(part.rows for part in out.parts)
    if seen.read != commit.totals.triples:
        raise Damaged(
            f"Generation {commit.generation} should have {commit.totals.triples:,} triples",
            f"{seen.read:,} were read",
            "Run `provhouse check`",
        )
    return Manifest(
        "warehouse", None, commit.generation, commit.time, triples, seen.items, tuple(out.parts),
        seen.erased, commit.naming, patterns=commit.patterns,
        operations=write_operations(operations_of(snapshot), folder),
        modules=write_modules(modules_of(snapshot), folder),
        samples=tuple(each.sample for each in snapshot.samples),
    )  # fmt: skip


def export_answer(layout: Layout, answer: Answer, folder: Path) -> Manifest:
    """Write the triples of an answer into a new folder; raise UsageError if it is not empty."""
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
    items = unique(np.concatenate([src.indices, dst.indices]))
    commit = read_commit(layout, answer.generation)
    manifest = Manifest(
        _HOLDS[answer.direction], answer.item, answer.generation, answer.time,
        triples.num_rows, len(items), tuple(out.parts), answer.links, commit.naming,
        patterns=commit.patterns,
        exactness=answer.exactness, exactness_triples=answer.exactness_triples,
        samples=answer.samples,
    )  # fmt: skip
    write_manifest(folder, manifest)
    return manifest


def _tables(answer: Answer, names: int) -> pa.DictionaryArray:
    """Return the tables of the items, in the order of the answer's dictionary of names.

    ``answer.items`` may lack the asked item; its table is ``answer.table``.
    """
    of_items = answer.items[TABLE].combine_chunks()
    texts = pa.concat_arrays([of_items.dictionary, pa.array([answer.table])])
    codes = np.full(names, len(of_items.dictionary), np.int32)
    codes[np.asarray(answer.items[ITEM].combine_chunks().indices)] = of_items.indices
    return pa.DictionaryArray.from_arrays(codes, texts)


def _partitions(
    snapshot: Snapshot, seen: "_ExportedItems", progress: Progress, schema: pa.Schema
) -> Iterator[pa.Table]:
    """Yield the triples of each partition, with names instead of numbers."""
    triples = snapshot.layout.table(snapshot.commit.base, "triples")
    columns = (SRC, DST, OP, ATTRIBUTES, INGEST, BORN, *(DESCRIPTION if snapshot.derived else ()))
    broken = broken_ways(snapshot, snapshot.names.erased)
    operations = operations_of(snapshot)
    for done, partition in enumerate(snapshot.partitions.tolist()):
        rows = read_partition(partition_path(triples, partition), columns)
        dead = snapshot.deaths.has(places(partition, np.arange(rows.num_rows)))
        rows = rows.filter(pa.array(~dead))
        seen.read += rows.num_rows
        for piece in written_out_rows(snapshot, rows, broken, operations):
            yield _named(snapshot, seen.named(piece)).select(schema.names)
        progress.advance(done + 1, len(snapshot.partitions))


def _named(snapshot: Snapshot, rows: pa.Table) -> pa.Table:
    """Return triples with names instead of numbers."""
    ends = [ItemNumbers(np.asarray(rows[end], dtype=np.int64)) for end in (SRC, DST)]
    numbers = ItemNumbers(unique(np.concatenate(ends)))
    names, tables = snapshot.names.described(numbers)
    return pa.table(_columns(rows, ends, numbers, names, tables))


def _columns(
    rows: pa.Table, ends: list[ItemNumbers], numbers: ItemNumbers, names: pa.Array, tables: pa.Array
) -> dict[str, pa.Array]:
    known = {
        name: rows[name].combine_chunks() for name in rows.column_names if name not in (SRC, DST)
    }
    for end, (column, table) in zip(ends, ((SRC, SRC_TABLE), (DST, DST_TABLE)), strict=True):
        at = pa.array(np.searchsorted(numbers, end).astype(np.int32))
        known |= {column: pa.DictionaryArray.from_arrays(at, names), table: tables.take(at)}
    return known


class _ExportedItems:
    """Marks for the items at the ends of exported triples, in an array with one byte per item.

    ``erased`` is the number of triples left out because they lead from or to an erased item, and
    ``read`` is the number of stored triples that were read.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        firsts, counts = snapshot.set_firsts, snapshot.set_items
        self._first = int(firsts[0]) if len(firsts) else 0
        last = int(firsts[-1] + counts[-1]) if len(firsts) else 0
        self._seen = np.zeros(last - self._first, bool)
        self._gone = snapshot.names.erased
        self.erased = self.read = 0

    def named(self, rows: pa.Table) -> pa.Table:
        """Return the triples whose ends both have names; add the other triples to ``erased``."""
        kept = ~touching(rows, self._gone)
        self.erased += int((~kept).sum())
        rows = rows.filter(pa.array(kept))
        for end in (SRC, DST):
            self._seen[np.asarray(rows[end], dtype=np.int64) - self._first] = True
        return rows

    @property
    def items(self) -> int:
        """The number of exported items."""
        return int(self._seen.sum())
