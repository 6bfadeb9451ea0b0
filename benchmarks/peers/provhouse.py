"""provhouse as a contender: a warm asker in this process, with all partitions cached in Spark."""

from benchmarks.peers.peer import Given, Peer
from provhouse.cypher.server import process_id
from provhouse.model.arrays import I64, ItemNumber
from provhouse.model.progress import Silent, Stopwatch
from provhouse.model.question import Direction
from provhouse.model.settings import Settings
from provhouse.query.ask import Asker
from provhouse.query.methods.csprov import CSProv


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
