"""A compaction: all that is held, cut anew into a base of its own, as one ingest would have been.

Many appends leave many small sets and partitions. Old and new base stand side by side, so that
readers go on undisturbed and earlier generations stay.
"""

from provhouse.ingest.run import Order, carry_out
from provhouse.ingest.steps.order import STEPS
from provhouse.ingest.summary import Summary
from provhouse.ingest.work import Work
from provhouse.model.errors import Damaged
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.store.tables.links import duplicate_links
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import current, nothing_stored
from provhouse.store.warehouse.layout import Layout

from .restage import restage

LARGE = 1 << 18
"""So many sets and dependencies are written sooner by Neo4j's importer, where it can be used."""


def compact(settings: Settings, progress: Progress) -> Summary:
    """Make a new base of all that the current generation shows; answers are what they were.

    Raises NotFound where nothing is held, Busy beside another writer, and Damaged, with nothing
    changed, where not all came out that went in.
    """
    watch = Stopwatch()
    layout = Layout(settings.warehouse)
    held = current(layout)
    if held is None or not held.totals.triples:
        raise nothing_stored(layout)
    large = held.totals.sets + held.totals.set_dependencies >= LARGE
    return carry_out(Order(COMPACTION, anew=True, large=large), settings, watch, progress)


def _compare(work: Work) -> None:
    """All that was held is there again; else nothing becomes current.

    Components come apart where triples between them have died, and are never fewer.
    """
    assert work.before, "there is something to be compacted"
    assert work.commit, "the tables are written before"
    before = Snapshot(work.layout, work.before)
    for name in ("triples", "items", "components"):
        was, is_ = (getattr(commit.totals, name) for commit in (work.before, work.commit))
        if name == "triples":  # links that tell nothing any more say the same once
            was -= duplicate_links(before, before.names.erased)
        if was != is_ and not (name == "components" and was < is_ and len(before.deaths)):
            raise Damaged(
                f"The new base should hold as many {name} as the old one, {was:,}",
                f"It holds {is_:,}",
                "The old one stays current; bring its folder back from a backup",
            )


COMPACTION = (
    ("Stage what is held", restage),
    *STEPS[2:5],
    ("Verify what came out", _compare),
    *STEPS[5:],
)
