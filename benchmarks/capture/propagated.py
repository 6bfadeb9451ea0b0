"""Two other ways to capture RDDs, restated: each record has all that it derives from with it.

Titian calls the first one P: ids of source rows are propagated on the records. The second one is
that of libraries that know a row by a hash of its content.
"""

from collections.abc import Callable, Iterator
from hashlib import blake2b
from operator import itemgetter
from typing import Any

from pyspark import RDD, SparkContext

Ids = frozenset[int] | set[int]


def numbered(split: int, lines: Iterator[Any]) -> Iterator[tuple[Any, Ids]]:
    """Yield each line with its id."""
    return ((line, frozenset((split << 40 | at,))) for at, line in enumerate(lines))


def hashed(_: int, lines: Iterator[Any]) -> Iterator[tuple[Any, Ids]]:
    """Yield each line with a hash of its content."""
    for line in lines:
        found = int.from_bytes(blake2b(line.encode(), digest_size=8).digest(), "big")
        yield line, frozenset((found,))


class PropagatingContext:
    """Reads text files as RDDs of records with what they derive from."""

    def __init__(self, context: SparkContext, identify: Callable[..., Any]) -> None:
        self._context, self._identify = context, identify

    def textFile(self, path: str, partitions: int) -> "Propagated":
        return Propagated(
            self._context.textFile(path, partitions).mapPartitionsWithIndex(self._identify)
        )


class Propagated:
    """An RDD of pairs of a record and the set of all source rows that it derives from."""

    def __init__(self, rdd: "RDD[Any]") -> None:
        self.rdd = rdd

    def map(self, f: Callable[[Any], Any]) -> "Propagated":
        return Propagated(self.rdd.map(lambda each: (f(each[0]), each[1])))

    def filter(self, f: Callable[[Any], Any]) -> "Propagated":
        return Propagated(self.rdd.filter(lambda each: f(each[0])))

    def flatMap(self, f: Callable[[Any], Any]) -> "Propagated":
        return Propagated(self.rdd.flatMap(lambda each: [(new, each[1]) for new in f(each[0])]))

    def mapValues(self, f: Callable[[Any], Any]) -> "Propagated":
        return self.map(lambda pair: (pair[0], f(pair[1])))

    def keys(self) -> "Propagated":
        return self.map(itemgetter(0))

    def union(self, other: "Propagated") -> "Propagated":
        return Propagated(self.rdd.union(other.rdd))

    def reduceByKey(self, f: Callable[[Any, Any], Any], partitions: int) -> "Propagated":
        return self._combined(lambda value: value, f, f, partitions)

    def aggregateByKey(self, zero: Any, add: Any, join: Any, partitions: int) -> "Propagated":
        return self._combined(lambda value: add(zero, value), add, join, partitions)

    def distinct(self, partitions: int) -> "Propagated":
        keyed = Propagated(self.rdd.map(lambda each: ((each[0], None), each[1])))
        return keyed.reduceByKey(lambda one, _: one, partitions).keys()

    def _combined(self, create: Any, add: Any, join: Any, partitions: int) -> "Propagated":
        """Merge the values of each key; the sets of ids grow in place."""

        def begin(both: tuple[Any, Ids]) -> tuple[Any, set[int]]:
            return create(both[0]), set(both[1])

        def further(found: tuple[Any, set[int]], both: tuple[Any, Ids]) -> tuple[Any, set[int]]:
            found[1].update(both[1])
            return add(found[0], both[0]), found[1]

        def merge(one: tuple[Any, set[int]], other: tuple[Any, set[int]]) -> Any:
            one[1].update(other[1])
            return join(one[0], other[0]), one[1]

        merged = self._keyed().combineByKey(begin, further, merge, partitions)
        return Propagated(merged.map(lambda each: ((each[0], each[1][0]), each[1][1])))

    def join(self, other: "Propagated", partitions: int) -> "Propagated":
        joined = self._keyed().join(other._keyed(), partitions)
        return Propagated(
            joined.map(
                lambda each: (
                    (each[0], (each[1][0][0], each[1][1][0])),
                    each[1][0][1] | each[1][1][1],
                )
            )
        )

    def subtractByKey(self, other: "Propagated", partitions: int) -> "Propagated":
        left = self._keyed().subtractByKey(other._keyed(), partitions)
        return Propagated(left.map(lambda each: ((each[0], each[1][0]), each[1][1])))

    def saveAsTextFile(self, path: str) -> None:
        """Write the records, and beside them what each derives from."""
        self.rdd.map(lambda each: f"{each[0]}\t{' '.join(map(str, each[1]))}").saveAsTextFile(path)

    def _keyed(self) -> "RDD[Any]":
        return self.rdd.map(lambda each: (each[0][0], (each[0][1], each[1])))
