"""RDDs that keep track of the source rows of their records."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import accumulate, chain, count
from typing import TYPE_CHECKING, Any, Self

from pyspark import StorageLevel
from pyspark.core.rdd import portable_hash
from pyspark.rddsampler import RDDSampler
from pyspark.util import fail_on_stopiteration

from .joining import both
from .not_captured import refusal
from .pair_rdd import PairRdd
from .saves import save, save_text
from .stages import Group

if TYPE_CHECKING:
    from pyspark import RDD


_ACTIONS = frozenset(
    {"aggregate", "collect", "collectAsMap", "count", "countApprox", "countApproxDistinct",
     "countByKey", "countByValue", "first", "fold", "foreach", "foreachPartition", "histogram",
     "isEmpty", "lookup", "max", "mean", "meanApprox", "min", "reduce", "reduceByKeyLocally",
     "sampleStdev", "sampleVariance", "stats", "stdev", "sum", "sumApprox", "take", "takeOrdered",
     "takeSample", "toLocalIterator", "top", "treeAggregate", "treeReduce", "variance"}
)  # fmt: skip
"""Methods that return values to the program instead of RDDs."""


class LineageRDD(PairRdd):
    """An RDD of a captured block. Its methods give the same results as those of ``pyspark.RDD``.

    If a program calls a method of ``pyspark.RDD`` that this class lacks, the call is refused, and
    the error names the method. Actions such as ``count`` and ``collect`` run as in plain Spark.
    Lineage is stored only for saved RDDs.
    """

    _kept: "RDD[Any] | None" = None
    """The Spark RDD with the records and slots, or None if they are not persisted."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _ACTIONS:
            return getattr(self.plain(), name)
        raise refusal(
            f"RDD.{name} is not covered by the capture of RDDs",
            "The lineage of its records would be lost",
            "Save the RDD, and read the saved files outside of the block",
        )

    def __iter__(self) -> Iterator[Any]:
        raise refusal(
            "An RDD whose lineage is captured cannot be turned into other data",
            "createDataFrame and parallelize would lose its lineage",
            "Save it as text, and read the text as a data frame",
        )

    def __add__(self, other: "LineageRDD") -> Self:
        return self.union(other)

    # One record after the other

    def map(self, f: Callable[[Any], Any], preservesPartitioning: bool = False) -> Self:
        """Apply a function to each record."""
        function = fail_on_stopiteration(f)
        return self.streamed(lambda _, records: map(function, records))

    def flatMap(
        self, f: Callable[[Any], Iterable[Any]], preservesPartitioning: bool = False
    ) -> Self:
        """Apply a function to each record, and return the elements of all results."""
        function = fail_on_stopiteration(f)
        return self.streamed(lambda _, records: chain.from_iterable(map(function, records)))

    def filter(self, f: Callable[[Any], bool]) -> Self:
        """Keep the records that a function accepts."""
        function = fail_on_stopiteration(f)
        return self.streamed(lambda _, records: filter(function, records))

    def keyBy(self, f: Callable[[Any], Any]) -> Self:
        """Return pairs: the key that a function returns for a record, and the record itself."""
        return self.streamed(lambda _, records: ((f(record), record) for record in records))

    def mapPartitions(
        self,
        f: Callable[[Iterator[Any]], Iterable[Any]],
        preservesPartitioning: bool = False,
        *,
        row_by_row: bool = False,
    ) -> Self:
        """Apply a function to the records of each partition.

        Each record of the result derives from all records that its task has passed to the function,
        and the report lists the operation as a superset. By setting ``row_by_row``, you declare
        that the function yields all results of a record before it reads the next record. A result
        then derives only from the last record that the function has read.
        """
        return self._of_partitions("mapPartitions", lambda _, records: f(records), row_by_row)

    def mapPartitionsWithIndex(
        self,
        f: Callable[[int, Iterator[Any]], Iterable[Any]],
        preservesPartitioning: bool = False,
        *,
        row_by_row: bool = False,
    ) -> Self:
        """Apply a function to each partition's number and records; see ``mapPartitions``."""
        return self._of_partitions("mapPartitionsWithIndex", f, row_by_row)

    def glom(self) -> Self:
        """Return one list for each partition, with the records of the partition."""
        return self.together("map to a list", lambda _, records: [list(records)])

    def _of_partitions(self, kind: str, f: Any, row_by_row: bool) -> Self:
        return self.streamed(f) if row_by_row else self.together(kind, f)

    def sample(self, withReplacement: bool, fraction: float, seed: int | None = None) -> Self:
        """Return the sample of the records that Spark would draw with this seed."""
        sampler = RDDSampler(withReplacement, fraction, seed)
        return self.streamed(sampler.func)

    def zipWithIndex(self) -> Self:
        """Return each record with its position among all records."""
        counts = self.plain().mapPartitions(lambda records: [sum(1 for _ in records)])
        starts = [0, *accumulate(counts.collect())] if self.getNumPartitions() > 1 else [0]
        return self.streamed(
            lambda split, records: (
                (record, at) for at, record in enumerate(records, starts[split])
            )
        )

    def zipWithUniqueId(self) -> Self:
        """Return each record with a unique number."""
        step = self.getNumPartitions()
        return self.streamed(lambda split, records: zip(records, count(split, step), strict=False))

    # Records of several RDDs

    def union(self, other: "LineageRDD") -> Self:
        """Return the union of the records of both RDDs."""
        partitions = self.getNumPartitions()
        others = self.known(other, "union").branches
        moved = (replace(each, first=each.first + partitions) for each in others)
        return self.of(*self.branches, *moved)

    def intersection(self, other: "LineageRDD") -> Self:
        """Return the values that are in both RDDs; a value derives from all records equal to it."""
        other = self.known(other, "intersection")
        both = self._keyed().cogroup(other._keyed())
        return both.filter(lambda pair: all(pair[1])).keys()

    def subtract(self, other: "LineageRDD", numPartitions: int | None = None) -> Self:
        """Return the records that are not in the other RDD; each derives only from itself."""
        other = self.known(other, "subtract")
        return self._keyed().subtractByKey(other._keyed(), numPartitions).keys()

    def zip(self, other: "LineageRDD") -> Self:
        """Pair the records at equal positions of both RDDs; a pair derives from both records."""
        return self._pairs_with(self.known(other, "zip"), lambda one, two: one.zip(two))

    def cartesian(self, other: "LineageRDD") -> Self:
        """Return all pairs of records; a pair derives from both records.

        Spark reads the other RDD again for each batch of records of this RDD. If the other RDD
        contains groups, it is kept in memory and on disk, so that the associations of the groups
        are written only once.
        """
        other = self.known(other, "cartesian")
        grouped = any(isinstance(slot, Group) for slot in other.slots())

        def pairs(one: "RDD[Any]", two: "RDD[Any]") -> "RDD[Any]":
            return one.cartesian(two.persist(StorageLevel.MEMORY_AND_DISK) if grouped else two)

        return self._pairs_with(other, pairs)

    def _keyed(self) -> Self:
        return self.map(lambda record: (record, None))

    def _pairs_with(self, other: Any, pair: Any) -> Self:
        slots = both(len(self.slots()), len(other.slots()))
        found = pair(self.tagged(), other.tagged()).map(
            lambda two: ((two[0][0], two[1][0]), slots(two[0][1], two[1][1]))
        )
        return self.moved(found, other)

    # One record for several

    def distinct(self, numPartitions: int | None = None) -> Self:
        """Return each value once; a value derives from all records that are equal to it."""
        return self.different(numPartitions)

    def groupBy(
        self,
        f: Callable[[Any], Any],
        numPartitions: int | None = None,
        partitionFunc: Callable[[Any], int] = portable_hash,
    ) -> Self:
        """Group the records by the value of a function."""
        return self.keyBy(f).listed("groupBy", numPartitions, partitionFunc)

    # The same records in other partitions

    def sortBy(
        self,
        keyfunc: Callable[[Any], Any],
        ascending: bool = True,
        numPartitions: int | None = None,
    ) -> Self:
        """Sort the records by the value of a function."""
        tagged = self.tagged()
        return self.moved(tagged.sortBy(lambda each: keyfunc(each[0]), ascending, numPartitions))

    def repartition(self, numPartitions: int) -> Self:
        """Distribute the records over ``numPartitions`` partitions."""
        return self.moved(self.tagged().repartition(numPartitions))

    def coalesce(self, numPartitions: int, shuffle: bool = False) -> Self:
        """Return the records in ``numPartitions`` partitions, which must be fewer than before."""
        return self.moved(self.tagged().coalesce(numPartitions, shuffle))

    # Persisted records

    def cache(self) -> Self:
        """Keep the records and their slots in memory."""
        return self.persist(StorageLevel.MEMORY_ONLY)

    def persist(self, storageLevel: StorageLevel = StorageLevel.MEMORY_ONLY) -> Self:
        """Keep the records and their slots, as ``RDD.persist`` does."""
        if self._kept is None:
            self._kept = self.tagged()
            self.branches = self.moved(self._kept).branches
        self._kept.persist(storageLevel)
        return self

    def unpersist(self, blocking: bool = False) -> Self:
        """Remove the kept records."""
        if self._kept is not None:
            self._kept.unpersist(blocking)
        return self

    def setName(self, name: str) -> Self:
        """Accept a name, but do nothing with it."""
        return self

    # Writes

    def saveAsTextFile(self, path: str, compressionCodecClass: str | None = None) -> None:
        """Write the records as lines of text files, with their lineage.

        A record with a line break makes its task fail, since each line counts as a row.
        """
        if self.context.leaves_out(path):
            self.plain().saveAsTextFile(path, compressionCodecClass)
        else:
            save_text(self, path, compressionCodecClass)

    def saveAsPickleFile(self, path: str, batchSize: int = 10) -> None:
        """Write the records as pickles, with their lineage."""
        self._save(path, lambda rdd: rdd.saveAsPickleFile(path, batchSize))

    def saveAsSequenceFile(self, path: str, compressionCodecClass: str | None = None) -> None:
        """Write pairs as sequence files, with their lineage."""
        self._save(path, lambda rdd: rdd.saveAsSequenceFile(path, compressionCodecClass))

    def saveAsHadoopFile(self, path: str, *arguments: Any, **named: Any) -> None:
        """Write pairs in any format of Hadoop's old API, with their lineage."""
        self._save(path, lambda rdd: rdd.saveAsHadoopFile(path, *arguments, **named))

    def saveAsNewAPIHadoopFile(self, path: str, *arguments: Any, **named: Any) -> None:
        """Write pairs in any format of Hadoop's new API, with their lineage."""
        self._save(path, lambda rdd: rdd.saveAsNewAPIHadoopFile(path, *arguments, **named))

    def _save(self, path: str, write: "Callable[[RDD[Any]], None]") -> None:
        if self.context.leaves_out(path):
            write(self.plain())
        else:
            save(self, path, "records", lambda parts: write(self.united(parts)))
