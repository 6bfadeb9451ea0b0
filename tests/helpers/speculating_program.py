"""A program whose Spark session on a cluster starts second attempts at slow tasks.

A process can have only one context of PySpark, so the test runs this file as a separate process. It
fails with a traceback if an answer is wrong, or if an abandoned attempt has left a file. It prints
the number of tasks that succeeded in a second attempt after the first attempt had written its
files.
"""

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from benchmarks.cluster.task_places import attempts
from helpers.foreign_program import use
from helpers.graphs import graph
from provhouse.ingest import ingest as ingesting
from provhouse.model.settings import Settings
from provhouse.runtime.spark import tasks

SLOW_SECONDS = 5
SETTINGS = {
    "spark.executor.memory": "512m",
    "spark.speculation": "true",
    "spark.speculation.interval": "20ms",
    "spark.speculation.quantile": "0.01",
    "spark.speculation.multiplier": "1.5",
    "spark.speculation.task.duration.threshold": "300ms",  # needed for stages that have one task
}


class Slow(tasks._Guarded[Any, Any]):
    """A task that, on the first worker, waits after it has written its files."""

    def __init__(self, task: Callable[[Any], Any], sizes: tasks.Sizes | None) -> None:
        super().__init__(partial(slowly, task), sizes)


def slowly(task: Callable[[Any], Any], argument: Any) -> Any:
    """Run a task and return its result. On the first worker, the result is returned late."""
    result = task(argument)
    if "worker-1" in Path(os.getcwd()).parts:
        time.sleep(SLOW_SECONDS)
    return result


def main(folder: Path, neo4j_home: Path, master: str) -> None:
    """Ingest, retract and ask. All tasks on the first worker get second attempts."""
    ingesting.SMALL_BYTES = 0  # so that all tasks run in Spark
    tasks._Guarded = Slow  # type: ignore[misc]
    builder = SparkSession.builder.master(master)
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    context = builder.getOrCreate().sparkContext
    settings = Settings(
        warehouse=folder / "warehouse",
        neo4j_home=neo4j_home,
        theta=6,
        partition_triples=20,
        hot_mb=0,
    )
    use(settings, folder, graph(1).triples)
    assert not [*settings.warehouse.rglob(".attempt-*")]
    ran = attempts(context)
    print(sum(each.second and each.status == "SUCCESS" for each in ran))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
