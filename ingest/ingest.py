"""An ingest: files of triples become a new generation, or nothing at all."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from provhouse.cypher.graph import Graph
from provhouse.cypher.server import Import, connected, is_fresh, process_id
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.runtime.jars import GROUPS, jar_folder
from provhouse.runtime.java import java
from provhouse.store.commits import Commit, Totals, current
from provhouse.store.ids import read_ids
from provhouse.store.layout import Layout
from provhouse.store.locks import writing
from provhouse.store.snapshot import Snapshot
from provhouse.store.spark import Starting

from .memory import PeakMemory
from .readers import AS_NAMED, Columns, Source, check, sources
from .recover import recover
from .splits import read_splits
from .steps import STEPS, nothing_new
from .summary import Summary
from .work import Work

IMPORTED_BYTES = 64 << 20
"""A first ingest of such files is loaded by Neo4j's importer, before the server's first start."""


def ingest(
    files: Sequence[Path],
    settings: Settings,
    *,
    input_format: str | None = None,
    columns: Columns = AS_NAMED,
    splits: Path | None = None,
    replace: bool = False,
    strict: bool = False,
    progress: Progress,
) -> Summary:
    """Take in files and folders of triples as one new generation.

    ``columns`` says what the columns of the files are called, if not by their known names.
    ``replace`` begins a new base beside the held one. ``strict`` refuses rejected rows and items
    named with two tables. Raises BadInput for an unusable file, Busy beside another writer;
    whatever is raised, the warehouse is as it was.
    """
    watch = Stopwatch()
    layout = Layout(settings.warehouse)
    found = sources(files, input_format, columns)
    given = (splits, read_splits(splits)) if splits else None
    _check(found)
    with ExitStack() as stack:
        stack.enter_context(writing(layout))
        memory = stack.enter_context(PeakMemory())
        recover(layout)
        held = current(layout)
        added_to = None if replace else held

        def connect(first: Import | None = None) -> Graph:
            """The warehouse in Neo4j, until the end of this ingest."""
            home = settings.graph_home
            address = stack.enter_context(connected(home, settings.neo4j_memory, progress, first))
            memory.include(process_id(home))
            return stack.enter_context(Graph(address, layout.warehouse_id()))

        later = (
            added_to is None
            and is_fresh(settings.graph_home)
            and sum(source.bytes_unpacked for source in found) >= IMPORTED_BYTES
        )
        progress.begin("Start Spark" if later else "Start Spark and Neo4j")
        with watch.step("start"):
            starting = Starting(settings, layout)
            graph = None if later else connect()
            if graph and added_to:
                graph.check_load(added_to.commit, added_to.generation)
            context = starting.session().sparkContext
        layout.create(layout.staging)
        stack.callback(recover, layout)  # whatever goes wrong, nothing half-written stays
        work = Work(
            settings=settings,
            layout=layout,
            held=added_to,
            ids=read_ids(layout),
            sources=found,
            splits=given,
            strict=strict,
            folder=layout.staging,
            context=context,
            graph=graph,
            connect=connect,
            progress=progress,
        )
        for title, step in STEPS:
            progress.begin(title)
            with watch.step(title.split()[0].lower()):
                step(work)
            if nothing_new(work):
                break
        return _summary(work, held, watch.total(), memory.megabytes)


def _check(found: Sequence[Source]) -> None:
    """Whatever can be known to fail does so before anything is written or started."""
    for source in found:
        check(source)
    java()
    for group in GROUPS:
        jar_folder(group)


def _summary(work: Work, held: Commit | None, seconds: dict[str, float], memory: int) -> Summary:
    shown = work.commit or held
    totals = shown.totals if shown else Totals()
    return Summary(
        **asdict(totals),
        generation=shown.generation if shown else 0,
        rejected=work.rejected,
        duplicates=work.duplicates,
        two_tables=work.two_tables,
        new_triples=work.triples,
        new_items=work.cut.items if work.commit else 0,
        tables=tuple(Snapshot(work.layout, shown).tables) if shown else (),
        rejects=work.layout.table(work.base, "rejects") if work.rejected else None,
        first_rejects=tuple(work.first_rejects),
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
