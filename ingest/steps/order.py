"""The steps of an ingest, in order; each reads and writes the staging folder and adds to ``Work``.

The order of what is made lasting is the warehouse's promise: Delta tables, then Neo4j, then the
commit record. A crash before the record leaves only what the next writer removes, and in Neo4j
additional sets and dependencies, which are never wrong.
"""

import math
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.commit.append import Target, pairs_among
from provhouse.commit.ending import end_of_origins, life_rows
from provhouse.commit.graph_rows import bulk, load
from provhouse.commit.next_commit import commit_with_ingest, ingest_row
from provhouse.commit.origins import origins_of, stored_origins
from provhouse.commit.publish import make_current
from provhouse.cypher.server import Import
from provhouse.model.arrays import I32
from provhouse.model.columns import DERIVES_FROM, INGEST, SET, TABLE
from provhouse.model.errors import BadInput
from provhouse.spark.tasks import Sizes, run_tasks
from provhouse.store.names.names import Span
from provhouse.store.tables.partitions import UNKNOWN_ORIGIN
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit, Totals
from provhouse.store.warehouse.ids import take_ids

from ..mapped import mapped
from ..splits import Split, check_splits, split_codes
from ..work import Work
from .asserting import Brought, assertions
from .cut import Task as CutTask
from .cut import cut_items
from .distinct_names import HELD, name
from .distinct_names import Task as NameTask
from .edges import Task as EdgeTask
from .edges import write_edges
from .name_order import GatherNames, Index, ScatterNames, name_ranges
from .place import Gather, Gathered, Scatter
from .stage import Task as StageTask
from .stage import first_rejects, read_stream, stage
from .write import write_tables

BUCKET_BYTES = 256 << 20
"""About how many bytes of input share one bucket of names."""
RANGE_TRIPLES = 4 << 20
"""About how many triples are sorted at once."""
SPELLED, INDEXED = 2, 40
"""So many names are written, or entered into the look-up, in the time of one triple."""
SEEDS = 8
"""How often another seed is tried when two names share a hash."""


def _read(work: Work) -> None:
    """Read every file; on a shared hash of two names, again with another seed."""
    work.buckets = _buckets(work)
    for seed in range(SEEDS):
        work.seed = seed
        tasks = [
            StageTask(number, source, work.folder, work.buckets, seed, work.ids.ingest)
            for number, source in enumerate(work.sources)
        ]
        sizes = _sizes(work, [os.path.getsize(source.path) for source in work.sources], "bytes")
        work.staged = run_tasks(work.context, stage, tasks, work.progress, sizes)
        work.progress.count("rows", work.rows + work.rejected)
        work.progress.count("rejected", work.rejected)
        work.progress.begin("Find the distinct names")  # its tasks last otherwise
        _name(work)
        if not any(named.collided for named in work.named):
            break
        shutil.rmtree(work.folder)
        work.folder.mkdir()
    else:
        raise BadInput(
            "The names of an ingest should be told apart by 64-bit hashes",
            f"Some shared one under each of {SEEDS} seeds, which does not happen by chance",
            "Take the files in one by one to find those names",
        )
    work.first_rejects = first_rejects(work.folder)
    if work.strict and work.rejected:
        raise BadInput(
            "With --strict every row should be a triple",
            f"{work.rejected:,} rows lack src or dst",
            "Mend the files, or leave out --strict to see the rows among the rejects",
        )


def _sizes(work: Work, of: Sequence[int], unit: str = "") -> Sizes:
    return Sizes(work.folder / "done", of, unit)


def _buckets(work: Work) -> int:
    size = sum(source.bytes_unpacked for source in work.sources)
    return 1 << math.ceil(math.log2(max(size / BUCKET_BYTES, 1)))


def _name(work: Work) -> None:
    """Find the distinct names and those that are held."""
    spans: list[Span] = Snapshot(work.layout, work.held).spans if work.held else []
    names = work.layout.names(work.base)
    tasks = [
        NameTask(bucket, work.folder, work.seed, names, spans) for bucket in range(work.buckets)
    ]
    sizes = _sizes(work, [task.bytes for task in tasks])
    work.named = run_tasks(work.context, name, tasks, work.progress, sizes)


def _number(work: Work) -> None:
    """Give every name a place and every row two of them."""
    work.tables = ["", *sorted({t for named in work.named for t in named.tables if t})]
    if work.strict and work.two_tables:
        raise BadInput(
            "With --strict every item should be named with one table",
            f"{work.two_tables:,} items are named with several",
            "Mend the files, or leave out --strict to keep the most frequent one",
        )
    if work.splits:
        _check_splits(work, *work.splits)
    _join_buckets(work)
    work.progress.count("items", sum(named.items for named in work.named))
    work.progress.begin("Number the rows")
    tasks = [
        EdgeTask(number, staged.valid, work.folder) for number, staged in enumerate(work.staged)
    ]
    sizes = _sizes(work, [task.rows for task in tasks])
    run_tasks(work.context, write_edges, tasks, work.progress, sizes)


def _check_splits(work: Work, path: Path, splits: list[Split]) -> None:
    tables = set(work.tables)
    if work.held:
        tables.update(Snapshot(work.layout, work.held).tables)
    check_splits(path, splits, tables)


def _join_buckets(work: Work) -> None:
    """Put the buckets' hashes, tables and held numbers one after the other, mapped on disk."""
    count = sum(named.items for named in work.named)
    code = pa.array(work.tables, pa.string())
    outs = {
        kind: mapped(work.folder / f"{kind}.npy", dtype, (count,))
        for kind, dtype in (("hashes", np.uint64), ("tables", np.int32), ("held", np.int64))
    }
    at = 0
    for bucket, named in enumerate(work.named):
        end = at + named.items
        rows = read_stream(work.folder / "items" / f"{bucket:04d}.arrow")
        outs["hashes"][at:end] = np.load(work.folder / "items" / f"{bucket:04d}.npy")
        outs["tables"][at:end] = pc.index_in(rows[TABLE], code)
        outs["held"][at:end] = rows[HELD]
        at = end
    for out in outs.values():
        out.flush()


def _cut(work: Work) -> None:
    """Find components and sets and give numbers."""
    levels: list[I32] = split_codes(_named_here(work), work.tables) if work.splits else []
    task = CutTask(
        folder=work.folder,
        layout=work.layout,
        commit=work.held,
        theta=work.settings.theta,
        pack=work.settings.pack,
        plain_nodes=work.settings.plain_nodes,
        splits=levels,
        tables=work.tables,
        first_item=work.ids.item,
        first_set=work.ids.set,
        ranges=math.ceil(work.rows / RANGE_TRIPLES) or 1,
    )
    (work.cut,) = run_tasks(work.context, cut_items, [task], work.progress)
    work.progress.count("new items", work.cut.items)
    work.progress.count("new sets", work.cut.sets)


def _named_here(work: Work) -> list[Split]:
    """The given splits, without tables that no item of this ingest is in."""
    return _only(work.splits[1], set(work.tables)) if work.splits else []


def _only(splits: Sequence[Split], tables: set[str]) -> list[Split]:
    kept: list[Split] = []
    for split in splits:
        texts = [part for part in split if isinstance(part, str) and part in tables]
        nested = _only([part for part in split if not isinstance(part, str)], tables)
        if texts or nested:
            kept.append([*texts, *nested])
    return kept


def _place(work: Work) -> None:
    """Sort the triples into partitions, and the names into the order of numbers."""
    before = Snapshot(work.layout, work.held) if work.held else None
    earlier = stored_origins(before) if before else []
    bring = [UNKNOWN_ORIGIN] * len(work.staged)
    if work.sources:  # else it is a compaction, whose rows say themselves where they come from
        files = [source.path for source in work.sources]
        work.origins = origins_of(files, work.run, earlier, work.ids.origin)
        bring = [origin.number for origin in work.origins]
    scatter: list[Scatter | ScatterNames] = [
        Scatter(number, work.folder, work.cut.bounds, origin) for number, origin in enumerate(bring)
    ]
    at = np.cumsum([0, *(named.items for named in work.named)]).tolist()
    for bucket in range(len(work.named)):
        new = ScatterNames(bucket, at[bucket], work.folder, work.ids.item, work.cut.items)
        scatter.append(new)
    sizes = _sizes(work, [staged.valid for staged in work.staged] + [n.items for n in work.named])
    run_tasks(work.context, _run, scatter, work.progress, sizes)
    work.progress.begin("Write the partitions")
    gather: list[Gather | GatherNames | Index] = [
        Gather(
            number=number,
            folder=work.folder,
            layout=work.layout,
            commit=work.held,
            first_item=work.ids.item,
            partition_triples=work.settings.partition_triples,
            ingest=work.ids.ingest,
            born=work.ids.generation,
            replaces=work.run is not None,
        )
        for number in range(len(work.cut.bounds) + 1)
    ]
    rows = [work.rows // len(gather)] * len(gather)
    if work.cut.items:
        gather.append(Index(work.folder, work.ids.ingest))
        rows.append(work.cut.items // INDEXED)
        for number, count in enumerate(name_ranges(work.cut.items)):
            gather.append(GatherNames(number, work.folder, work.ids.item, work.ids.ingest))
            rows.append(count // SPELLED)
    done = run_tasks(work.context, _run, gather, work.progress, _sizes(work, rows))
    work.gathered = [result for result in done if isinstance(result, Gathered)]
    work.progress.count("new triples", work.triples)
    if before and work.run is not None:
        same_run = [origin.number for origin in earlier if origin.run == work.run]
        work.ended = end_of_origins(before, same_run, Brought(work.folder))


def _run(task: Scatter | ScatterNames | Gather | GatherNames | Index) -> Gathered | None:
    return task.run()


def nothing_new(work: Work) -> bool:
    """Whether the steps so far found no new triple, no assertion, no end and no reject."""
    same = bool(work.gathered) and not (work.triples or work.asserted or work.ended)
    empty = bool(work.staged) and not work.rows and work.run is None
    return (same or empty) and not work.rejected


def _write(work: Work) -> None:
    """Append to the Delta tables."""
    ids, partitions = work.ids, sum(len(part.partitions) for part in work.gathered)
    after = replace(
        ids,
        ingest=ids.ingest + 1,
        generation=ids.generation + 1,
        base=max(ids.base, work.base + 1),
        item=ids.item + work.cut.items,
        set=ids.set + work.cut.sets,
        partition=ids.partition + partitions,
        origin=max([ids.origin, *(origin.number + 1 for origin in work.origins)]),
    )
    take_ids(work.layout, after)
    held = work.held or Commit(work.base, 0, "", "", (), {}, Totals())
    commit = commit_with_ingest(held, ids, work.rolls_back_to)
    row = ingest_row(
        commit,
        ids,
        run=work.run,
        files=[source.path for source in work.sources],
        items=work.cut.items,
        partitions=partitions,
        triples=work.triples,
        duplicates=work.duplicates,
        rejected=work.rejected,
        two_tables=work.two_tables,
    )
    target = Target(work.layout, work.base, ids.ingest, ids.partition)
    sizes = [len(part.partitions) for part in work.gathered]
    asserted = assertions(work.folder, sizes, ids.partition)
    life = life_rows(work.origins, asserted, work.ended, ids.generation)
    versions = write_tables(work.folder, target, work.gathered, work.tables, row, life)
    work.commit = replace(commit, tables={**held.tables, **versions})
    work.commit = replace(work.commit, totals=_totals(work, held.totals))


def _totals(work: Work, before: Totals) -> Totals:
    partitions = sum(len(part.partitions) for part in work.gathered)
    return Totals(
        partitions=before.partitions + partitions,
        triples=before.triples + work.triples - len(work.ended.deaths),
        items=before.items + work.cut.items,
        components=before.components + work.cut.components,
        sets=before.sets + work.cut.sets,
        set_dependencies=before.set_dependencies + _new_dependencies(work),
    )


def _new_dependencies(work: Work) -> int:
    """How many pairs of sets are there that were not before."""
    snapshot = _after(work)
    rows = snapshot.rows("set_dependencies", [SET, DERIVES_FROM])
    mine = rows.filter(pc.equal(rows[INGEST], work.ids.ingest))
    if work.held is None or not mine.num_rows:
        return int(mine.num_rows)
    before = rows.filter(pc.less(rows[INGEST], work.ids.ingest))
    return int((~pairs_among(mine, before)).sum())


def _after(work: Work) -> Snapshot:
    assert work.commit is not None, "the tables are written before"
    return Snapshot(work.layout, work.commit)


def _summarise(work: Work) -> None:
    """Write sets and dependencies to Neo4j."""
    after, ingest = _after(work), work.ids.ingest
    first: Import | None = None
    if work.graph is None:
        assert work.connect, "a preview ends before this"
        first = Import(work.layout.warehouse_id(), bulk(after, ingest))
        work.graph = work.connect(first)
    load(work.graph, after, ingest, work.progress, imported=first is not None and first.done)


def _commit(work: Work) -> None:
    """Make the generation current."""
    assert work.graph, "a preview ends before this"
    make_current(work.layout, work.graph, _after(work))


STEPS: tuple[tuple[str, Callable[[Work], None]], ...] = (
    ("Read the files", _read),
    ("Number the items", _number),
    ("Cut into sets", _cut),
    ("Place the triples", _place),
    ("Write the tables", _write),
    ("Load Neo4j", _summarise),
    ("Commit", _commit),
)
