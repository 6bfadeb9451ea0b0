"""Neo4j anew from the tables: every set and dependency of every base, and each generation's mark.

What it holds besides stays, since more is never wrong.
"""

from contextlib import ExitStack
from dataclasses import replace

import numpy as np

from provhouse.cypher.graph import shared_graph
from provhouse.cypher.server import Import, is_fresh
from provhouse.model.columns import INGEST
from provhouse.model.faults import reach
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.tables.delta import read_rows
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit, generations, read_commit
from provhouse.store.warehouse.layout import Layout

from .graph_rows import announce, bulk, load, load_without


def reload(settings: Settings, progress: Progress) -> None:
    """Load all that generations need; for the one writer, where there is a generation."""
    layout = Layout(settings.warehouse)
    with ExitStack() as stack:
        commits = [read_commit(layout, number) for number in generations(layout)]
        everything = [Snapshot(layout, _whole(layout, base, commits)) for base in _bases(commits)]
        newest = everything[-1]
        first: Import | None = None
        if is_fresh(settings.graph_home):
            first = Import(layout.warehouse_id(), bulk(newest, _ingests(newest)[0]))
        shared = shared_graph(layout.warehouse_id(), settings, progress, first)
        graph = stack.enter_context(shared)
        for whole in everything:
            for ingest in _ingests(whole):
                progress.begin(f"Load Neo4j with ingest {ingest}")
                begins = whole is newest and ingest == _ingests(newest)[0]
                done = begins and first is not None and first.done
                load(graph, whole, ingest, progress, imported=done)
                reach("ingest repaired")
        shown = Snapshot(layout, commits[-1])
        load_without(graph, newest, shown)
        for commit in commits:
            graph.write_load(commit.commit)
        reach("marks repaired")
        announce(graph, shown)


def _bases(commits: list[Commit]) -> list[int]:
    """All bases, that of the current generation last."""
    last = commits[-1].base
    return [*sorted({commit.base for commit in commits} - {last}), last]


def _whole(layout: Layout, base: int, commits: list[Commit]) -> Commit:
    """All that a base has, also what was taken back: earlier generations show it."""
    newest = [commit for commit in commits if commit.base == base][-1]
    rows = read_rows(
        layout.table(base, "ingests"), "ingests", newest.tables.get("ingests"), [INGEST]
    )
    ingests = np.unique(rows[INGEST]).tolist()
    return replace(newest, visible=tuple((ingest, ingest) for ingest in ingests))


def _ingests(whole: Snapshot) -> list[int]:
    return [first for first, _ in whole.commit.visible]
