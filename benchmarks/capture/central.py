"""Another way to capture RDDs, restated: all tasks write associations to one central database.

Newt captures like that, of each operator, into a cluster of MySQL. Here it is one file of SQLite,
and only operators that merge records write, so that the restated way costs less.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from pyspark import RDD, SparkContext

BATCH = 10_000
"""The number of associations of a transaction."""


class CentralContext:
    """Reads text files as RDDs whose records have ids, and owns the database."""

    def __init__(self, context: SparkContext, folder: Path) -> None:
        folder.mkdir()
        self._context, self.path, self.ops = context, str(folder / "associations.db"), count()
        with sqlite3.connect(self.path) as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("CREATE TABLE associations (op INT, made INT, used INT)")

    def textFile(self, path: str, partitions: int) -> "Central":
        def number(split: int, lines: Iterable[str]) -> Iterator[tuple[str, int]]:
            return ((line, split << 40 | at) for at, line in enumerate(lines))

        lines = self._context.textFile(path, partitions)
        return Central(lines.mapPartitionsWithIndex(number), self)


class Central:
    """An RDD of pairs of a record and its id."""

    def __init__(self, rdd: "RDD[Any]", context: CentralContext) -> None:
        self.rdd, self._context = rdd, context

    def _of(self, rdd: "RDD[Any]") -> "Central":
        return Central(rdd, self._context)

    def map(self, f: Callable[[Any], Any]) -> "Central":
        return self._of(self.rdd.map(lambda each: (f(each[0]), each[1])))

    def filter(self, f: Callable[[Any], Any]) -> "Central":
        return self._of(self.rdd.filter(lambda each: f(each[0])))

    def flatMap(self, f: Callable[[Any], Any]) -> "Central":
        return self._of(self.rdd.flatMap(lambda each: [(new, each[1]) for new in f(each[0])]))

    def mapValues(self, f: Callable[[Any], Any]) -> "Central":
        return self.map(lambda pair: (pair[0], f(pair[1])))

    def keys(self) -> "Central":
        return self.map(itemgetter(0))

    def union(self, other: "Central") -> "Central":
        return self._of(self.rdd.union(other.rdd))

    def reduceByKey(self, f: Callable[[Any, Any], Any], partitions: int) -> "Central":
        return self._grouped(lambda rdd: rdd.reduceByKey(f, partitions))

    def aggregateByKey(self, zero: Any, add: Any, join: Any, partitions: int) -> "Central":
        return self._grouped(lambda rdd: rdd.aggregateByKey(zero, add, join, partitions))

    def distinct(self, partitions: int) -> "Central":
        keyed = self.map(lambda record: (record, None))
        return keyed.reduceByKey(lambda one, _: one, partitions).keys()

    def _grouped(self, merge: Callable[["RDD[Any]"], "RDD[Any]"]) -> "Central":
        """Merge records by key, and store before that which records each group is made of."""
        stored = self._stored(self.rdd, lambda each: [(hash(each[0][0]), each[1])])
        return self._of(merge(stored.keys()).map(lambda pair: (pair, hash(pair[0]))))

    def join(self, other: "Central", partitions: int) -> "Central":
        joined = self._keyed().join(other._keyed(), partitions).map(
            lambda each: ((each[0], (each[1][0][0], each[1][1][0])), each[1][0][1], each[1][1][1])
        )  # fmt: skip
        stored = self._stored(joined, lambda each: [(hash(each[1:]), used) for used in each[1:]])
        return self._of(stored.map(lambda each: (each[0], hash(each[1:]))))

    def subtractByKey(self, other: "Central", partitions: int) -> "Central":
        left = self._keyed().subtractByKey(other._keyed(), partitions)
        return self._of(left.map(lambda each: ((each[0], each[1][0]), each[1][1])))

    def saveAsTextFile(self, path: str) -> None:
        """Write the records as text, and their associations to the database."""
        stored = self._stored(self.rdd, lambda each: [(hash(each[0]), each[1])])
        stored.keys().saveAsTextFile(path)

    def _keyed(self) -> "RDD[Any]":
        return self.rdd.map(lambda each: (each[0][0], (each[0][1], each[1])))

    def _stored(self, rdd: "RDD[Any]", pairs: Callable[[Any], list[tuple[int, int]]]) -> "RDD[Any]":
        """Return the records of an RDD; tasks that compute them store associations."""
        path, op = self._context.path, next(self._context.ops)

        def store(records: Iterable[Any]) -> Iterator[Any]:
            left = iter(records)
            while some := list(islice(left, BATCH)):
                database = sqlite3.connect(path, timeout=600)
                with database:
                    database.executemany(
                        f"INSERT INTO associations VALUES ({op}, ?, ?)",
                        [pair for record in some for pair in pairs(record)],
                    )
                database.close()
                yield from some

        return rdd.mapPartitions(store)
