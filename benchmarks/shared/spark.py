"""Sessions of plain Spark, with which provhouse is compared, and jobs that do nothing."""

import os
import sys
from time import perf_counter

import numpy as np
from pyspark import SparkContext
from pyspark.sql import SparkSession

from provhouse.runtime.java import java
from provhouse.store.cache.triple_blocks import discard_blocks

REPEATED = 5


def plain() -> SparkSession:
    """Return a session with Spark's default settings.

    provhouse's own session compiles less code, which makes joins three times as slow.
    """
    os.environ["JAVA_HOME"] = str(java().parent.parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings: dict[str, bool | float | int | str | None] = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "4g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    return SparkSession.builder.master("local[*]").config(map=settings).getOrCreate()


class EmptyJobs:
    """Spark jobs that do nothing, on cached partitions of one byte each.

    Python workers run them, as they run RQ's jobs.
    """

    def __init__(self, context: SparkContext, widest: int) -> None:
        self._context = context
        self._widest = widest
        self._cached = context.parallelize([b"1"] * widest, widest).persist()
        self._cached.count()

    def seconds(self, width: int) -> float:
        """Return the seconds of a job on the first ``width`` partitions."""
        began = perf_counter()
        self._context.runJob(self._cached, discard_blocks, list(range(width)))
        return perf_counter() - began

    def by_width(self) -> tuple[float, float]:
        """Return the seconds of a job without partitions, and the seconds that each partition adds.

        Both are fitted to the times of jobs on several numbers of partitions.
        """
        widths = sorted({min(width, self._widest) for width in (1, 4, 16, 64, 256)})
        times = [np.median([self.seconds(width) for _ in range(REPEATED)]) for width in widths]
        if len(widths) == 1:
            return float(times[0]), 0.0
        partition, job = np.polyfit(widths, times, 1)
        return float(job), float(partition)

    def release(self) -> None:
        """Remove the cached partitions from Spark's memory."""
        self._cached.unpersist()
