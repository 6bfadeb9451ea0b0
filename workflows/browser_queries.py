"""Example queries for Neo4j Browser, on the warehouse's own data."""

from provhouse.cypher.graph import Graph
from provhouse.cypher.guide import BrowserQuery, queries
from provhouse.store.warehouse.layout import Layout

from .revision_graph import show_revisions


def browser_queries(graph: Graph, layout: Layout) -> tuple[list[BrowserQuery], list[BrowserQuery]]:
    """Return the queries that have results, and the queries that would have none.

    First, revisions are written into Neo4j, where two of the queries show them.
    """
    show_revisions(graph, layout)
    found: list[BrowserQuery] = []
    empty: list[BrowserQuery] = []
    for query in queries(graph.warehouse):
        (found if graph.read(query.text, {}).rows else empty).append(query)
    return found, empty
