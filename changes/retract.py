"""A retraction: an ingest of its own that brings nothing, but lets triples end.

Their rows stay where they are, for the generations that showed them; what has died is told by the
table ``deaths``.
"""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.commit.append import Target, append
from provhouse.commit.ending import Ended, end_of_items, end_of_origins, life_rows
from provhouse.commit.graph_rows import load
from provhouse.commit.next_commit import commit_with_ingest, ingest_row
from provhouse.commit.origins import Origin, stored_origins
from provhouse.commit.publish import make_current
from provhouse.commit.recover import clean_up
from provhouse.commit.writer import only_writer
from provhouse.cypher.graph import shared_graph
from provhouse.model.arrays import I64
from provhouse.model.errors import NotFound
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit, current, nothing_stored
from provhouse.store.warehouse.ids import Ids, read_ids, take_ids
from provhouse.store.warehouse.layout import Layout


@dataclass(frozen=True)
class Wanted:
    """What shall be retracted: what a file or a run brought, or all triples of some items."""

    file: Path | None = None
    """A file, or a folder for all that was taken in from below it."""
    run: str | None = None
    items: Sequence[str] = ()


@dataclass(frozen=True)
class Retraction:
    """What a retraction ended."""

    generation: int
    ended: int
    """Triples that are no longer held."""
    kept: int
    """Triples that stay, since another file or run brought them too."""
    triples: int
    """Triples held now."""
    committed: bool
    """False where nothing was left to be ended, so that the generation is the one from before."""
    seconds: dict[str, float]


def retract(wanted: Wanted, settings: Settings, progress: Progress) -> Retraction:
    """Let triples end with a new generation; earlier ones stay as they were.

    Raises NotFound for a file, a run or an item that nothing came from, Busy beside another writer,
    Damaged where Neo4j lacks what is held.
    """
    watch = Stopwatch()
    layout = Layout(settings.warehouse)
    _held(layout)  # before a lock makes the folder
    with ExitStack() as stack:
        stack.enter_context(only_writer(settings, progress))
        held = _held(layout)
        progress.begin("Find what ends")
        with watch.step("find"):
            ended = _ended(wanted, held)
        if not ended:
            return _retraction(held.commit, ended, watch, committed=False)
        progress.begin("Start Neo4j")
        with watch.step("start"):
            graph = stack.enter_context(shared_graph(layout.warehouse_id(), settings, progress))
            graph.check_load(held.commit.commit, held.commit.generation)
        stack.callback(clean_up, layout)
        ids = read_ids(layout)
        progress.begin("Write the tables")
        with watch.step("write"):
            commit = _write(held, ended, ids)
        after = Snapshot(layout, commit)
        progress.begin("Load Neo4j")
        with watch.step("load"):
            load(graph, after, ids.ingest, progress)
        with watch.step("commit"):
            make_current(layout, graph, after)
        return _retraction(commit, ended, watch, committed=True)


def _held(layout: Layout) -> Snapshot:
    commit = current(layout)
    if commit is None or not commit.visible:
        raise nothing_stored(layout)
    return Snapshot(layout, commit)


def _ended(wanted: Wanted, held: Snapshot) -> Ended:
    if wanted.items:
        return end_of_items(held, _numbers(held, wanted.items))
    return end_of_origins(held, [origin.number for origin in _origins(held, wanted)])


def _numbers(held: Snapshot, items: Sequence[str]) -> I64:
    numbers = held.names.locate(pa.array(items, pa.string()))
    missing = [item for item, number in zip(items, numbers.tolist(), strict=True) if number < 0]
    if missing:
        raise NotFound(
            f"The item {missing[0]!r} should be held",
            f"{len(missing):,} of {len(items):,} items are not",
            "Names are compared letter by letter; `provhouse find` looks for parts of them",
        )
    return np.unique(numbers)


def _origins(held: Snapshot, wanted: Wanted) -> list[Origin]:
    """Those of a run, or of a file in whatever run."""
    everything = stored_origins(held)
    if wanted.run is not None:
        found = [origin for origin in everything if origin.run == wanted.run]
        what, some = f"The run {wanted.run!r}", sorted({o.run for o in everything if o.run})
    else:
        path = os.path.abspath(wanted.file or "")
        below = os.path.join(path, "")
        found = [o for o in everything if o.file == path or o.file.startswith(below)]
        what, some = f"The file {path}", sorted({origin.file for origin in everything})
    if not found:
        kind = ("run" if wanted.run is not None else "file") + "s" * (len(some) != 1)
        raise NotFound(
            f"{what} should have brought something that is held",
            f"{len(some):,} {kind} did, and it is none of them",
            f"The first of them is {some[0]!r}" if some else "None was named as it was taken in",
        )
    return found


def _write(held: Snapshot, ended: Ended, ids: Ids) -> Commit:
    """Append what has ended; the new generation, which is not yet current."""
    layout, before = held.layout, held.commit
    take_ids(layout, replace(ids, ingest=ids.ingest + 1, generation=ids.generation + 1))
    commit = commit_with_ingest(before, ids, before.generation)
    target = Target(layout, before.base, ids.ingest, ids.partition)
    tables = {**life_rows([], [], ended, ids.generation), "ingests": ingest_row(commit, ids)}
    versions = {name: append(target, name, rows) for name, rows in tables.items() if rows.num_rows}
    triples = before.totals.triples - len(ended.deaths)
    return replace(
        commit,
        tables={**before.tables, **versions},
        totals=replace(before.totals, triples=triples),
    )


def _retraction(commit: Commit, ended: Ended, watch: Stopwatch, *, committed: bool) -> Retraction:
    return Retraction(
        generation=commit.generation,
        ended=len(ended.deaths),
        kept=ended.kept,
        triples=commit.totals.triples,
        committed=committed,
        seconds=watch.total(),
    )
