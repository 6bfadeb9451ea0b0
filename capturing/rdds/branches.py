"""The stages of the RDDs of a captured block, and the operators that extend them."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pyspark.core.rdd import portable_hash

from .combining import CombinedRecords, CombinedValues, Combiner
from .entering import Tap
from .joining import gathering, side
from .leaving import combined, plain, tagged
from .merged_tasks import merging, same, uniting
from .moved_rows import carried
from .not_captured import refusal
from .stages import (
    Enter,
    FileScan,
    Leave,
    Slot,
    StageBranch,
    StageGroup,
    Step,
    streaming,
    taps,
    whole,
)

if TYPE_CHECKING:
    from pyspark import RDD

    from .context import LineageContext

Known = TypeVar("Known", bound="Branches")
HERE = __name__.rpartition(".")[0]


class Branches:
    """The stages of an RDD, one for each branch. Only a union has several branches."""

    def __init__(self, context: "LineageContext", branches: tuple[StageBranch, ...]) -> None:
        self.context, self.branches = context, branches

    def of(self, *branches: StageBranch) -> Self:
        """Return an RDD with these branches in the same context."""
        return type(self)(self.context, branches)

    def getNumPartitions(self) -> int:
        """Return the number of partitions."""
        return sum(each.base.getNumPartitions() for each in self.branches)

    def known(self, other: Known, method: str) -> Known:
        """Return ``other``; raise UsageError unless it is an RDD of the same captured block."""
        if isinstance(other, Branches) and other.context is self.context:
            return other
        raise refusal(
            f"{method} with an RDD that this block does not capture",
            "The records of that RDD have no lineage",
            "Read its files with run.context too",
        )

    def streamed(self, function: Callable[[int, Iterator[Any]], Iterable[Any]]) -> Self:
        """Apply a function that yields all results of a record before it reads the next record.

        The function's arguments are the number of a partition and the records of the partition.
        """
        return self.stepped(streaming(function))

    def stepped(self, step: Step) -> Self:
        """Add a step to the stage of each branch."""
        return self.of(*(each.then(step) for each in self.branches))

    def plain(self) -> "RDD[Any]":
        """Return the records without lineage, as a Spark RDD."""
        return self.united([each.left(plain) for each in self.branches])

    def tagged(self) -> "RDD[Any]":
        """Return a Spark RDD with pairs of a record and its slots."""
        _, found = taps(self.branches, "")
        return self.united(
            [each.left(_tagging(tap)) for each, tap in zip(self.branches, found, strict=True)]
        )

    def slots(self) -> tuple[Slot, ...]:
        """Return what each slot of the records contains."""
        return taps(self.branches, "")[0]

    def scans(self) -> tuple[FileScan, ...]:
        """Return the distinct sources that the RDD reads."""
        return tuple({scan: None for each in self.branches for scan in each.scans})

    def absence(self) -> bool:
        """Return whether records may depend on the absence of other records."""
        return any(each.absence for each in self.branches)

    def moved(self, pairs: "RDD[Any]", *others: "Branches", absence: bool = False) -> Self:
        """Return an RDD of the records in ``pairs``, which pairs each record with its slots.

        The slots of this RDD come first, followed by the slots of ``others``.
        """
        every: list[Branches] = [self, *others]
        slots = tuple(slot for each in every for slot in each.slots())
        scans = tuple({scan: None for each in every for scan in each.scans()})
        absence = absence or any(each.absence() for each in every)
        return self.of(carried(pairs, slots, scans, absence))

    def merged(
        self,
        kind: str,
        create: Callable[[Any], Any],
        merge: Callable[[Any, Any], Any],
        join: Callable[[Any, Any], Any],
        partitions: int | None,
        partition_of: Callable[[Any], int] = portable_hash,
        finish: Callable[[Any], Any] = same,
    ) -> Self:
        """Merge the values of each key: within each task before the shuffle, and again after it."""

        def enter(folder: str, memory: int) -> Enter:
            return merging(folder, join, finish, memory)

        combiner = partial(CombinedValues, create, merge)
        return self._shuffled(kind, combiner, enter, partitions, partition_of)

    def different(self, partitions: int | None) -> Self:
        """Keep one of several equal records: within each task before the shuffle, and after it."""
        return self._shuffled("distinct", CombinedRecords, uniting, partitions, portable_hash)

    def _shuffled(
        self,
        kind: str,
        combiner: Callable[[], Combiner],
        enter: Callable[[str, int], Enter],
        partitions: int | None,
        partition_of: Callable[[Any], int],
    ) -> Self:
        below, above = self.context.group_folder(), self.context.group_folder()
        slots, found = taps(self.branches, below)
        called = caller()
        low = StageGroup(kind, "key", called, below, slots)
        high = StageGroup(kind, "key", called, above, (low,))
        memory = self.context.worker_memory()
        parts = [
            each.left(_combining(tap, combiner, memory))
            for each, tap in zip(self.branches, found, strict=True)
        ]
        shuffled = self.united(parts).partitionBy(
            self.reducers() if partitions is None else partitions, partition_of
        )
        begin, absence = enter(above, memory), self.absence()
        return self.of(StageBranch(shuffled, begin, (high,), self.scans(), absence=absence))

    def together(self, kind: str, function: Callable[[int, Iterator[Any]], Iterable[Any]]) -> Self:
        """Apply a function whose results derive from all records of their partition."""
        folder = self.context.group_folder()
        slots, found = taps(self.branches, folder)
        group = StageGroup(kind, "", caller(), folder, slots, "superset")
        parts = zip(self.branches, found, strict=True)
        return self.of(
            *(replace(each.then(whole(tap, function)), slots=(group,)) for each, tap in parts)
        )

    def grouped(self, others: "Sequence[Branches]", partitions: int | None) -> "RDD[Any]":
        """Return a Spark RDD of keys and their values; each value comes with its side and slots."""
        every: list[Branches] = [self, *others]
        parts = [each.tagged().map(side(number)) for number, each in enumerate(every)]
        return self.united(parts).groupByKey(partitions)

    def gathered(self, others: "Sequence[Branches]", partitions: int | None) -> Self:
        """Return an RDD of keys, each with its values from all of the RDDs."""
        every: list[Branches] = [self, *others]
        folder = self.context.group_folder()
        slots = tuple(slot for each in every for slot in each.slots())
        group = StageGroup("cogroup", "key", caller(), folder, slots)
        enter = gathering(folder, [len(each.slots()) for each in every])
        scans = tuple({scan: None for each in every for scan in each.scans()})
        absence = any(each.absence() for each in every)
        shuffled = self.grouped(others, partitions)
        return self.of(StageBranch(shuffled, enter, (group,), scans, absence=absence))

    def reducers(self) -> int:
        """Return the number of partitions that Spark chooses after a shuffle."""
        spark = self.context.spark
        known = spark.getConf().contains("spark.default.parallelism")
        return spark.defaultParallelism if known else self.getNumPartitions()

    def united(self, rdds: "Sequence[RDD[Any]]") -> "RDD[Any]":
        """Return the union of the given Spark RDDs."""
        return rdds[0] if len(rdds) == 1 else self.context.spark.union([*rdds])


def _tagging(tap: Tap) -> Leave:
    return lambda entering, records: tagged(entering, records, tap)


def _combining(tap: Tap, combiner: Callable[[], Combiner], memory: int) -> Leave:
    return lambda entering, records: combined(entering, records, tap, combiner, memory)


def caller() -> str:
    """Return the file and line of the innermost caller outside of this package."""
    frame = sys._getframe()
    while frame.f_back and str(frame.f_globals.get("__name__")).startswith(HERE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno}"
