"""Measure the peak memory of this process, its children and other given processes together."""

import threading
from contextlib import suppress
from types import TracebackType

import psutil

EVERY = 0.5
"""Seconds between two measurements."""


class PeakMemory:
    """A context manager whose thread samples how much memory the measured processes take together.

    Memory that processes share is divided among them (proportional set size).
    """

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
        """Also measure a process that is not a child of this one, such as Neo4j's."""
        if process is not None:
            self._others.append(process)

    @property
    def megabytes(self) -> int:
        """The peak memory so far, in megabytes."""
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
        memory = process.memory_full_info()
        return int(getattr(memory, "pss", memory.uss))  # macOS has no proportional size
    except psutil.Error:  # it ended meanwhile
        return 0
