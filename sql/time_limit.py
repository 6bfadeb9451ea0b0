"""The time limit for the queries that DuckDB runs to answer this thread's question."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Thread

import duckdb

from provhouse.model.errors import TooSlow
from provhouse.model.progress import LOOK_SECONDS, Stopwatch

_WATCH: ContextVar[Stopwatch | None] = ContextVar("stopwatch", default=None)


@contextmanager
def time_limit(watch: Stopwatch) -> Iterator[None]:
    """Apply the limit of a stopwatch to all queries of the block, in this thread only."""
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


def seconds_left() -> float | None:
    """Return the seconds left, or None without a limit; raise TooSlow if none are left."""
    watch = _WATCH.get()
    return watch.seconds_left() if watch else None


@contextmanager
def interrupted(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Interrupt the queries that a connection runs in the block when the time is up.

    The block then ends with TooSlow, no matter how it handles the interrupted query.
    """
    watch = _WATCH.get()
    if watch is None:
        yield
        return
    ended = Event()
    thread = Thread(target=_interrupt, args=(watch, con, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        watch.seconds_left()


def _interrupt(watch: Stopwatch, con: duckdb.DuckDBPyConnection, ended: Event) -> None:
    """Wait until the time is up; then interrupt every query until the block has ended."""
    while not ended.wait(LOOK_SECONDS):
        try:
            watch.pause()
        except TooSlow:
            con.interrupt()
