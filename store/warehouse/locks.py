"""Locks for the single writer and for readers; the system releases them when a process ends."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep

from provhouse.model.errors import Busy, Unavailable
from provhouse.model.progress import Progress
from provhouse.runtime.files import lock, make_folder, open_lock

from .at_address import publishing
from .layout import Layout

_PAUSE = 0.2
"""The number of seconds between two attempts to take a lock."""
_handles: dict[Path, int] = {}
"""The descriptors of the write locks that this process has taken, by warehouse folder.

The dictionary is global because a lock belongs to the entire process, and because the functions
that check the lock deep inside a write only have the warehouse's ``Layout``.
"""


@contextmanager
def locked(
    layout: Layout, wait_seconds: float = 0, progress: Progress | None = None
) -> Iterator[None]:
    """Be the single writer of a warehouse for the duration of the block.

    After the block, publish the changes of a warehouse at an address. Raises Busy if another
    process is still writing after ``wait_seconds``; the message names that process and the time
    when it began to write. Raises Unavailable if the folder is not writable.
    """
    with publishing(layout.root, wait_seconds, progress), _locked(layout, wait_seconds, progress):
        yield


@contextmanager
def _locked(layout: Layout, wait_seconds: float, progress: Progress | None) -> Iterator[None]:
    """Have the lock of a folder for the duration of the block."""
    make_folder(layout.root)
    try:
        handle = open_lock(layout.write_lock, 0o644)
    except OSError as error:
        raise Unavailable(
            f"Cannot write to the warehouse {layout.root}",
            str(error.strerror),
            "Change the folder's permissions, or choose another warehouse with --warehouse",
        ) from error
    try:
        _take_lock(handle, layout, wait_seconds, progress)
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
    """Raise Busy if the lock file was removed, because another process may then be writing.

    After this error, the caller must not change anything, not even to clean up, because the files
    may belong to another writer.
    """
    handle = _handles.get(layout.root)
    if handle is None:  # no lock was taken, as in tests
        return
    with suppress(FileNotFoundError):
        if os.path.samestat(os.fstat(handle), os.stat(layout.write_lock)):
            return
    raise Busy(
        f"The lock file {layout.write_lock} was removed while this command was writing",
        "Another process may be writing",
        "Run the command again, and never remove the file: the system frees the lock of a process "
        "that ends",
    )


def _take_lock(handle: int, layout: Layout, wait_seconds: float, progress: Progress | None) -> None:
    if lock(handle):
        return
    if progress and wait_seconds:
        progress.begin("Wait for another writer")
    until = monotonic() + wait_seconds
    while (left := until - monotonic()) > 0:
        sleep(min(left, _PAUSE))
        if lock(handle):
            return
    who = os.pread(handle, 1000, 0).decode(errors="replace")
    try:
        owner = json.loads(who)
        found = f"Process {owner['process']} has been writing since {owner['since']}"
    except (ValueError, KeyError, TypeError):
        found = "Another process is writing"
    remedy = "Run the command again with --wait SECONDS"
    raise Busy(f"Cannot write to {layout.root} now", found, remedy)


def _owner() -> dict[str, object]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"process": os.getpid(), "since": now}


@contextmanager
def reading(layout: Layout, base: int) -> Iterator[None]:
    """Keep a base from being removed while it is read.

    The base may already have been removed. To find out, read the commit record of the generation
    again inside the block.
    """
    try:
        handle = os.open(layout.base(base), os.O_RDONLY)
    except OSError:  # reading its files reports the error
        yield
        return
    try:
        lock(handle, shared=True, wait=True)
        yield
    finally:
        os.close(handle)


@contextmanager
def no_readers(layout: Layout, base: int) -> Iterator[bool]:
    """Yield whether no process is reading a base.

    If so, no process can begin to read the base during the block.
    """
    handle = os.open(layout.base(base), os.O_RDONLY)
    try:
        yield lock(handle)
    finally:
        os.close(handle)
