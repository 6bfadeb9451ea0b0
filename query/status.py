"""What a warehouse holds and what of it runs."""

import math
from dataclasses import dataclass

import numpy as np

from provhouse.cypher.server import running
from provhouse.model.settings import Settings
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit, Totals, current
from provhouse.store.warehouse.layout import Layout

FRAGMENTED = 2
"""Partitions are worth compacting when there are so many times as many as needed"""
FEW = 10
"""and so many more."""


@dataclass(frozen=True)
class Status:
    """The current generation's totals; ``neo4j`` and ``server`` are addresses of what is up."""

    warehouse: str
    generation: int | None
    triples: int
    items: int
    components: int
    sets: int
    set_dependencies: int
    partitions: int
    needed: int
    """How many partitions the triples would take after a compaction."""
    erased: int
    """How many of the items were erased."""
    neo4j: str | None
    server: str | None = None
    """Filled in by those who know of servers."""

    @property
    def compact(self) -> bool:
        """Whether compacting is worth it: questions would read from far fewer partitions."""
        return self.partitions > FRAGMENTED * self.needed + FEW


def status(settings: Settings) -> Status:
    """The state of a warehouse, without starting anything; zeros where nothing was ingested."""
    layout = Layout(settings.warehouse)
    commit = current(layout)
    totals = commit.totals if commit else Totals()
    address = running(settings.graph_home)
    return Status(
        warehouse=str(settings.warehouse),
        generation=commit.generation if commit else None,
        triples=totals.triples,
        items=totals.items,
        components=totals.components,
        sets=totals.sets,
        set_dependencies=totals.set_dependencies,
        partitions=totals.partitions,
        erased=_erased(layout, commit) if commit else 0,
        needed=math.ceil(totals.triples / settings.partition_triples),
        neo4j=address.bolt if address else None,
    )


def _erased(layout: Layout, commit: Commit) -> int:
    snapshot = Snapshot(layout, commit)
    erased = snapshot.names.erased
    if not len(erased):  # most often: no table is read
        return 0
    return sum(
        int(np.count_nonzero((erased >= span.first) & (erased < span.first + span.items)))
        for span in snapshot.spans
    )
