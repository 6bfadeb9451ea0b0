"""Write files either completely or not at all, and lock files against other processes."""

import fcntl
import os
import re
import resource
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from provhouse.model.errors import Unavailable

NO_SPACE = ("No space left on device", "Disk quota exceeded")
"""Strings that the system's messages about a full disk contain."""


def _nothing() -> None:
    pass


def write_new(
    path: Path, content: bytes, *, mode: int = 0o644, before: Callable[[], None] = _nothing
) -> bool:
    """Write a file that appears complete or not at all, and never replace an existing file.

    Call ``before`` when the content is on disk, just before the file appears. Return False if the
    file exists, or if another process removed the temporary file in between.
    """
    return _write(path, content, mode, before, os.link)


def write_over(
    path: Path, content: bytes, *, mode: int = 0o644, before: Callable[[], None] = _nothing
) -> bool:
    """Write or replace a file atomically, so that a reader never sees part of it.

    Call ``before`` when the content is on disk, just before the file is replaced. Return False if
    another process removed the temporary file in between.
    """
    return _write(path, content, mode, before, os.replace)


def _write(
    path: Path,
    content: bytes,
    mode: int,
    before: Callable[[], None],
    publish: Callable[[Path, Path], None],
) -> bool:
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    # O_EXCL: never write through a file or link that another program put at this path.
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(handle)
        before()
        publish(aside, path)
    except (FileExistsError, FileNotFoundError):
        return False
    finally:
        aside.unlink(missing_ok=True)
    sync_folder(path.parent)
    return True


def left_aside(folder: Path, names: str) -> list[Path]:
    """Return the temporary files of unfinished or interrupted writes.

    ``names`` is a pattern that matches the final names of the files being written.
    """
    ours = re.compile(rf"\.({names})\.[0-9a-f]{{8}}")
    return [file for file in folder.iterdir() if ours.fullmatch(file.name)]


def sync_folder(folder: Path) -> None:
    """Wait until the names of the files in a folder have been written to disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_file(path: Path) -> None:
    """Wait until the content of a file has been written to disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def make_folder(folder: Path) -> None:
    """Make a folder of a warehouse and its parents if they are missing.

    Raises Unavailable if a folder cannot be made.
    """
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            sync_folder(folder.parent)
    except OSError as error:
        raise Unavailable(
            f"Cannot make the folder {folder}",
            error.strerror or str(error),
            "Change its permissions, or choose another warehouse with --warehouse or "
            "PROVHOUSE_WAREHOUSE",
        ) from error


def allow_open_files(count: int) -> int:
    """Raise this process's soft limit on open files to ``count`` if it is lower; return the limit.

    The new limit does not exceed the hard limit.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft == resource.RLIM_INFINITY:
        return count
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(soft, wanted)


def open_lock(file: Path, mode: int = 0o600) -> int:
    """Open a lock file, creating it if it is missing; return its descriptor."""
    return os.open(file, os.O_RDWR | os.O_CREAT, mode)


def lock(handle: int, *, shared: bool = False, wait: bool = False) -> bool:
    """Lock an open file or folder until the descriptor is closed; return False if already locked.

    With ``wait``, wait until the lock is free. The system releases the locks of a process that
    ends.
    """
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(handle, kind if wait else kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def exclusive(
    file: Path, *, mode: int = 0o600, waiting: Callable[[], None] = _nothing
) -> Iterator[None]:
    """Lock a file exclusively for the length of the block; create the file if it is missing.

    If another process has the lock, call ``waiting`` one time, then block until the lock is free.
    """
    handle = open_lock(file, mode)
    try:
        if not lock(handle):
            waiting()
            lock(handle, wait=True)
        yield
    finally:
        os.close(handle)
