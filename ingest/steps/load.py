"""Step 6: write sets and dependencies to Neo4j, before the generation becomes current."""

from dataclasses import dataclass

from provhouse.commit.graph_rows import bulk
from provhouse.commit.graph_rows import load as load_rows
from provhouse.cypher.access import Import
from provhouse.cypher.graph import Graph
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit

from ..job import Job


@dataclass(frozen=True)
class LoadResult:
    """The graph after the step, and a snapshot of the new generation."""

    graph: Graph
    after: Snapshot


def load(job: Job, commit: Commit) -> LoadResult:
    """Write sets and dependencies to Neo4j; use Neo4j's importer if the server is not running."""
    assert job.neo4j, "a preview ends before this"
    after, ingest = job.after(commit), job.ids.ingest
    first: Import | None = None
    graph = job.neo4j.await_graph()
    if graph is None:
        first = Import(job.layout.warehouse_id(), bulk(after, ingest))
        graph = job.neo4j.start(first)
    load_rows(graph, after, ingest, job.progress, imported=first is not None and first.done)
    return LoadResult(graph, after)
