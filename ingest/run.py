"""A writer's way from the lock to the commit record: what an ingest and a compaction share."""

import secrets
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from provhouse.commit.recover import clean_up
from provhouse.commit.writer import only_writer
from provhouse.cypher.graph import Graph, shared_graph
from provhouse.cypher.server import Import, is_fresh, process_id
from provhouse.model.faults import reach
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.runtime.files import make_folder
from provhouse.runtime.memory import PeakMemory
from provhouse.spark.session import Starting
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Totals, current
from provhouse.store.warehouse.ids import read_ids
from provhouse.store.warehouse.layout import Layout, bytes_below
from provhouse.store.warehouse.locks import check_lock

from .formats.registry import Source
from .splits import Split
from .steps.order import nothing_new
from .summary import Summary
from .work import Work


@dataclass(frozen=True)
class Order:
    """What shall become a generation, and by which steps."""

    steps: Sequence[tuple[str, Callable[[Work], None]]]
    sources: Sequence[Source] = ()
    splits: tuple[Path, list[Split]] | None = None
    strict: bool = False
    run: str | None = None
    anew: bool = False
    """Begins a base, instead of adding to the one that is held."""
    large: bool = False
    """Neo4j's importer pays, where it can be used: before the first start of a server."""


def carry_out(order: Order, settings: Settings, watch: Stopwatch, progress: Progress) -> Summary:
    """Be the one writer, start what it takes, and go through the steps of an order.

    Raises what the steps raise, Busy beside another writer, Damaged where Neo4j lacks what would
    be added to; the warehouse is as it was then.
    """
    layout = Layout(settings.warehouse)
    with ExitStack() as stack:
        stack.enter_context(only_writer(settings, progress))
        memory = stack.enter_context(PeakMemory())
        before = current(layout)
        held = None if order.anew else before

        def connect(first: Import | None = None) -> Graph:
            """The warehouse in Neo4j, until the end of this work."""
            shared = shared_graph(layout.warehouse_id(), settings, progress, first)
            graph = stack.enter_context(shared)
            memory.include(process_id(settings.graph_home))
            return graph

        later = order.large and held is None and is_fresh(settings.graph_home)
        progress.begin("Start Spark" if later else "Start Spark and Neo4j")
        with watch.step("start"):
            starting = Starting(settings, layout.logs)
            graph = None if later else connect()
            if graph and held:
                graph.check_load(held.commit, held.generation)
            context = starting.session().sparkContext
        folder = layout.staging / secrets.token_hex(4)  # tasks of a dead writer do not find it
        make_folder(folder)
        stack.callback(clean_up, layout)
        work = Work(
            settings=settings,
            layout=layout,
            before=before,
            held=held,
            ids=read_ids(layout),
            sources=order.sources,
            splits=order.splits,
            strict=order.strict,
            folder=folder,
            context=context,
            graph=graph,
            connect=connect,
            progress=progress,
            run=order.run,
        )
        reach("begun")
        for title, step in order.steps:
            progress.begin(title)
            name = title.split()[0].lower()
            with watch.step(name):
                check_lock(layout)
                step(work)
            reach(name)
            if nothing_new(work):
                break
        return _summary(work, watch.total(), memory.megabytes)


def _summary(work: Work, seconds: dict[str, float], memory: int) -> Summary:
    shown = work.commit or work.before
    totals = shown.totals if shown else Totals()
    return Summary(
        **asdict(totals),
        generation=shown.generation if shown else 0,
        rejected=work.rejected,
        duplicates=work.duplicates,
        two_tables=work.two_tables,
        new_triples=work.triples,
        ended=len(work.ended.deaths),
        new_items=work.cut.items if work.commit else 0,
        tables=tuple(Snapshot(work.layout, shown).tables) if shown else (),
        rejects=work.layout.table(work.base, "rejects") if work.rejected else None,
        first_rejects=tuple(work.first_rejects),
        bytes_on_disk=bytes_below(work.layout.root),
        committed=work.commit is not None,
        seconds=seconds,
        peak_memory_mb=memory,
    )
