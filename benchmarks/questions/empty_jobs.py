"""Time Spark jobs that do nothing.

Their time is the least that any Spark job on the same number of partitions can take.
"""

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from provhouse.store.cache.blocks import discard_blocks

if TYPE_CHECKING:
    from pyspark import SparkContext

REPEATED = 5


class EmptyJobs:
    """Spark jobs that do nothing, on cached partitions of one byte each.

    Python workers run them, as they run RQ's jobs.
    """

    def __init__(self, context: "SparkContext", widest: int) -> None:
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
        """Return the seconds of a job without partitions, and the seconds that each one adds.

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
