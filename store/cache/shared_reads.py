"""Read partitions concurrently; questions that wait for the same partition share one job.

A job is cancelled only when the last question that waits for it has given up.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from threading import RLock

from provhouse.model.errors import Unavailable
from provhouse.model.progress import Stopwatch

JOBS = 8
"""The maximum number of jobs that run at the same time; further jobs wait."""

Blocks = dict[Path, bytes]
Read = Callable[[str, Sequence[Path]], Blocks]
"""A function that reads the partitions at the given paths in one job.

The first argument is the name of the job, which is used to cancel it.
"""


@dataclass
class _Job:
    group: str
    blocks: Future[Blocks]
    cancel: Callable[[str], None]
    waiting: int = 0


class SharedReads:
    """A pool of jobs that read partitions. Questions that need the same job share it."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(JOBS, "fetch")
        self._lock = RLock()  # add_done_callback may call at once, so this thread may lock again
        self._under_way: dict[Path, _Job] = {}
        self._numbers = count()
        self._closed = False

    def blocks(
        self,
        partitions: Sequence[Path],
        read: Read,
        cancel: Callable[[str], None],
        watch: Stopwatch,
    ) -> Blocks:
        """Return the blocks of partitions; raise TooSlow when the time of ``watch`` is up.

        ``cancel`` is a function that stops the job with a given name. Raises Unavailable after
        ``close``, because Spark has then ended.
        """
        if not partitions:
            return {}
        with self._lock:
            jobs = self._join(partitions, read, cancel)
        try:
            blocks = [job.blocks for job in jobs]
            while wait(blocks, watch.pause()).not_done:
                pass
            found: Blocks = {}
            for job in jobs:
                found |= job.blocks.result()
            return {partition: found[partition] for partition in partitions}
        except CancelledError as error:
            raise _ended() from error
        finally:
            with self._lock:
                self._leave(jobs)

    def _join(
        self, partitions: Sequence[Path], read: Read, cancel: Callable[[str], None]
    ) -> list[_Job]:
        if self._closed:
            raise _ended()
        missing = [p for p in partitions if p not in self._under_way]
        if missing:
            group = f"fetch {id(self)} {next(self._numbers)}"
            job = _Job(group, self._pool.submit(read, group, missing), cancel)
            self._under_way |= dict.fromkeys(missing, job)
        jobs = {f.group: f for f in (self._under_way[p] for p in partitions)}
        for each in jobs.values():
            each.waiting += 1
        if missing:
            job.blocks.add_done_callback(lambda _: self._remove(job))
        return list(jobs.values())

    def _remove(self, job: _Job) -> None:
        with self._lock:
            for partition in [p for p, f in self._under_way.items() if f is job]:
                del self._under_way[partition]

    def _leave(self, jobs: Sequence[_Job]) -> None:
        for job in jobs:
            job.waiting -= 1
            if not job.waiting and not job.blocks.done():
                self._remove(job)  # later questions must not wait for a cancelled job
                if not job.blocks.cancel():
                    with suppress(Exception):  # Spark, and so the job, may have ended
                        job.cancel(job.group)

    def close(self) -> None:
        """Release the threads; running jobs end by themselves."""
        with self._lock:
            self._closed = True
            jobs = {job.group: job for job in self._under_way.values()}
        self._pool.shutdown(wait=False, cancel_futures=True)
        for job in jobs.values():
            if job.blocks.cancelled():  # the pool does not wake the questions waiting for the job
                job.blocks.set_running_or_notify_cancel()


def _ended() -> Unavailable:
    return Unavailable(
        "The triples cannot be read now",
        "Spark stopped while they were being read",
        "Ask again in a few seconds",
    )
