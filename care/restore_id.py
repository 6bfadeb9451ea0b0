"""Restore a ``warehouse.json`` that is missing or not valid."""

from provhouse.cypher.access import is_fresh
from provhouse.cypher.graph import shared_graph
from provhouse.model.errors import Damaged
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.warehouse.commits import generations, read_commit
from provhouse.store.warehouse.identity import new_id, write_identity
from provhouse.store.warehouse.layout import Layout


def restore_id(settings: Settings, progress: Progress) -> None:
    """Write the warehouse's id again if its file cannot be read; only the writer may call this.

    Neo4j contains the id in the nodes that record which commits are loaded. If there is no such
    node for any commit, Neo4j must be reloaded anyway, so a new id does no harm.
    """
    layout = Layout(settings.warehouse)
    try:
        layout.warehouse_id()
    except Damaged:
        found = None if is_fresh(settings) else _id_in_neo4j(settings, progress)
        write_identity(layout, found or new_id())
        origin = "the id in Neo4j" if found else "a new id, since Neo4j has none for this warehouse"
        progress.say(f"Restored {layout.identity} with {origin}")


def _id_in_neo4j(settings: Settings, progress: Progress) -> str | None:
    layout = Layout(settings.warehouse)
    commits = [read_commit(layout, number).commit for number in generations(layout)]
    with shared_graph("", settings, progress) as graph:
        return graph.owner(commits)
