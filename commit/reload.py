"""Reload Neo4j from the tables: all sets and dependencies of all bases.

Every commit then gets a load mark, a node that records that Neo4j has all data of the commit. Other
data in Neo4j stays, since additional data does no harm.
"""

from contextlib import ExitStack

from provhouse.cypher.access import Import, is_fresh
from provhouse.cypher.graph import shared_graph
from provhouse.model.columns import INGEST
from provhouse.model.fault_points import reach
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.runtime.room import Room
from provhouse.store.tables.snapshot import Snapshot, all_of_base
from provhouse.store.warehouse.commits import Commit, generations, read_commit
from provhouse.store.warehouse.layout import Layout

from .graph_rows import announce, bulk, load_ingest, load_rollback
from .module_graph import module_graph


def reload(settings: Settings, progress: Progress, use: ExitStack | None = None) -> None:
    """Load into Neo4j everything that any generation needs.

    Neo4j stays up until the stack ``use`` ends, for what the caller does next. Only the writer may
    call this, and only if the warehouse has at least one generation.
    """
    layout = Layout(settings.warehouse)
    with ExitStack() as own:
        stack = own if use is None else use
        commits = [read_commit(layout, number) for number in generations(layout)]
        room = Room(layout.staging, settings.driver_mb)
        bases = [all_of_base(layout, base, room) for base in _bases(commits)]
        newest = bases[-1]
        first: Import | None = None
        if is_fresh(settings):
            whole = len(bases) == len(_ingests(newest)) == 1
            first = Import(layout.warehouse_id(), bulk(newest, _ingests(newest)[0]), whole)
        shared = shared_graph(layout.warehouse_id(), settings, progress, first)
        graph = stack.enter_context(shared)
        graph.remove_views()
        for base in bases:
            for ingest in _ingests(base):
                progress.begin(f"Load Neo4j with ingest {ingest}")
                begins = base is newest and ingest == _ingests(newest)[0]
                done = begins and first is not None and first.done
                load_ingest(graph, base, ingest, progress, imported=done)
                reach("ingest repaired")
        shown = Snapshot(layout, commits[-1], room=room)
        load_rollback(graph, newest, shown)
        for commit in commits:
            graph.write_load(commit.commit)
        reach("marks repaired")
        announce(graph, shown, module_graph(shown))


def _bases(commits: list[Commit]) -> list[int]:
    """Return the numbers of all bases, with the base of the current generation last."""
    last = commits[-1].base
    return [*sorted({commit.base for commit in commits} - {last}), last]


def _ingests(base: Snapshot) -> list[int]:
    ingests: list[int] = base.ingests[INGEST].to_pylist()
    return ingests
