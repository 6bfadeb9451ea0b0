"""Reading partitions for several who ask at once: each is read by one job, however many wait.

A job stops only when the last who waits for it has left.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from threading import RLock

from provhouse.model.progress import Stopwatch

JOBS = 8
"""So many jobs run at once; a further one waits for its turn."""

Blocks = dict[Path, bytes]
Read = Callable[[str, Sequence[Path]], Blocks]
"""Takes the name of a job, under which it can be cancelled, and the partitions it is to read."""


@dataclass
class _Flight:
    group: str
    blocks: Future[Blocks]
    cancel: Callable[[str], None]
    waiting: int = 0


class Flights:
    """Jobs under way, by partition."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(JOBS, "fetch")
        self._lock = RLock()  # a job may be over before we have asked to be told
        self._under_way: dict[Path, _Flight] = {}
        self._numbers = count()

    def blocks(
        self,
        partitions: Sequence[Path],
        read: Read,
        cancel: Callable[[str], None],
        watch: Stopwatch,
    ) -> Blocks:
        """The blocks of these partitions; raises TooSlow when the time of the watch is up.

        ``cancel`` stops the job of a name.
        """
        if not partitions:
            return {}
        with self._lock:
            flights = self._boarded(partitions, read, cancel)
        try:
            blocks = [flight.blocks for flight in flights]
            while wait(blocks, watch.pause()).not_done:
                pass
            found: Blocks = {}
            for flight in flights:
                found |= flight.blocks.result()
            return {partition: found[partition] for partition in partitions}
        finally:
            with self._lock:
                self._left(flights)

    def _boarded(
        self, partitions: Sequence[Path], read: Read, cancel: Callable[[str], None]
    ) -> list[_Flight]:
        missing = [p for p in partitions if p not in self._under_way]
        if missing:
            group = f"fetch {id(self)} {next(self._numbers)}"
            flight = _Flight(group, self._pool.submit(read, group, missing), cancel)
            self._under_way |= dict.fromkeys(missing, flight)
        flights = {f.group: f for f in (self._under_way[p] for p in partitions)}
        for each in flights.values():
            each.waiting += 1
        if missing:
            flight.blocks.add_done_callback(lambda _: self._landed(flight))
        return list(flights.values())

    def _landed(self, flight: _Flight) -> None:
        with self._lock:
            for partition in [p for p, f in self._under_way.items() if f is flight]:
                del self._under_way[partition]

    def _left(self, flights: Sequence[_Flight]) -> None:
        for flight in flights:
            flight.waiting -= 1
            if not flight.waiting and not flight.blocks.done():
                self._landed(flight)  # who comes now must not board it
                if not flight.blocks.cancel():
                    flight.cancel(flight.group)

    def close(self) -> None:
        """Let go of the threads; jobs that run end by themselves."""
        self._pool.shutdown(wait=False, cancel_futures=True)
