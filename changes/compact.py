"""A compaction: all that is held, cut anew into a base of its own, as one ingest would have been.

Many appends leave many small sets and partitions. Old and new base stand side by side, so that
readers go on undisturbed and earlier generations stay.
"""

from dataclasses import replace

from provhouse.ingest.job import Inputs, Job, Step
from provhouse.ingest.run import carry_out
from provhouse.ingest.steps.order import Check, JobResult, is_empty, make_generation
from provhouse.ingest.summary import Summary
from provhouse.model.errors import Damaged, NotFound
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.store.tables.links import alike
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit, current
from provhouse.store.warehouse.layout import Layout

from .restage import restage

STAGE = Step("stage", "Stage what is held")
VERIFY = Step("verify", "Verify what came out")
LARGE = 1 << 18
"""So many sets and dependencies are written sooner by Neo4j's importer, where it can be used."""


def compact(settings: Settings, progress: Progress) -> Summary:
    """Make a new base of all that the current generation shows; answers are what they were.

    Raises NotFound where nothing is held, Busy beside another writer, and Damaged, with nothing
    changed, where not all came out that went in.
    """
    watch = Stopwatch()
    held = current(Layout(settings.warehouse))
    if held is None or not held.totals.triples:
        raise NotFound(
            f"The warehouse {settings.warehouse} should hold something to compact",
            "It holds no triple",
            "Begin with: provhouse ingest FILES",
        )
    large = held.totals.sets + held.totals.set_dependencies >= LARGE
    return carry_out(_rebuild, Inputs(), settings, watch, progress, new_base=True, large=large)


def _rebuild(job: Job) -> JobResult:
    """Go through the steps of an ingest, where what is held stands for files."""
    assert job.before, "there is something to be compacted"
    # Nothing is brought that could be taken back.
    job = replace(job, rolls_back_to=job.before.rolls_back_to)
    with job.step(STAGE):
        read, numbered = restage(job)
    if is_empty(job, read):
        return JobResult(read)
    return make_generation(job, read, numbered, Check(VERIFY, _compare))


def _compare(job: Job, commit: Commit) -> None:
    """All that was held is there again; else nothing becomes current.

    Components come apart where triples between them have died, and are never fewer.
    """
    assert job.before, "there is something to be compacted"
    before = Snapshot(job.layout, job.before)
    for name in ("triples", "items", "components"):
        was, is_ = (getattr(each.totals, name) for each in (job.before, commit))
        if name == "triples":  # links that tell nothing any more say the same once
            was -= alike(before, before.names.erased)
        if was != is_ and not (name == "components" and was < is_ and len(before.deaths)):
            raise Damaged(
                f"The new base should hold as many {name} as the old one, {was:,}",
                f"It holds {is_:,}",
                "The old one stays current; bring its folder back from a backup",
            )
