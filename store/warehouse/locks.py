"""Who may write and what may not be pruned: locks that fall with the process that holds them."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from provhouse.model.errors import Busy, Unavailable
from provhouse.runtime.files import lock, make_folder, open_lock

from .layout import Layout

_handles: dict[Path, int] = {}
"""The lock of each warehouse that this process writes to."""


@contextmanager
def locked(layout: Layout) -> Iterator[None]:
    """Be the one writer; raises Busy, naming who writes and since when, if there is another."""
    make_folder(layout.root)
    try:
        handle = open_lock(layout.write_lock, 0o644)
    except OSError as error:
        raise Unavailable(
            f"The warehouse {layout.root} should be writable",
            f"It is not: {error.strerror}",
            "Change the rights of the folder, or name another with --warehouse",
        ) from error
    try:
        _take_lock(handle, layout)
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(_owner()).encode(), 0)
        _handles[layout.root] = handle
        try:
            yield
        finally:
            del _handles[layout.root]
    finally:
        os.close(handle)


def check_lock(layout: Layout) -> None:
    """Raise Busy if somebody removed the lock of this process, so that others may write.

    Nothing is to be changed then, not even to put away: it may be another's.
    """
    handle = _handles.get(layout.root)
    if handle is None:  # not by a command
        return
    with suppress(FileNotFoundError):
        if os.path.samestat(os.fstat(handle), os.stat(layout.write_lock)):
            return
    raise Busy(
        f"{layout.write_lock} should be there for as long as this command writes",
        "It was removed meanwhile, and another writer may be at work",
        "Leave the file to provhouse: the lock of a process that ended is free. Run it again",
    )


def _take_lock(handle: int, layout: Layout) -> None:
    if lock(handle):
        return
    who = os.pread(handle, 1000, 0).decode(errors="replace")
    try:
        owner = json.loads(who)
        found = f"Process {owner['process']} has been writing since {owner['since']}"
    except (ValueError, KeyError, TypeError):
        found = "Another process is writing"
    raise Busy(f"One writer at a time may change {layout.root}", found, "Wait until it is done")


def _owner() -> dict[str, object]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"process": os.getpid(), "since": now}


@contextmanager
def reading(layout: Layout, base: int) -> Iterator[None]:
    """Keep a base from being removed while it is read.

    It may have been removed before: whoever looks for its commit record after this knows.
    """
    try:
        handle = os.open(layout.base(base), os.O_RDONLY)
    except OSError:  # whoever reads it will say what is wrong
        yield
        return
    try:
        lock(handle, shared=True, wait=True)
        yield
    finally:
        os.close(handle)


@contextmanager
def exclusive(layout: Layout, base: int) -> Iterator[bool]:
    """Whether nobody reads a base; nobody begins to for the length of the block then."""
    handle = os.open(layout.base(base), os.O_RDONLY)
    try:
        yield lock(handle)
    finally:
        os.close(handle)
