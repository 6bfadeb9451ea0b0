"""Files that appear whole or not at all, and locks that the system frees when their holder dies."""

import fcntl
import os
import re
import secrets
from collections.abc import Callable
from pathlib import Path

from provhouse.model.errors import Unavailable


def _nothing() -> None:
    pass


def write_new(
    path: Path, content: bytes, *, mode: int = 0o644, before: Callable[[], None] = _nothing
) -> bool:
    """Write a file that appears whole or not at all and never replaces one that exists.

    Call ``before`` once the content is on disk, just before the file appears. Return False if the
    file exists, or if another process removed the temporary file in between.
    """
    return _write(path, content, mode, before, os.link)


def write_over(
    path: Path, content: bytes, *, mode: int = 0o644, before: Callable[[], None] = _nothing
) -> bool:
    """Replace a file as a whole, so that a reader never sees half of it; see ``write_new``.

    Return False if another process removed the temporary file in between.
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
    try:
        # O_EXCL: a file or link that somebody else put there first is not written through.
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
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
    """Return the temporary files that killed writers left for files whose names match a pattern."""
    ours = re.compile(rf"\.({names})\.[0-9a-f]{{8}}")
    return [file for file in folder.iterdir() if ours.fullmatch(file.name)]


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_file(path: Path) -> None:
    """Wait until the content of a file is on disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def make_folder(folder: Path) -> None:
    """Make a folder and its parents, if they are missing; raise Unavailable if that fails."""
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            sync_folder(folder.parent)
    except OSError as error:
        raise Unavailable(
            f"A folder to write to should be at {folder}",
            f"It cannot be made: {error.strerror}",
            "Name another warehouse with --warehouse or PROVHOUSE_WAREHOUSE",
        ) from error


def open_lock(file: Path, mode: int = 0o600) -> int:
    """Open a lock file, made if it is missing; return its descriptor."""
    return os.open(file, os.O_RDWR | os.O_CREAT, mode)


def lock(handle: int, *, shared: bool = False, wait: bool = False) -> bool:
    """Lock an open file or folder until the descriptor is closed; return whether that worked.

    With ``wait``, block until it does. A killed process frees its locks.
    """
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(handle, kind if wait else kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
