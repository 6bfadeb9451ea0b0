"""Limit the duration of Spark jobs."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from provhouse.model.errors import TooSlow
from provhouse.model.progress import LOOK_SECONDS, Stopwatch

from .pyspark_internals import restore_properties

if TYPE_CHECKING:
    from pyspark import SparkContext

JOB_GROUP = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
"""The local properties that ``SparkContext.setJobGroup`` sets."""


@contextmanager
def limited(context: "SparkContext", watch: Stopwatch) -> Iterator[None]:
    """Run a block; if the watch's time is up, cancel the block's Spark jobs and raise TooSlow."""
    if watch.pause() is None:
        yield
        return
    before = {name: context.getLocalProperty(name) for name in JOB_GROUP}
    group = f"limited {threading.get_ident()}"
    context.setJobGroup(group, group, interruptOnCancel=True)
    over = threading.Event()
    threading.Thread(target=_stop_late, args=(context, group, watch, over), daemon=True).start()
    try:
        yield
    except Exception:
        watch.seconds_left()  # raises TooSlow if the time is up
        raise
    finally:
        over.set()
        restore_properties(context, before)


def _stop_late(
    context: "SparkContext", group: str, watch: Stopwatch, over: threading.Event
) -> None:
    try:
        while not over.wait(watch.pause()):
            pass
    except TooSlow:
        with suppress(Exception):  # Spark may have ended
            context.cancelJobGroup(group)
            while not over.wait(LOOK_SECONDS):  # the block may have begun another job
                context.cancelJobGroup(group)
