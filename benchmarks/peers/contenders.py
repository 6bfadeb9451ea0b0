"""Answer the questions with each program: provhouse, Neo4j, Spark, igraph, Ladybug and DuckDB."""

from importlib import import_module

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.csv import write_csv
from pyspark.sql import functions as f

from benchmarks.ingest.component_contenders import NumberedEdges
from benchmarks.peers.peer import Given, Peer, ends
from benchmarks.shared.spark import plain
from provhouse.cypher import neo4j_process as process
from provhouse.cypher.address import DATABASE
from provhouse.cypher.config import ensure_password, free_ports, write_conf
from provhouse.cypher.driver import is_ready, open_driver
from provhouse.cypher.importing import write_store
from provhouse.cypher.server import process_id
from provhouse.cypher.server_record import ServerRecord
from provhouse.model.arrays import I64, ItemNumber
from provhouse.model.progress import Silent, Stopwatch
from provhouse.model.question import Direction
from provhouse.model.settings import Settings
from provhouse.query.lineage.ask import Asker
from provhouse.query.methods.csprov import CSProv


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


MEMORY = "1g"
"""The size of the heap, and also of the page cache. The complete store fits into the page cache."""
PATTERN = {"upstream": "<-[:REACHES*1..]-", "downstream": "-[:REACHES*1..]->"}
# Without DISTINCT, Neo4j would follow every path. One list is faster than a row for each item.
STATEMENT = "MATCH (:Item {{id: $id}}){}(a:Item) RETURN collect(DISTINCT a.id) AS items"
INDEX = ("CREATE CONSTRAINT FOR (i:Item) REQUIRE i.id IS UNIQUE", "CALL db.awaitIndexes(600)")
HEADERS = {"items": ["id:ID(Item)"], "triples": [":START_ID(Item)", ":END_ID(Item)"]}


class Neo4j(Peer):
    """Neo4j, which finds the asked item by index and searches distinct items breadth first.

    The server itself stops a question that exceeds the time limit.
    """

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self._home = given.scratch / "neo4j"
        self.storage = self._home / "data"

    def load(self) -> None:
        self._home.mkdir()
        ensure_password(self._home)
        ports = free_ports()
        write_conf(self._home, *ports, MEMORY)
        with self.watch.step("import"):
            self._import()
        with self.watch.step("start"):
            self.process = process.start(self._home, MEMORY)
            self.stack.callback(process.stop, self.process, self._home)
            address = ServerRecord(*ports, self.process).address(self._home)
            process.await_ready(self.process, self._home, lambda: is_ready(address))
        self._driver = self.stack.enter_context(open_driver(address))
        with self.watch.step("index"), self._driver.session(database=DATABASE) as session:
            for statement in INDEX:
                session.run(statement).consume()

    def _import(self) -> None:
        files = {name: self._home / "import" / f"{name}.csv" for name in HEADERS}
        for name, file in files.items():
            rows = pq.read_table(getattr(self.given, name))
            write_csv(rows.rename_columns(HEADERS[name]), file)
        options = [f"--nodes=Item={files['items']}", f"--relationships=REACHES={files['triples']}"]
        write_store(self._home, MEMORY, options)

    def ask(self, item: int, direction: Direction) -> I64:
        statement = STATEMENT.format(PATTERN[direction])
        with (
            self._driver.session(database=DATABASE) as session,
            session.begin_transaction(timeout=self.given.limit + 1) as transaction,
        ):
            (row,) = transaction.run(statement, id=item)
            return np.array(row["items"], np.int64)


class Provhouse(Peer):
    """provhouse, either cold or hot.

    If it is cold, each question fetches its partitions. If it is hot, partitions stay decoded.
    """

    def __init__(self, given: Given, hot: bool) -> None:
        super().__init__(given)
        self._settings = Settings.load({**given.settings, **({} if hot else {"hot_mb": 0})})
        self.storage = self._settings.warehouse

    def load(self) -> None:
        with self.watch.step("start"):
            self._asker = self.stack.enter_context(Asker(self._settings, Silent()))
            self._asker.warm()
        with self.watch.step("cache"):
            self._asker.spark.partitions.warm(self._asker.snapshot.partitions)
        self.process = process_id(self._settings.graph_home)

    def ask(self, item: int, direction: Direction) -> I64:
        asker, watch, number = self._asker, Stopwatch(), ItemNumber(item)
        walk = asker.walk(number, direction, watch)
        return CSProv(asker.snapshot, asker.spark, watch, walk).find(number, direction, None).items

    def ask_named(self, item: str, direction: Direction) -> bool:
        self._asker.ask(item, direction, "csprov")
        return True

    def cancel(self) -> None:
        self._asker.spark.session.sparkContext.cancelAllJobs()


ITEM = "item"


class SparkJoins(Peer):
    """Spark, which joins the items of one level with all triples to find the next level."""

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self.storage = given.triples

    def load(self) -> None:
        with self.watch.step("start"):
            self._session = plain().newSession()
            self._session.conf.set("spark.sql.adaptive.enabled", "false")  # a third faster
        with self.watch.step("load"):
            self._triples = self._session.read.parquet(str(self.given.triples)).cache()
            self.stack.callback(self._triples.unpersist)
            self._triples.count()

    def ask(self, item: int, direction: Direction) -> I64:
        near, far = ends(direction)

        def reached(frontier: I64) -> I64:
            items = self._session.createDataFrame(pa.table({ITEM: frontier}))
            joined = self._triples.join(f.broadcast(items), f.col(near) == f.col(ITEM))
            answer: I64 = joined.select(far).toArrow()[far].to_numpy()
            return answer

        return self.levels(item, reached)

    def cancel(self) -> None:
        self._session.sparkContext.cancelAllJobs()
