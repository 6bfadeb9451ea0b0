"""Plain Spark as a contender: for each level, a join with one cached DataFrame of all triples."""

import os
import sys

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from benchmarks.peers.peer import Given, Peer, ends
from provhouse.model.arrays import I64
from provhouse.model.question import Direction
from provhouse.runtime.java import java

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


def plain() -> SparkSession:
    """Return a session with Spark's default settings.

    provhouse's own session compiles little, which makes joins three times as slow.
    """
    os.environ["JAVA_HOME"] = str(java().parent.parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings: dict[str, bool | float | int | str | None] = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "4g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    return SparkSession.builder.master("local[*]").config(map=settings).getOrCreate()
