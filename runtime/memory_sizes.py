"""Measure the total peak memory of this process, its children and other given processes."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Self

import psutil

EVERY = 0.5
"""The number of seconds between two measurements."""


@contextmanager
def sampling(sample: Callable[[], object], every: float) -> Iterator[None]:
    """Call ``sample`` in a thread, every ``every`` seconds, for the duration of the block."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(every):
            sample()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class PeakMemory:
    """The largest measured total memory of the processes.

    Memory that processes share is divided among them (proportional set size).
    """

    def __init__(self) -> None:
        self.peak = 0
        self._others: list[int] = []

    @classmethod
    @contextmanager
    def measured(cls) -> Iterator[Self]:
        """Take samples for the duration of the block."""
        memory = cls()
        with sampling(memory.sample, EVERY):
            yield memory

    def include(self, process: int | None) -> None:
        """Also measure a process that is not a child of this process, such as the Neo4j server."""
        if process is not None:
            self._others.append(process)

    @property
    def megabytes(self) -> int:
        """The peak memory so far, in megabytes."""
        return round(self.peak / 1e6)

    def sample(self) -> None:
        """Measure the memory now."""
        self.peak = max(self.peak, sum(map(_size, self._processes())))

    def _processes(self) -> list[psutil.Process]:
        me = psutil.Process()
        found = {me, *me.children(recursive=True)}
        for other in self._others:
            with suppress(psutil.NoSuchProcess):
                found.add(psutil.Process(other))
        return list(found)


def _size(process: psutil.Process) -> int:
    try:
        memory = process.memory_full_info()
        return int(getattr(memory, "pss", memory.uss))  # macOS has no proportional size
    except psutil.Error:  # it ended meanwhile
        return 0
