"""Functions that wait for Spark's status events, which arrive late, or that keep Spark busy."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from pyspark import SparkContext


def wait_for_listeners(context: SparkContext) -> None:
    """Wait until Spark's status tracker has processed all events that have occurred so far."""
    jvm: Any = context._jsc
    jvm.sc().listenerBus().waitUntilEmpty()


@contextmanager
def occupied(context: SparkContext) -> Iterator[None]:
    """Run a task on each of Spark's cores during the block, so that all other jobs wait."""
    with TemporaryDirectory() as folder:
        tasks = range(context.defaultParallelism)
        over = Path(folder) / "over"

        def work(task: int) -> None:
            import time

            (over.parent / str(task)).touch()
            while over.parent.exists() and not over.exists():
                time.sleep(0.02)

        job = context.parallelize(tasks, len(tasks))
        thread = Thread(target=lambda: job.foreach(work), daemon=True)
        thread.start()
        while not all((over.parent / str(task)).exists() for task in tasks):
            thread.join(0.02)
        try:
            yield
        finally:
            over.touch()
            thread.join()
