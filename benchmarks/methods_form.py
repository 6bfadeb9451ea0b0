"""The form of `results/methods.json`, which one script writes and another makes tables from."""

from typing import TypedDict

from form import Percentiles, SeededRun, Totals


class Seconds(Percentiles):
    """Seconds."""

    mean: float


class AnswerSizes(TypedDict):
    """How large the answers of a class are, at the median; ``depth`` is that of the farthest
    item."""

    items: float
    triples: float
    depth: float


class MethodTimes(TypedDict):
    """What one method took for ``asked`` questions of one class, in all, and read at the median."""

    asked: int
    seconds: Seconds
    sets: float
    partitions: float
    triples: float


class MeasuredClass(TypedDict):
    """Questions whose answer has ``least`` to ``most`` items, found among ``tried`` at random.

    ``methods`` are rq, ccprov and csprov for the same items, then csprov alone: cold for many more
    items, again when it has just answered the same, near for another item of the same set.
    ``rq_floor`` is what RQ's levels take if each is a job that does nothing, of the same width, in
    mean seconds.
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
    """Lineages of LC-SL asked one after the other, with nothing read before."""

    items: int
    seconds: float


class WarehouseMeasured(SeededRun):
    """What it was measured on. ``load`` is the machine's mean load over the minute before."""

    warehouse: Totals


class StorageRun(TypedDict):
    """All classes, with partitions in one kind of storage.

    ``empty_job`` is one that does nothing on one cached partition, measured between the classes.
    """

    on: WarehouseMeasured
    fill_seconds: dict[str, float]
    empty_job: Seconds
    classes: list[MeasuredClass]
    batch: Batch


Results = dict[str, dict[str, StorageRun]]
"""By the number of copies of the paper's trace, then by where partitions were kept."""
