"""Limits of time and memory for one query, so that no query delays a whole run."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS = 20.0
"""The processor time, in seconds, for one query, including its lineage and the checks."""
MEMORY = "1GB"
"""The memory limit of each database. A query whose lineage needs more counts as too slow."""


class TooSlow(Exception):
    """A query has taken too long."""


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[list[bool]]:
    """Raise TooSlow, or an error of DuckDB, when the block has used ``seconds`` of processor time.

    The yielded list is empty as long as the limit is not reached. Only the main thread can be
    limited.
    """
    late: list[bool] = []

    def stop(number: int, frame: FrameType | None) -> None:
        late.append(True)
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    # repeated, because the first error may have been caught
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        yield late
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
