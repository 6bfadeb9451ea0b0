"""The operators of RDDs for pairs of a key and a value."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, Self

from pyspark.core.rdd import portable_hash
from pyspark.resultiterable import ResultIterable

from .branches import Branches
from .joining import joining, without
from .merged_tasks import same

PartitionOf = Callable[[Any], int]


class PairRdd(Branches):
    """The methods of ``LineageRDD`` for pairs of a key and a value."""

    def keys(self) -> Self:
        """Return the keys."""
        return self.streamed(lambda _, pairs: (pair[0] for pair in pairs))

    def values(self) -> Self:
        """Return the values."""
        return self.streamed(lambda _, pairs: (pair[1] for pair in pairs))

    def mapValues(self, f: Callable[[Any], Any]) -> Self:
        """Apply a function to each value."""
        return self.streamed(lambda _, pairs: ((key, f(value)) for key, value in pairs))

    def flatMapValues(self, f: Callable[[Any], Iterable[Any]]) -> Self:
        """Apply a function to each value, and return its key with each element of the result."""
        return self.streamed(
            lambda _, pairs: ((key, each) for key, value in pairs for each in f(value))
        )

    # One record for each key, derived from all records with this key

    def reduceByKey(
        self,
        func: Callable[[Any, Any], Any],
        numPartitions: int | None = None,
        partitionFunc: PartitionOf = portable_hash,
    ) -> Self:
        """Merge the values of each key."""
        return self.merged("reduceByKey", same, func, func, numPartitions, partitionFunc)

    def combineByKey(
        self,
        createCombiner: Callable[[Any], Any],
        mergeValue: Callable[[Any, Any], Any],
        mergeCombiners: Callable[[Any, Any], Any],
        numPartitions: int | None = None,
        partitionFunc: PartitionOf = portable_hash,
    ) -> Self:
        """Combine the values of each key."""
        functions = createCombiner, mergeValue, mergeCombiners
        return self.merged("combineByKey", *functions, numPartitions, partitionFunc)

    def aggregateByKey(
        self,
        zeroValue: Any,
        seqFunc: Callable[[Any, Any], Any],
        combFunc: Callable[[Any, Any], Any],
        numPartitions: int | None = None,
        partitionFunc: PartitionOf = portable_hash,
    ) -> Self:
        """Aggregate the values of each key, starting from a copy of ``zeroValue``."""
        functions = lambda value: seqFunc(deepcopy(zeroValue), value), seqFunc, combFunc
        return self.merged("aggregateByKey", *functions, numPartitions, partitionFunc)

    def foldByKey(
        self,
        zeroValue: Any,
        func: Callable[[Any, Any], Any],
        numPartitions: int | None = None,
        partitionFunc: PartitionOf = portable_hash,
    ) -> Self:
        """Merge the values of each key, starting from a copy of ``zeroValue``."""
        functions = lambda value: func(deepcopy(zeroValue), value), func, func
        return self.merged("foldByKey", *functions, numPartitions, partitionFunc)

    def groupByKey(
        self, numPartitions: int | None = None, partitionFunc: PartitionOf = portable_hash
    ) -> Self:
        """Return an RDD of keys, each with an iterable of its values."""
        return self.listed("groupByKey", numPartitions, partitionFunc)

    def listed(
        self, kind: str, partitions: int | None, partition_of: PartitionOf = portable_hash
    ) -> Self:
        """Return the values of each key; ``kind`` is the name of the operator."""

        def append(values: list[Any], value: Any) -> list[Any]:
            values.append(value)
            return values

        def extend(values: list[Any], others: list[Any]) -> list[Any]:
            values.extend(others)
            return values

        functions = lambda value: [value], append, extend
        return self.merged(kind, *functions, partitions, partition_of, ResultIterable)

    def cogroup(self, other: "PairRdd", numPartitions: int | None = None) -> Self:
        """Return an RDD of keys, each with its values in both RDDs."""
        return self.gathered([self.known(other, "cogroup")], numPartitions)

    def groupWith(self, other: "PairRdd", *others: "PairRdd") -> Self:
        """Return an RDD of keys, each with its values in several RDDs."""
        return self.gathered([self.known(each, "groupWith") for each in (other, *others)], None)

    # Records of two RDDs with equal keys

    def join(self, other: "PairRdd", numPartitions: int | None = None) -> Self:
        """Return the pairs of values with equal keys; a pair derives from both records."""
        return self._joined(other, numPartitions, False, False)

    def leftOuterJoin(self, other: "PairRdd", numPartitions: int | None = None) -> Self:
        """Return the pairs of ``join``, and also left values that have no partner on the right."""
        return self._joined(other, numPartitions, True, False)

    def rightOuterJoin(self, other: "PairRdd", numPartitions: int | None = None) -> Self:
        """Return the pairs of ``join``, and also right values that have no partner on the left."""
        return self._joined(other, numPartitions, False, True)

    def fullOuterJoin(self, other: "PairRdd", numPartitions: int | None = None) -> Self:
        """Return the pairs of ``join``, and also values on either side that have no partner."""
        return self._joined(other, numPartitions, True, True)

    def subtractByKey(self, other: "PairRdd", numPartitions: int | None = None) -> Self:
        """Return the pairs whose key is not in the other RDD; each derives only from itself."""
        found = self.grouped([self.known(other, "subtractByKey")], numPartitions)
        return self.moved(found.mapPartitions(without), absence=True)

    def _joined(
        self, other: "PairRdd", partitions: int | None, outer_left: bool, outer_right: bool
    ) -> Self:
        grouped = self.grouped([self.known(other, "join")], partitions)
        widths = len(self.slots()), len(other.slots())
        found = grouped.mapPartitions(joining(*widths, outer_left, outer_right))
        return self.moved(found, other, absence=outer_left or outer_right)

    # The same records in other partitions

    def partitionBy(
        self, numPartitions: int | None, partitionFunc: PartitionOf = portable_hash
    ) -> Self:
        """Distribute the pairs by their keys."""
        count = self.reducers() if numPartitions is None else numPartitions
        found = self.tagged().map(_by_key).partitionBy(count, partitionFunc)
        return self.moved(found.map(_tagged_again))

    def sortByKey(
        self,
        ascending: bool = True,
        numPartitions: int | None = None,
        keyfunc: Callable[[Any], Any] = same,
    ) -> Self:
        """Sort the pairs by their keys."""
        found: Any = self.tagged().map(_by_key)
        return self.moved(found.sortByKey(ascending, numPartitions, keyfunc).map(_tagged_again))


def _by_key(tagged: Any) -> Any:
    (key, value), slots = tagged
    return key, (value, slots)


def _tagged_again(pair: Any) -> Any:
    key, (value, slots) = pair
    return (key, value), slots
