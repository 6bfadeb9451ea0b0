"""Limits of time and memory for one text, so that none holds up a run."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS = 20.0
"""The processor time that a text may take, with its lineage and the checks."""
MEMORY = "1GB"
"""The memory of each database. A text whose lineage needs more is too slow."""


class TooSlow(Exception):
    """A text has taken too long."""


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[list[bool]]:
    """Raise TooSlow, or an error of DuckDB, after some processor time.

    The list that this yields is empty until then. The main thread alone can be limited.
    """
    late: list[bool] = []

    def stop(number: int, frame: FrameType | None) -> None:
        late.append(True)
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)  # again, where it was caught
    try:
        yield late
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
