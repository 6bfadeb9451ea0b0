"""A rollback: a new generation that shows what was there before the last ingest.

Nothing is removed: tables only grow, and Neo4j may hold more than a generation needs. What was
hidden stays in the generations that showed it, and its ids are never given again.
"""

from contextlib import ExitStack
from dataclasses import replace

from provhouse.commit.graph_rows import load_rollback
from provhouse.commit.next_commit import next_commit
from provhouse.commit.publish import make_current
from provhouse.commit.writer import only_writer
from provhouse.cypher.graph import shared_graph
from provhouse.model.errors import NotFound
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import (
    Commit,
    Totals,
    current,
    generations,
    nothing_stored,
    read_commit,
)
from provhouse.store.warehouse.ids import read_ids, take_ids
from provhouse.store.warehouse.layout import Layout


def rollback(settings: Settings, progress: Progress) -> Commit:
    """Take the last ingest back; the generation that shows the rest.

    Raises NotFound where there is no ingest to take back, Busy beside another writer, Damaged
    where Neo4j lacks what would be shown.
    """
    layout = Layout(settings.warehouse)
    _check_held(layout)  # before a lock makes the folder
    with ExitStack() as stack:
        stack.enter_context(only_writer(settings, progress))
        held = _check_held(layout)
        progress.begin("Start Neo4j")
        graph = stack.enter_context(shared_graph(layout.warehouse_id(), settings, progress))
        progress.begin("Take the last ingest back")
        shown = _shown_before(layout, held)
        if shown.generation:
            graph.check_load(shown.commit, shown.generation)
        ids = read_ids(layout)
        take_ids(layout, replace(ids, generation=ids.generation + 1))
        after = next_commit(shown, ids)
        load_rollback(graph, Snapshot(layout, held), Snapshot(layout, after))
        make_current(layout, graph, Snapshot(layout, after))
        return after


def _check_held(layout: Layout) -> Commit:
    held = current(layout)
    if held is None or not held.visible:
        raise nothing_stored(layout)
    return held


def _shown_before(layout: Layout, held: Commit) -> Commit:
    """What was there before the last ingest, on the newest tables of that base."""
    if held.rolls_back_to is None:
        raise NotFound(
            f"Generation {held.generation} should say what was there before it",
            "It does not; an earlier provhouse made it",
            "Ingest what shall stay with --replace",
        )
    if not held.rolls_back_to:
        return replace(held, generation=0, visible=(), totals=Totals(), rolls_back_to=0)
    if held.rolls_back_to not in generations(layout):
        raise NotFound(
            f"Generation {held.rolls_back_to}, which was there before the last ingest, should be "
            "kept",
            "It was pruned",
            "Ingest what shall stay with --replace",
        )
    shown = read_commit(layout, held.rolls_back_to)
    records = (read_commit(layout, number) for number in reversed(generations(layout)))
    newest = next(record for record in records if record.base == shown.base)
    return replace(shown, tables=newest.tables)
