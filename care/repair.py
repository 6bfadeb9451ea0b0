"""Mend what the tables can tell: Neo4j, and the ids that are free.

Neo4j gets every set and dependency of every base again, and the mark of every generation. What it
holds besides stays, since more is never wrong. Tables, names and triples stand nowhere else: where
they are damaged, a backup has to be brought back.
"""

from contextlib import ExitStack
from dataclasses import replace

import numpy as np

from provhouse.cypher.graph import shared_graph
from provhouse.cypher.server import Import, is_fresh
from provhouse.ingest.load import announce, bulk, load, load_without
from provhouse.ingest.recover import recover
from provhouse.model.columns import INGEST
from provhouse.model.errors import NotFound
from provhouse.model.faults import reach
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.commits import Commit, current, generations, read_commit
from provhouse.store.layout import Layout
from provhouse.store.logbook import writing
from provhouse.store.snapshot import Snapshot
from provhouse.store.tables import read_rows


def repair(settings: Settings, progress: Progress) -> Commit:
    """Bring Neo4j to what the tables say; the current generation, which stays what it was.

    Raises NotFound where nothing was ever ingested, Busy beside a writer, Damaged where the tables
    themselves cannot be read.
    """
    layout = Layout(settings.warehouse)
    _held(layout)  # before a lock makes the folder
    with ExitStack() as stack:
        stack.enter_context(writing(layout))
        reach("lock held")
        recover(layout, thorough=True)
        held = _held(layout)  # another writer may have come first
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
        shown = Snapshot(layout, held)
        load_without(graph, newest, shown)
        for commit in commits:
            graph.write_load(commit.commit)
        reach("marks repaired")
        announce(graph, shown)
        return held


def _held(layout: Layout) -> Commit:
    held = current(layout)
    if held is None:
        raise NotFound(
            f"The warehouse {layout.root} should hold something to repair",
            "Nothing was ever ingested there",
            "Begin with: provhouse ingest FILES",
        )
    return held


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
