"""Report how much data a warehouse has, and whether Neo4j and the server are running."""

import math
from dataclasses import dataclass

import numpy as np

from provhouse.cypher.access import running
from provhouse.model.settings import Settings
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.tables.uncaptured import Uncaptured, uncaptured
from provhouse.store.warehouse.captured_blocks import waiting_blocks
from provhouse.store.warehouse.commits import Commit, Totals, current
from provhouse.store.warehouse.layout import Layout

FRAGMENTED = 2
"""Compaction is useful if there are more than ``FRAGMENTED * needed + FEW`` partitions."""
FEW = 10


@dataclass(frozen=True)
class Waiting:
    """A captured job that is not ingested yet."""

    folder: str
    run: str
    begun: str
    """The time when the job's block began, in ISO 8601 and UTC."""
    error: str
    """Why the ingest failed; empty if it did not fail."""
    ended: str
    """The time when the job ended; empty unless the job was captured by its configuration."""


@dataclass(frozen=True)
class Status:
    """The current generation's totals, and the addresses of Neo4j and the server if they run."""

    warehouse: str
    generation: int | None
    triples: int
    items: int
    components: int
    sets: int
    set_dependencies: int
    partitions: int
    needed: int
    """The number of partitions that the triples would need after a compaction."""
    erased: int
    """The number of items that were erased."""
    neo4j: str | None
    server: str | None = None
    """The address of provhouse's server. The caller sets it: this package cannot look it up."""
    waiting: tuple[Waiting, ...] = ()
    """Captured jobs that have ended but are not ingested yet."""
    uncaptured: tuple[Uncaptured, ...] = ()
    """The tables whose last write in a captured job was not captured."""

    @property
    def compact(self) -> bool:
        """Whether compaction is useful, because questions would read far fewer partitions."""
        return self.partitions > FRAGMENTED * self.needed + FEW


def status(settings: Settings) -> Status:
    """Return the state of a warehouse, without starting Neo4j or Spark.

    All counts are 0 if nothing was ingested.
    """
    layout = Layout(settings.warehouse)
    commit = current(layout)
    totals = commit.totals if commit else Totals()
    address = running(settings)
    return Status(
        warehouse=str(settings.warehouse),
        generation=commit.generation if commit else None,
        triples=commit.triples if commit else 0,
        items=totals.items,
        components=totals.components,
        sets=totals.sets,
        set_dependencies=totals.set_dependencies,
        partitions=totals.partitions,
        erased=_erased(layout, commit) if commit else 0,
        needed=math.ceil(totals.triples / settings.partition_triples),
        neo4j=address.bolt if address else None,
        waiting=tuple(
            Waiting(str(folder), block.run, block.begun, block.error, block.ended)
            for folder, block in waiting_blocks(layout).items()
        ),
        uncaptured=tuple(uncaptured(layout)),
    )


def _erased(layout: Layout, commit: Commit) -> int:
    snapshot = Snapshot(layout, commit)
    erased = snapshot.erased_items
    if not len(erased):  # the usual case, which reads no table
        return 0
    return sum(
        int(np.count_nonzero((erased >= span.first) & (erased < span.first + span.items)))
        for span in snapshot.spans
    )
