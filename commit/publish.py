"""Make a new generation current, as the last step of a writer."""

from contextlib import suppress

from provhouse.cypher.graph import Graph
from provhouse.model.errors import Unavailable
from provhouse.model.fault_points import reach
from provhouse.runtime.files import make_folder, sync_folder
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import write_commit
from provhouse.store.warehouse.ids import mark_finished
from provhouse.store.warehouse.layout import Layout

from .graph_rows import announce
from .module_graph import module_graph


def make_current(layout: Layout, graph: Graph, after: Snapshot) -> None:
    """Make a generation current. Its tables and its sets in Neo4j must be written before."""
    modules = module_graph(after)
    make_folder(layout.commits)
    for folder in (layout.base(after.commit.base), layout.root):
        sync_folder(folder)
    reach("record unwritten")
    write_commit(layout, after.commit)
    reach("record linked")
    mark_finished(layout)
    reach("ids finished")
    with suppress(Unavailable):  # already committed, and only people read these nodes
        announce(graph, after, modules)
    reach("announced")
