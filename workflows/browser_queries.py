"""The queries on a warehouse's own data that Neo4j Browser can show."""

from provhouse.cypher.graph import Graph
from provhouse.cypher.guide import BrowserQuery, queries
from provhouse.store.warehouse.layout import Layout

from .revision_graph import show_revisions


def browser_queries(graph: Graph, layout: Layout) -> tuple[list[BrowserQuery], list[BrowserQuery]]:
    """Return the queries that show something, and those that would show nothing.

    Revisions are written into Neo4j first, so that two of the queries can show them.
    """
    show_revisions(graph, layout)
    found: list[BrowserQuery] = []
    empty: list[BrowserQuery] = []
    for query in queries(graph.warehouse):
        (found if graph.read(query.text, {}).rows else empty).append(query)
    return found, empty
