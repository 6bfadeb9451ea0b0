"""Measure the memory of a command's processes: the command, Spark's workers, Spark and Neo4j."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil

from benchmarks.shared.machine import status
from provhouse.runtime.memory import sampling

EVERY = 0.1
"""Seconds between two measurements."""


KINDS = {
    "driver": "the command",
    "worker": "the largest Python worker",
    "spark": "Spark's Java",
    "neo4j": "Neo4j",
}
"""The kinds of processes, by their names in the results."""


@contextmanager
def measured() -> Iterator[dict[str, int]]:
    """Measure commands for the length of the block; return the peaks by kind of process.

    A peak is the largest anonymous memory of one process, in megabytes. The result is complete when
    the block has ended.
    """
    peaks = dict.fromkeys(KINDS, 0)
    me = psutil.Process()

    def sample() -> None:
        for command in me.children():
            for process in (command, *command.children(recursive=True)):
                with suppress(psutil.Error, OSError):
                    add(peaks, process, process.pid == command.pid)

    with sampling(sample, EVERY):
        yield peaks


def add(peaks: dict[str, int], process: psutil.Process, command: bool) -> None:
    """Add the memory of a process to the peak of its kind."""
    memory = status("RssAnon", process)
    if "java" not in process.name():
        kind = "driver" if command else "worker"
    else:
        kind = "spark" if "org.apache.spark" in " ".join(process.cmdline()) else "neo4j"
    peaks[kind] = max(peaks[kind], memory)
