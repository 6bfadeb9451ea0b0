"""The form of `results/methods.json`."""

from typing import TypedDict

from form import Percentiles, SeededRun, Totals


class Seconds(Percentiles):
    """The mean and percentiles of several times, in seconds."""

    mean: float


class AnswerSizes(TypedDict):
    """The median sizes of a class's answers. ``depth`` is the depth of the farthest item."""

    items: float
    triples: float
    depth: float


class MethodTimes(TypedDict):
    """One method's times for ``asked`` questions of a class, and the medians of what it read."""

    asked: int
    seconds: Seconds
    sets: float
    partitions: float
    triples: float


class MeasuredClass(TypedDict):
    """One class of questions: their answers have ``least`` to ``most`` items.

    The asked items were found among ``tried`` random items. ``methods`` has rq, ccprov and csprov
    for the same items, and three measurements of csprov alone: ``cold`` for many more items,
    ``again`` for a repeated question, ``near`` for another item of the same set. ``rq_floor`` is
    the mean seconds that RQ would take if each level were an empty job on as many partitions.
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
    """A batch of lineages of LC-SL, asked in turn. No partition was read before the batch."""

    items: int
    seconds: float


class WarehouseMeasured(SeededRun):
    """The circumstances of a run: its date, machine and seed, and the size of the warehouse."""

    warehouse: Totals


class StorageRun(TypedDict):
    """The results of all classes, with partitions in one kind of storage.

    ``empty_job`` is the time of a job that does nothing on one cached partition, measured between
    the classes.
    """

    on: WarehouseMeasured
    fill_seconds: dict[str, float]
    empty_job: Seconds
    classes: list[MeasuredClass]
    batch: Batch


Results = dict[str, dict[str, StorageRun]]
"""The last runs, by the number of copies of the paper's trace, then by the storage."""
