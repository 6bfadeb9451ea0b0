"""Compact a warehouse: build a new base with all visible data, as if by a single ingest.

Many appends leave many small sets and partitions. The old base is kept next to the new one, so
running readers are not disturbed and earlier generations remain.
"""

from dataclasses import replace

from provhouse.ingest.ingest_summary import Summary
from provhouse.ingest.job import GivenModules, GivenOperations, Inputs, Job, Step
from provhouse.ingest.steps.order import Check, JobResult, is_empty, make_generation
from provhouse.ingest.writing_run import carry_out
from provhouse.model.errors import Damaged
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.store.tables.group_counts import without_texts
from provhouse.store.tables.modules import modules_of
from provhouse.store.tables.operations import operations_of
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.tables.touching import duplicate_links
from provhouse.store.warehouse.commits import Commit, current, nothing_stored
from provhouse.store.warehouse.layout import Layout

from .restage import restage

STAGE = Step("stage", "Stage what is stored")
VERIFY = Step("verify", "Verify the new base")
SMALL = 1 << 18
"""Below this many triples, Spark is not used.

Starting Spark would take longer than the time that its use of two cores saves.
"""
LARGE = 1 << 18
"""From this many sets and dependencies on, Neo4j's importer is faster; it is used if possible."""


def compact(settings: Settings, progress: Progress) -> Summary:
    """Build a new base with all data of the current generation. Answers do not change.

    Raises NotFound if the warehouse stores no triple, Busy if another process writes, and Damaged,
    with nothing changed, if the new base is incomplete.
    """
    watch = Stopwatch()
    layout = Layout(settings.warehouse)
    shown = current(layout)
    if shown is None or not shown.totals.triples:
        raise nothing_stored(layout)
    return carry_out(
        _rebuild,
        Inputs(),
        settings,
        watch,
        progress,
        new_base=True,
        small=shown.totals.triples < SMALL,
        large=shown.totals.sets + shown.totals.set_dependencies >= LARGE,
    )


def _rebuild(job: Job) -> JobResult:
    """Run the steps of an ingest, with the stored triples as input instead of files."""
    assert job.before, "compact checks that there is something to compact"
    # A compaction adds nothing that a rollback could undo.
    before = Snapshot(job.layout, job.before)
    operations, modules = GivenOperations(operations_of(before)), GivenModules(modules_of(before))
    inputs = replace(job.inputs, operations=operations, modules=modules)
    job = replace(job, rolls_back_to=job.before.rolls_back_to, inputs=inputs)
    with job.step(STAGE):
        read, numbered = restage(job)
    if is_empty(job, read):
        return JobResult(read)
    return make_generation(job, read, numbered, Check(VERIFY, _compare))


def _compare(job: Job, commit: Commit) -> None:
    """Raise Damaged unless the new base contains everything that is visible in the old base.

    The new base may have more components, since a triple that connected two components may have
    ended.
    """
    assert job.before, "compact checks that there is something to compact"
    before = Snapshot(job.layout, job.before, room=job.room)
    for name in ("triples", "items", "components"):
        was, is_ = (getattr(each.totals, name) for each in (job.before, commit))
        if name == "triples":  # erased links that have become equal are stored once
            was -= duplicate_links(before, without_texts(before))
        if was != is_ and not (name == "components" and was < is_ and len(before.deaths)):
            raise Damaged(
                f"The new base has {is_:,} {name}, but the old one has {was:,}",
                "Files of the old base are damaged",
                "The old base stays current; restore its folder from a backup",
            )
