"""Who may write and what may not be pruned: locks that fall with the process that holds them."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from provhouse.model.errors import Busy, Unavailable

from .layout import Layout
from .logbook import logged


@contextmanager
def writing(layout: Layout) -> Iterator[None]:
    """Be the one writer, and let the log say so.

    Raises Busy, naming who writes and since when, if there is another.
    """
    layout.create(layout.root)
    try:
        handle = os.open(layout.write_lock, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise Unavailable(
            f"The warehouse {layout.root} should be writable",
            f"It is not: {error.strerror}",
            "Change the rights of the folder, or name another with --warehouse",
        ) from error
    try:
        _lock(handle, layout)
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(_me()).encode(), 0)
        with logged(layout):
            yield
    finally:
        os.close(handle)


def _lock(handle: int, layout: Layout) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        who = os.pread(handle, 1000, 0).decode(errors="replace")
        try:
            held = json.loads(who)
            found = f"Process {held['process']} has been writing since {held['since']}"
        except (ValueError, KeyError, TypeError):
            found = "Another process is writing"
        raise Busy(
            f"One writer at a time may change {layout.root}", found, "Wait until it is done"
        ) from None


def _me() -> dict[str, object]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"process": os.getpid(), "since": now}


@contextmanager
def reading(layout: Layout, base: int) -> Iterator[None]:
    """Keep a base from being pruned while it is read."""
    try:
        handle = os.open(layout.base(base) / ".in-use", os.O_RDONLY | os.O_CREAT, 0o644)
    except OSError:  # a base that cannot be written to cannot be pruned either
        yield
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)
