"""An ingest: files of triples become a new generation, or nothing at all.

The order of what is made lasting is the warehouse's promise: Delta tables, then Neo4j, then the
commit record. A crash before the record leaves only what the next writer removes, and in Neo4j
additional sets and dependencies, which are never wrong.
"""

import math
import os
import secrets
import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark import SparkContext

from provhouse.cypher.graph import Graph
from provhouse.cypher.server import connected
from provhouse.model.arrays import I32
from provhouse.model.columns import DERIVES_FROM, SET, TABLE
from provhouse.model.errors import BadInput
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.store.commits import Commit, Totals, current, with_ingest, write_commit
from provhouse.store.ids import Ids, finished, read_ids, take
from provhouse.store.layout import Layout
from provhouse.store.locks import writing
from provhouse.store.names import Span
from provhouse.store.snapshot import Snapshot
from provhouse.store.spark import run_tasks, spark

from .cutting import Cut, cut_items
from .cutting import Task as CutTask
from .edges import Task as EdgeTask
from .edges import write_edges
from .load import announce, load
from .memory import PeakMemory
from .naming import HELD, Named, name
from .naming import Task as NameTask
from .placing import Gather, Gathered, Scatter
from .readers import Source, sources
from .recover import recover
from .spelling import GatherNames, Index, ScatterNames, name_ranges
from .splits import Split, check_splits, read_splits, split_codes
from .stage import Staged, read_stream, stage
from .stage import Task as StageTask
from .summary import Summary
from .write import Target, write_tables

BUCKET_BYTES = 256 << 20
"""About how many bytes of input share one bucket of names."""
RANGE_TRIPLES = 4 << 20
"""About how many triples are sorted at once."""
SEEDS = 8
"""How often another seed is tried when two names share a hash."""


NOTHING_CUT = Cut(0, 0, 0, ())


@dataclass
class Work:
    """One ingest as it goes: what it was given, and what each step adds."""

    settings: Settings
    layout: Layout
    held: Commit | None
    """The generation that this ingest adds to; None begins a base."""
    ids: Ids
    sources: list[Source]
    splits: tuple[Path, list[Split]] | None
    strict: bool
    context: SparkContext
    graph: Graph
    progress: Progress
    staged: list[Staged] = field(default_factory=list)
    named: list[Named] = field(default_factory=list)
    seed: int = 0
    tables: list[str] = field(default_factory=list)
    cut: Cut = NOTHING_CUT
    gathered: list[Gathered] = field(default_factory=list)
    commit: Commit | None = None

    @property
    def folder(self) -> Path:
        """The staging folder."""
        return self.layout.staging

    @property
    def base(self) -> int:
        """The base that is written to."""
        return self.held.base if self.held else self.ids.base

    @property
    def rows(self) -> int:
        """Valid rows that were read."""
        return sum(staged.valid for staged in self.staged)

    @property
    def rejected(self) -> int:
        """Rows that are no triples."""
        return sum(staged.rejected for staged in self.staged)

    @property
    def triples(self) -> int:
        """New triples."""
        return sum(sum(part.partitions) for part in self.gathered)

    @property
    def two_tables(self) -> int:
        """Items that were named with a table that they do not keep."""
        return sum(named.two_tables for named in self.named)


def ingest(
    files: Sequence[Path],
    settings: Settings,
    *,
    input_format: str | None = None,
    splits: Path | None = None,
    replace: bool = False,
    strict: bool = False,
    progress: Progress,
) -> Summary:
    """Take in files and folders of triples as one new generation.

    ``replace`` begins a new base beside the held one. ``strict`` refuses rejected rows and items
    named with two tables. Raises BadInput for an unusable file, Busy beside another writer;
    whatever is raised, the warehouse is as it was.
    """
    watch = Stopwatch()
    layout = Layout(settings.warehouse)
    found = sources(files, input_format)
    given = (splits, read_splits(splits)) if splits else None
    with ExitStack() as stack:
        stack.enter_context(writing(layout))
        memory = stack.enter_context(PeakMemory())
        recover(layout)
        held = current(layout)
        progress.begin("Start Neo4j")
        with watch.step("start Neo4j"):
            address = stack.enter_context(
                connected(settings.graph_home, settings.neo4j_memory, progress)
            )
            graph = stack.enter_context(Graph(address, layout.warehouse_id()))
        progress.begin("Start Spark")
        with watch.step("start Spark"):
            layout.create(layout.logs)
            context = spark(settings, layout.logs / "spark.log").sparkContext
        layout.create(layout.staging)
        stack.callback(recover, layout)  # whatever goes wrong, nothing half-written stays
        work = Work(
            settings=settings,
            layout=layout,
            held=None if replace else held,
            ids=read_ids(layout),
            sources=found,
            splits=given,
            strict=strict,
            context=context,
            graph=graph,
            progress=progress,
        )
        for title, step in STEPS:
            progress.begin(title)
            with watch.step(title.split()[0].lower()):
                step(work)
            if _nothing_new(work):
                break
        return _summary(work, held, watch.total(), memory.megabytes)


def _read(work: Work) -> None:
    """Read every file; on a shared hash of two names, again with another seed."""
    for seed in range(SEEDS):
        work.seed = seed
        tasks = [
            StageTask(number, source, work.folder, _buckets(work), seed, work.ids.ingest)
            for number, source in enumerate(work.sources)
        ]
        work.staged = run_tasks(work.context, stage, tasks, work.progress)
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
    work.progress.count("rows", work.rows + work.rejected)
    work.progress.count("rejected", work.rejected)
    if work.strict and work.rejected:
        raise BadInput(
            "With --strict every row should be a triple",
            f"{work.rejected:,} rows lack src or dst",
            "Mend the files, or leave out --strict to see the rows among the rejects",
        )


def _buckets(work: Work) -> int:
    size = sum(os.path.getsize(source.path) for source in work.sources)
    return 1 << math.ceil(math.log2(max(size / BUCKET_BYTES, 1)))


def _name(work: Work) -> None:
    """Find the distinct names and those that are held."""
    spans: list[Span] = Snapshot(work.layout, work.held).spans if work.held else []
    names = work.layout.names(work.base)
    tasks = [
        NameTask(bucket, work.folder, work.seed, names, spans) for bucket in range(_buckets(work))
    ]
    work.named = run_tasks(work.context, name, tasks, work.progress)


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
    tasks = [
        EdgeTask(number, staged.valid, work.folder) for number, staged in enumerate(work.staged)
    ]
    run_tasks(work.context, write_edges, tasks, work.progress)
    work.progress.count("items", sum(named.items for named in work.named))


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
        kind: np.lib.format.open_memmap(work.folder / f"{kind}.npy", "w+", dtype, (count,))
        for kind, dtype in (("hashes", np.uint64), ("tables", np.int32), ("held", np.int64))
    }
    at = 0
    for bucket, named in enumerate(work.named):
        end = at + named.items
        rows = read_stream(work.folder / "items" / f"{bucket:04d}.arrow")
        outs["hashes"][at:end] = np.load(work.folder / "items" / f"{bucket:04d}.npy")
        outs["tables"][at:end] = pa.compute.index_in(rows[TABLE], code)
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
    scatter: list[Scatter | ScatterNames] = [
        Scatter(number, work.folder, work.cut.bounds) for number in range(len(work.sources))
    ]
    at = np.cumsum([0, *(named.items for named in work.named)]).tolist()
    for bucket in range(len(work.named)):
        new = ScatterNames(bucket, at[bucket], work.folder, work.ids.item, work.cut.items)
        scatter.append(new)
    run_tasks(work.context, _run, scatter, work.progress)
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
        )
        for number in range(len(work.cut.bounds) + 1)
    ]
    if work.cut.items:
        gather.append(Index(work.folder, work.ids.ingest))
        for number in range(name_ranges(work.cut.items)):
            gather.append(GatherNames(number, work.folder, work.ids.item, work.ids.ingest))
    done = run_tasks(work.context, _run, gather, work.progress)
    work.gathered = [result for result in done if isinstance(result, Gathered)]
    work.progress.count("new triples", work.triples)


def _run(task: Scatter | ScatterNames | Gather | GatherNames | Index) -> Gathered | None:
    return task.run()


def _nothing_new(work: Work) -> bool:
    placed = bool(work.gathered)
    empty = bool(work.staged) and not work.rows
    return ((placed and not work.triples) or empty) and not work.rejected


def _write(work: Work) -> None:
    """Append to the Delta tables."""
    ids, partitions = work.ids, sum(len(part.partitions) for part in work.gathered)
    after = Ids(
        ingest=ids.ingest + 1,
        generation=ids.generation + 1,
        base=max(ids.base, work.base + 1),
        item=ids.item + work.cut.items,
        set=ids.set + work.cut.sets,
        partition=ids.partition + partitions,
    )
    take(work.layout, after)
    row: dict[str, object] = {
        "ingest": ids.ingest,
        "born": ids.generation,
        "run": None,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "files": [source.path for source in work.sources],
        "first_item": ids.item,
        "items": work.cut.items,
        "first_partition": ids.partition,
        "partitions": partitions,
        "triples": work.triples,
        "duplicates": work.rows - work.triples,
        "rejected": work.rejected,
        "two_tables": work.two_tables,
    }
    target = Target(work.layout, work.base, ids.ingest, ids.partition)
    versions = write_tables(work.folder, target, work.gathered, work.tables, row)
    held = work.held or Commit(work.base, 0, "", "", (), {}, Totals())
    work.commit = replace(
        held,
        generation=ids.generation,
        commit=secrets.token_hex(16),
        time=str(row["time"]),
        visible=with_ingest(held.visible, ids.ingest),
        tables={**held.tables, **versions},
    )
    work.commit = replace(work.commit, totals=_totals(work, held.totals))


def _totals(work: Work, before: Totals) -> Totals:
    return Totals(
        triples=before.triples + work.triples,
        items=before.items + work.cut.items,
        components=before.components + work.cut.components,
        sets=before.sets + work.cut.sets,
        set_dependencies=before.set_dependencies + _new_dependencies(work),
    )


def _new_dependencies(work: Work) -> int:
    """How many pairs of sets are there that were not before."""
    snapshot = _after(work)
    rows = snapshot.rows("set_dependencies", [SET, DERIVES_FROM])
    mine = rows.filter(pa.compute.equal(rows["ingest"], work.ids.ingest))
    if work.held is None or not mine.num_rows:
        return int(mine.num_rows)
    before = rows.filter(pa.compute.less(rows["ingest"], work.ids.ingest))
    keys = [SET, DERIVES_FROM]
    return int(mine.join(before.select(keys), keys, join_type="left anti").num_rows)


def _after(work: Work) -> Snapshot:
    assert work.commit is not None, "the tables are written before"
    return Snapshot(work.layout, work.commit)


def _summarise(work: Work) -> None:
    """Write sets and dependencies to Neo4j."""
    load(work.graph, _after(work), work.ids.ingest)


def _commit(work: Work) -> None:
    """Make the generation current."""
    after = _after(work)
    write_commit(work.layout, after.commit)
    finished(work.layout)
    announce(work.graph, after)


STEPS: tuple[tuple[str, Callable[[Work], None]], ...] = (
    ("Read the files", _read),
    ("Number the items", _number),
    ("Cut into sets", _cut),
    ("Place the triples", _place),
    ("Write the tables", _write),
    ("Load Neo4j", _summarise),
    ("Commit", _commit),
)


def _summary(work: Work, held: Commit | None, seconds: dict[str, float], memory: int) -> Summary:
    shown = work.commit or held
    totals = shown.totals if shown else Totals()
    return Summary(
        **asdict(totals),
        generation=shown.generation if shown else 0,
        rejected=work.rejected,
        duplicates=work.rows - work.triples,
        two_tables=work.two_tables,
        new_triples=work.triples,
        new_items=work.cut.items if work.commit else 0,
        tables=tuple(Snapshot(work.layout, shown).tables) if shown else (),
        rejects=work.layout.table(work.base, "rejects") if work.rejected else None,
        bytes_on_disk=_bytes(work.layout.root),
        committed=work.commit is not None,
        seconds=seconds,
        peak_memory_mb=memory,
    )


def _bytes(folder: Path) -> int:
    """All bytes below a folder; what vanishes meanwhile counts nothing."""
    total = 0
    for root, _, files in os.walk(folder):
        for file in files:
            try:
                total += os.lstat(os.path.join(root, file)).st_size
            except OSError:
                continue
    return total
