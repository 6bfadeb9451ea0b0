"""The contenders that run inside this process: igraph, Ladybug, and DuckDB in two ways."""

from importlib import import_module

import numpy as np
import pyarrow.parquet as pq

from benchmarks.ingest.contenders import NumberedEdges
from benchmarks.peers.peer import Given, Peer, ends
from provhouse.model.arrays import I64
from provhouse.model.question import Direction


class IGraph(Peer):
    """igraph, with everything in memory. It has to rebuild the graph at each start."""

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self.storage = given.triples

    def load(self) -> None:
        igraph = import_module("igraph")
        with self.watch.step("load"):
            count = pq.read_table(self.given.items)["id"].to_numpy().max() + 1
            triples = pq.read_table(self.given.triples)
            src, dst = (triples[end].to_numpy() for end in ("src", "dst"))
            self._graph = igraph.Graph(count, directed=True)
            self._graph.add_edges(NumberedEdges(count, src, dst).pairs())

    def ask(self, item: int, direction: Direction) -> I64:
        way = "in" if direction == "upstream" else "out"
        return np.array(self._graph.subcomponent(item, mode=way), np.int64)


class Ladybug(Peer):
    """Ladybug, with a query for shortest paths, so that it does not follow every path."""

    FARTHEST = 300
    STATEMENT = "MATCH (:Item {{id: $id}}){}[:Reaches* SHORTEST 1..{}]{}(a:Item) RETURN a.id"

    def load(self) -> None:
        ladybug = import_module("ladybug")
        with self.watch.step("load"):
            database = ladybug.Database(self.given.scratch / "peer.lbug")
            self._db = self.stack.enter_context(ladybug.Connection(database))
            for statement in (
                "CREATE NODE TABLE Item(id INT64, PRIMARY KEY(id))",
                "CREATE REL TABLE Reaches(FROM Item TO Item)",
                f"COPY Item FROM '{self.given.items}'",
                f"COPY Reaches FROM '{self.given.triples}'",
                "CHECKPOINT",
                f"CALL var_length_extend_max_depth={self.FARTHEST}",
            ):
                self._db.execute(statement)

    def ask(self, item: int, direction: Direction) -> I64:
        arrows = ("<-", "-") if direction == "upstream" else ("-", "->")
        statement = self.STATEMENT.format(arrows[0], self.FARTHEST, arrows[1])
        found = self._db.execute(statement, {"id": item})
        answer: I64 = found.get_as_arrow(-1)["a.id"].to_numpy()
        return answer

    def cancel(self) -> None:
        self._db.interrupt()


class DuckDB(Peer):
    """DuckDB, with one recursive query over a table of triples.

    There are no indexes, because they do not make it faster.
    """

    STATEMENT = """
        WITH RECURSIVE found(item) AS (
            SELECT {far} FROM triples WHERE {near} = ?
            UNION
            SELECT {far} FROM triples JOIN found ON {near} = item
        )
        SELECT item FROM found"""
    LOAD: tuple[str, ...] = (
        "CREATE TABLE triples AS SELECT * FROM read_parquet('{triples}') ORDER BY dst",
        "CHECKPOINT",
    )

    def load(self) -> None:
        duckdb = import_module("duckdb")
        with self.watch.step("load"):
            self._db = self.stack.enter_context(duckdb.connect(self.given.scratch / "peer.duckdb"))
            for statement in self.LOAD:
                self._db.execute(statement.format(triples=self.given.triples))

    def ask(self, item: int, direction: Direction) -> I64:
        near, far = ends(direction)
        return self._items(self.STATEMENT.format(near=near, far=far), item)

    def _items(self, statement: str, given: object) -> I64:
        (answer,) = self._db.execute(statement, [given]).fetchnumpy().values()
        return np.asarray(answer)

    def cancel(self) -> None:
        self._db.interrupt()


class IndexedDuckDB(DuckDB):
    """DuckDB, with a query for each level of the answer, and indexes on both ends of triples."""

    STATEMENT = "SELECT {far} FROM triples WHERE {near} IN (SELECT unnest(?))"
    LOAD = (
        *DuckDB.LOAD,
        "CREATE INDEX by_src ON triples(src)",
        "CREATE INDEX by_dst ON triples(dst)",
    )

    def ask(self, item: int, direction: Direction) -> I64:
        near, far = ends(direction)
        statement = self.STATEMENT.format(near=near, far=far)
        return self.levels(item, lambda frontier: self._items(statement, frontier.tolist()))
