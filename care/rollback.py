"""Roll back the last ingest: create a new generation with the state before that ingest.

Nothing is removed: tables only grow, and Neo4j may contain more data than a generation needs.
Earlier generations still contain the ingest that was rolled back, and its ids are never used again.
"""

from contextlib import ExitStack
from dataclasses import replace

from provhouse.commit.graph_rows import load_rollback
from provhouse.commit.next_commit import next_commit
from provhouse.commit.publish import make_current
from provhouse.commit.single_writer import only_writer
from provhouse.cypher.graph import shared_graph
from provhouse.model.errors import NotFound
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.runtime.room import Room
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import (
    Beyond,
    Commit,
    Totals,
    generations,
    read_commit,
    require_current,
)
from provhouse.store.warehouse.ids import read_ids, take_ids
from provhouse.store.warehouse.layout import Layout


def rollback(settings: Settings, progress: Progress) -> Commit:
    """Roll back the last ingest and return the commit of the new generation.

    Raises NotFound if there is no ingest to roll back, Busy if another writer is active, and
    Damaged if Neo4j lacks the generation that is to be restored.
    """
    layout = Layout(settings.warehouse)
    require_current(layout, visible=True)  # before the lock creates the folder
    with ExitStack() as stack:
        stack.enter_context(only_writer(settings, progress))
        held = require_current(layout, visible=True)
        progress.begin("Start Neo4j")
        graph = stack.enter_context(shared_graph(layout.warehouse_id(), settings, progress))
        progress.begin("Roll back the last ingest")
        shown = _shown_before(layout, held)
        if shown.generation:
            graph.check_load(shown.commit, shown.generation)
        ids = read_ids(layout)
        take_ids(layout, replace(ids, generation=ids.generation + 1))
        after = next_commit(shown, ids)
        room = Room(layout.staging, settings.driver_mb)
        shows = Snapshot(layout, after, room=room)
        load_rollback(graph, Snapshot(layout, held, room=room), shows)
        make_current(layout, graph, shows)
        return after


def _shown_before(layout: Layout, last: Commit) -> Commit:
    """Return the generation before the last ingest, with the newest table versions of its base."""
    if last.rolls_back_to is None:
        raise NotFound(
            "Cannot roll back the last ingest: the state before it is not recorded",
            f"Generation {last.generation} was made by an earlier version of provhouse, which did "
            "not record this",
            "Instead, ingest all files that should remain, with --replace",
        )
    if not last.rolls_back_to:
        return replace(
            last, generation=0, visible=(), totals=Totals(), beyond=Beyond(), rolls_back_to=0
        )
    if last.rolls_back_to not in generations(layout):
        raise NotFound(
            f"Cannot roll back the last ingest: generation {last.rolls_back_to} was pruned",
            "A rollback needs that generation, which is the state before the ingest",
            "Instead, ingest all files that should remain, with --replace",
        )
    shown = read_commit(layout, last.rolls_back_to)
    records = (read_commit(layout, number) for number in reversed(generations(layout)))
    newest = next(record for record in records if record.base == shown.base)
    return replace(shown, tables=newest.tables)
