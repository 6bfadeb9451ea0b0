"""The form of `results/methods.json`."""

from typing import TypedDict

from form import Percentiles, SeededRun, Totals


class Seconds(Percentiles):
    """The mean and percentiles of several times, in seconds."""

    mean: float


class AnswerSizes(TypedDict):
    """The median sizes of a class's answers; ``depth`` is that of the farthest item."""

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
    """Questions whose answers have ``least`` to ``most`` items, found among ``tried`` random items.

    ``methods`` are rq, ccprov and csprov for the same items, then three for csprov alone: ``cold``
    for many more items, ``again`` for a repeated question, ``near`` for another item of the same
    set. ``rq_floor`` is the mean seconds of RQ's levels if each were an empty job of the same
    width.
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
    """Lineages of LC-SL, asked one after the other, with no partition read before."""

    items: int
    seconds: float


class WarehouseMeasured(SeededRun):
    """The run and the warehouse."""

    warehouse: Totals


class StorageRun(TypedDict):
    """All classes, with partitions in one kind of storage.

    ``empty_job`` is a job that does nothing on one cached partition, measured between the classes.
    """

    on: WarehouseMeasured
    fill_seconds: dict[str, float]
    empty_job: Seconds
    classes: list[MeasuredClass]
    batch: Batch


Results = dict[str, dict[str, StorageRun]]
"""Runs by the number of copies of the paper's trace, then by the storage of partitions."""
