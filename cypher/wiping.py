"""Delete everything that Neo4j stores about a warehouse."""

from provhouse.model.fault_points import reach
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings

from . import server
from .access import connected
from .graph import Graph


def wipe(warehouse: str, settings: Settings, progress: Progress) -> None:
    """Delete everything that Neo4j stores about a warehouse.

    On a managed server, all data and logs are deleted, including those of other warehouses that
    share the server. If other commands use the managed server, raises Busy and changes nothing. On
    any other server, only the nodes of this warehouse are deleted.
    """
    if not settings.neo4j_uri:
        server.wipe(settings.graph_home, progress)
        return
    with connected(settings, progress) as address, Graph(address, warehouse) as graph:
        graph.delete_all()
    reach("Neo4j wiped")
