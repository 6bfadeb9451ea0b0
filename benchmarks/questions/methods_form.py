"""Types that describe the content of `results/methods.json`."""

from typing import TypedDict

from benchmarks.shared.results import Percentiles, SeededRun, Totals


class Seconds(Percentiles):
    """The mean and percentiles of several times, in seconds."""

    mean: float


class AnswerSizes(TypedDict):
    """The median sizes of a class's answers. ``depth`` is the depth of the farthest item."""

    items: float
    triples: float
    depth: float


class MethodTimes(TypedDict):
    """One method's times for ``asked`` questions of a class.

    ``sets``, ``partitions`` and ``triples`` are the median numbers that the method read.
    """

    asked: int
    seconds: Seconds
    sets: float
    partitions: float
    triples: float


class MeasuredClass(TypedDict):
    """A class of questions whose answers have ``least`` to ``most`` items.

    The asked items were found among ``tried`` random items. In ``methods``, the times of rq, ccprov
    and csprov are for the same items. Three more measurements are of csprov alone: ``cold`` for
    many more items, ``again`` for a repeated question, and ``near`` for another item of the same
    set. ``rq_floor`` is the mean seconds that RQ would take if the job of each level did nothing on
    the same number of partitions.
    """

    name: str
    direction: str
    large: bool
    least: int
    most: int
    tried: int
    answer: AnswerSizes
    methods: dict[str, MethodTimes]
    rq_floor: float


class Batch(TypedDict):
    """A batch of lineage questions of class LC-SL, asked in turn before any other question."""

    items: int
    seconds: float


class WarehouseMeasured(SeededRun):
    """The circumstances of one run: its date, machine and seed, and the size of the warehouse."""

    warehouse: Totals


class StorageRun(TypedDict):
    """The results of all classes, with partitions in one kind of storage.

    ``empty_job`` is the time of a Spark job that does nothing on one cached partition. It is
    measured before each class.
    """

    on: WarehouseMeasured
    fill_seconds: dict[str, float]
    empty_job: Seconds
    classes: list[MeasuredClass]
    batch: Batch


Results = dict[str, dict[str, StorageRun]]
"""The last benchmark run for each number of copies of the paper's trace and each storage."""
