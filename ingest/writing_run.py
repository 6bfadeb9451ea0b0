"""Run a job as the single writer, from the lock to the summary."""

import secrets
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from functools import cache

from provhouse.commit.recover import clean_up
from provhouse.commit.single_writer import only_writer
from provhouse.cypher.access import Import, is_fresh, process_id, running, starting
from provhouse.cypher.graph import Graph, shared_graph
from provhouse.model.columns import TRIPLES
from provhouse.model.fault_points import reach
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.runtime.files import make_folder
from provhouse.runtime.memory_sizes import PeakMemory
from provhouse.runtime.spark.session import Starting
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Beyond, Totals, current
from provhouse.store.warehouse.identity import create_identity
from provhouse.store.warehouse.ids import read_ids
from provhouse.store.warehouse.layout import Layout, bytes_below

from .declared_patterns import patterns_of
from .ingest_summary import SHOWN, Summary
from .item_naming import naming_of
from .job import GraphAccess, Inputs, Job
from .staging import Staging
from .steps.order import JobResult


def carry_out(
    flow: Callable[[Job], JobResult],
    inputs: Inputs,
    settings: Settings,
    watch: Stopwatch,
    progress: Progress,
    *,
    new_base: bool = False,
    small: bool = False,
    large: bool = False,
) -> Summary:
    """Lock the warehouse, start Neo4j and Spark, run the steps of a job, and return the summary.

    If ``new_base`` is true, the job begins a base instead of adding to the stored base. The tasks
    of a ``small`` job run in this process, without Spark. A ``large`` job that begins a base uses
    Neo4j's importer if the server has never been started. Raises the errors of the steps, Busy if
    another process writes, and Damaged if Neo4j lacks the generation that the job adds to. The
    warehouse is unchanged after any error.
    """
    layout = Layout(settings.warehouse)
    with ExitStack() as stack:
        stack.enter_context(only_writer(settings, progress))
        create_identity(layout)
        memory = stack.enter_context(PeakMemory.measured())
        before = current(layout)
        extends = None if new_base else before
        naming = naming_of(before, inputs.naming, new_base=new_base)
        patterns = patterns_of(before, inputs.patterns, naming, new_base=new_base)

        def connect(first: Import | None = None) -> Graph:
            """Return the warehouse's graph in Neo4j, connected until the job ends."""
            shared = shared_graph(layout.warehouse_id(), settings, progress, first)
            graph = stack.enter_context(shared)
            memory.include(process_id(settings))
            return graph

        later = large and extends is None and is_fresh(settings)
        was_down = running(settings) is None

        @cache
        def await_graph() -> Graph | None:
            """Wait for Neo4j, and check that it has the generation that the job adds to."""
            if later:
                return None
            if was_down:
                progress.begin("Wait for Neo4j")
            with watch.step("start"):
                graph = connect()
                if extends:
                    graph.check_load(extends.commit, extends.generation)
            return graph

        started = (
            *([] if small else ["Spark"]),
            *([] if later or settings.neo4j_uri else ["Neo4j"]),
        )
        if started:
            progress.begin(f"Start {' and '.join(started)}")
        with watch.step("start"):
            if not later:  # the server starts while the steps before ``write`` run
                stack.enter_context(starting(settings, progress, briefly=small))
            spark = None if small else Starting(settings, layout.logs)
            context = spark.session().sparkContext if spark else None
        # Tasks of a killed writer may still run; they must not find this folder.
        folder = layout.staging / secrets.token_hex(4)
        make_folder(folder)
        stack.callback(clean_up, layout)
        job = Job(
            settings=settings,
            layout=layout,
            before=before,
            extends=extends,
            rolls_back_to=before.generation if before else 0,
            ids=read_ids(layout),
            inputs=inputs,
            naming=naming,
            patterns=patterns,
            staging=Staging(folder).create(),
            progress=progress,
            watch=watch,
            context=context,
            neo4j=GraphAccess(connect, await_graph),
        )
        reach("begun")
        return _summary(job, flow(job), memory)


def _new_items(job: Job, outcome: JobResult) -> int:
    if not (outcome.cut and outcome.commit):
        return 0
    return outcome.cut.items - job.staging.count_new_groups()


def _summary(job: Job, outcome: JobResult, memory: PeakMemory) -> Summary:
    read, placed, commit = outcome.read, outcome.placed, outcome.commit
    shown = commit or job.before
    triples = placed.triples if placed else 0
    ended = len(placed.ended.deaths) if placed else 0
    beyond = commit.beyond if commit else Beyond()
    return Summary(
        **{**asdict(shown.totals if shown else Totals()), TRIPLES: shown.triples if shown else 0},
        generation=shown.generation if shown else 0,
        rejected=read.rejected,
        duplicates=read.rows - triples,
        two_tables=read.two_tables,
        new_triples=triples + beyond.new,
        ended=ended + beyond.ended,
        new_items=_new_items(job, outcome),
        operations=outcome.operations,
        modules=outcome.modules,
        hubs=outcome.hubs,
        unread=read.unread,
        tables=tuple(Snapshot(job.layout, shown).tables) if shown else (),
        rejects=job.layout.table(job.base, "rejects") if read.rejected else None,
        first_rejects=tuple(read.first_rejects),
        passed_over=len(job.inputs.passed_over),
        first_passed_over=tuple(job.inputs.passed_over[:SHOWN]),
        bytes_on_disk=bytes_below(job.layout.root),
        committed=commit is not None,
        seconds=job.watch.total(),
        peak_memory_mb=memory.megabytes,
    )
