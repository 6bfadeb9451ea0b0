"""Retract triples: add an ingest without files that ends triples of earlier ingests.

The rows of the triples are kept, since earlier generations still contain them. The table ``deaths``
records the ended triples.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from provhouse.commit.append import Target, append
from provhouse.commit.ending import (
    NOTHING_ENDS,
    Ended,
    end_of_items,
    end_of_lineage,
    end_of_origins,
    life_rows,
)
from provhouse.commit.graph_rows import load
from provhouse.commit.next_commit import commit_with_ingest, ingest_row
from provhouse.commit.numbered_origins import Origin, origins_of_file, origins_of_run
from provhouse.commit.publish import make_current
from provhouse.commit.recover import clean_up
from provhouse.commit.shared_counts import with_shared_counts
from provhouse.commit.single_writer import only_writer
from provhouse.cypher.graph import shared_graph
from provhouse.model.arrays import ItemNumbers, unique
from provhouse.model.errors import NotFound
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.runtime.room import Room
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit, require_current
from provhouse.store.warehouse.ids import Ids, read_ids, take_ids
from provhouse.store.warehouse.layout import Layout

from .old_versions import old_versions


@dataclass(frozen=True)
class Retracting:
    """The triples to retract: all triples of a file or run, or all triples of some items."""

    file: Path | None = None
    """A file, or a folder, which means all files below it that were ingested."""
    run: str | None = None
    items: Sequence[str] = ()
    versions_before: str | None = None
    """A version or a time. It selects the lineage of old versions that no newer row
    derives from.
    """
    tidying: bool = False
    """Whether the retraction belongs to the preceding ingest, so that a rollback undoes both."""


@dataclass(frozen=True)
class Retraction:
    """The result of a retraction."""

    generation: int
    ended: int
    """The number of triples that the retraction ended."""
    kept: int
    """The number of selected triples that are kept because another file or run asserts them too."""
    triples: int
    """The number of live triples after the retraction."""
    committed: bool
    """Whether a new generation was created; false if there was nothing to end."""
    seconds: dict[str, float]


def retract(selection: Retracting, settings: Settings, progress: Progress) -> Retraction:
    """End the selected triples in a new generation; earlier generations stay unchanged.

    Raises NotFound if the file or run has no triples or an item is not stored, Busy if another
    writer is active, and Damaged if Neo4j lacks the current generation.
    """
    watch = Stopwatch()
    layout = Layout(settings.warehouse)
    require_current(layout, visible=True)  # before the lock creates the folder
    with ExitStack() as stack:
        stack.enter_context(only_writer(settings, progress))
        room = Room(layout.staging, settings.driver_mb)
        held = Snapshot(layout, require_current(layout, visible=True), room=room)
        progress.begin("Find the triples to retract")
        with watch.step("find"):
            ended = _ended(selection, held)
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
            back = held.commit.rolls_back_to if selection.tidying else held.commit.generation
            commit = _write(held, ended, ids, back)
        after = Snapshot(layout, commit, room=held.room)
        progress.begin("Load Neo4j")
        with watch.step("load"):
            load(graph, after, ids.ingest, progress)
        with watch.step("commit"):
            make_current(layout, graph, after)
        return _retraction(commit, ended, watch, committed=True)


def _ended(selection: Retracting, snapshot: Snapshot) -> Ended:
    if selection.versions_before is not None:
        old = old_versions(snapshot, selection.versions_before)
        return end_of_lineage(snapshot, old) if len(old) else NOTHING_ENDS
    if selection.items:
        return end_of_items(snapshot, _numbers(snapshot, selection.items))
    return end_of_origins(snapshot, [origin.number for origin in _origins(snapshot, selection)])


def _numbers(snapshot: Snapshot, items: Sequence[str]) -> ItemNumbers:
    numbers = snapshot.locate(pa.array(items, pa.string()))
    missing = [item for item, number in zip(items, numbers.tolist(), strict=True) if number < 0]
    if missing:
        raise NotFound(
            f"Item {missing[0]!r} is not in generation {snapshot.commit.generation}",
            f"{len(missing):,} of {len(items):,} items are missing",
            "Names must match exactly; run `provhouse find TEXT --anywhere` to search by a part",
        )
    return ItemNumbers(unique(numbers))


def _origins(snapshot: Snapshot, selection: Retracting) -> list[Origin]:
    """Return the origins of a run, or of a file in any run."""
    if selection.run is not None:
        return origins_of_run(snapshot, selection.run)
    return origins_of_file(snapshot, selection.file or Path())


def _write(snapshot: Snapshot, ended: Ended, ids: Ids, back: int | None) -> Commit:
    """Append rows that record the ended triples; return the new generation, not yet current."""
    layout, before = snapshot.layout, snapshot.commit
    take_ids(layout, replace(ids, ingest=ids.ingest + 1, generation=ids.generation + 1))
    commit = commit_with_ingest(before, ids, back)
    target = Target(layout, before.base, ids.ingest, ids.partition)
    rows = {**life_rows([], [], ended, ids.generation), "ingests": [ingest_row(commit, ids)]}
    versions = {name: append(target, name, pieces) for name, pieces in rows.items()}
    versions = {name: version for name, version in versions.items() if version >= 0}
    triples = before.totals.triples - len(ended.deaths)
    commit = replace(
        commit,
        tables={**before.tables, **versions},
        totals=replace(before.totals, triples=triples),
    )
    after = Snapshot(layout, commit, room=snapshot.room)
    return with_shared_counts(snapshot, after, ended.deaths, range(0))


def _retraction(commit: Commit, ended: Ended, watch: Stopwatch, *, committed: bool) -> Retraction:
    return Retraction(
        generation=commit.generation,
        ended=len(ended.deaths) + (commit.beyond.ended if committed else 0),
        kept=ended.kept,
        triples=commit.triples,
        committed=committed,
        seconds=watch.total(),
    )
