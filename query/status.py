"""What a warehouse holds and what of it runs."""

from dataclasses import dataclass

from provhouse.cypher.server import running
from provhouse.model.settings import Settings
from provhouse.store.commits import Totals, current
from provhouse.store.layout import Layout


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
    neo4j: str | None
    server: None


def status(settings: Settings) -> Status:
    """The state of a warehouse, without starting anything; zeros where nothing was ingested."""
    commit = current(Layout(settings.warehouse))
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
        neo4j=address.bolt if address else None,
        server=None,
    )
