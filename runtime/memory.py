"""The most memory that our processes used together while something ran."""

import threading
from contextlib import suppress
from types import TracebackType

import psutil

EVERY = 0.5
"""Seconds between two looks."""


class PeakMemory:
    """Watches the proportional set sizes of this process, all its children and some others."""

    def __init__(self) -> None:
        self.peak = 0
        self._others: list[int] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "PeakMemory":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def include(self, process: int | None) -> None:
        """Count a process that need not be a child of this one, such as Neo4j's."""
        if process is not None:
            self._others.append(process)

    @property
    def megabytes(self) -> int:
        """The peak so far."""
        return round(self.peak / 1e6)

    def _watch(self) -> None:
        while not self._over.wait(EVERY):
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
        return int(process.memory_full_info().pss)
    except psutil.Error:  # it ended while we looked
        return 0
