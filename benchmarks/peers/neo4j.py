"""Neo4j as a contender: a separate server with all triples, which Neo4j's importer loads."""

import numpy as np
import pyarrow.parquet as pq
from pyarrow.csv import write_csv

from benchmarks.peers.peer import Given, Peer
from provhouse.cypher import process
from provhouse.cypher.address import DATABASE
from provhouse.cypher.config import ensure_password, free_ports, write_conf
from provhouse.cypher.driver import is_ready, open_driver
from provhouse.cypher.importing import write_store
from provhouse.cypher.server_record import ServerRecord
from provhouse.model.arrays import I64
from provhouse.model.question import Direction

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
