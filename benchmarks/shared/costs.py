"""Measure the costs of Spark's work: time, processor time, shuffled bytes, and memory."""

import ctypes
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import TypedDict

import psutil
from pyspark.sql import SparkSession

from benchmarks.shared.results_file import status

EVERY = 0.02
"""The number of seconds between two measurements of memory."""


class Cost(TypedDict):
    """The costs of one write: time, processor time, and the bytes that Spark wrote for shuffles."""

    seconds: float
    cpu_seconds: float
    shuffle_bytes: int


def middle(costs: list[Cost]) -> Cost:
    """Return the median of each figure."""
    return {
        "seconds": median(cost["seconds"] for cost in costs),
        "cpu_seconds": median(cost["cpu_seconds"] for cost in costs),
        "shuffle_bytes": round(median(cost["shuffle_bytes"] for cost in costs)),
    }


@dataclass(frozen=True)
class Clock:
    """A point in time, with the processor time and the shuffled bytes used up to it."""

    seconds: float
    cpu: float
    shuffled: int
    server: int | None
    """The process id of Neo4j, or None."""

    @classmethod
    def now(cls, spark: SparkSession, server: int | None) -> "Clock":
        """Return the current values."""
        context = spark._jsc.sc()
        context.listenerBus().waitUntilEmpty(60_000)
        shuffled = context.statusStore().executorSummary("driver").totalShuffleWrite()
        return cls(perf_counter(), cpu_seconds(server), shuffled, server)

    def cost(self, spark: SparkSession) -> Cost:
        """Return the costs since this point in time."""
        seconds = perf_counter() - self.seconds
        end = Clock.now(spark, self.server)
        return {
            "seconds": round(seconds, 3),
            "cpu_seconds": round(end.cpu - self.cpu, 2),
            "shuffle_bytes": end.shuffled - self.shuffled,
        }


def cpu_seconds(server: int | None) -> float:
    """Return the processor seconds of this process, of all its children, and of Neo4j."""
    me = psutil.Process()
    numbers = {each.pid for each in me.children(recursive=True)} | {me.pid}
    total = 0.0
    for number in numbers | ({server} if server else set()):
        with suppress(psutil.Error):
            total += sum(psutil.Process(number).cpu_times()[:4])
    return total


def adopt() -> None:
    """On Linux, become the parent of descendants whose own parent ends.

    Otherwise they would no longer be descendants of this process, and their processor time would be
    missing.
    """
    adopt_orphans = 36  # PR_SET_CHILD_SUBREAPER, in linux/prctl.h
    ctypes.CDLL(None).prctl(adopt_orphans, 1, 0, 0, 0)


class Peak:
    """The largest anonymous memory of this process, in megabytes."""

    def __init__(self) -> None:
        self.most = 0
        self._me = psutil.Process()

    def sample(self) -> None:
        """Measure the memory now."""
        self.most = max(self.most, status("RssAnon", self._me))
