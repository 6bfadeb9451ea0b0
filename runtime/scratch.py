"""Folders for temporary files, which go even where their process was killed."""

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

PREFIX, IN_USE = "provhouse-", ".in-use"
DEFECT = f"{PREFIX}defect-"
"""How a traceback is called that found no place among the logs."""


def scratch(use: str) -> "tempfile.TemporaryDirectory[str]":
    """A folder that is known to be in use while this process lives; those of dead ones go."""
    clear_left()
    folder = tempfile.TemporaryDirectory(prefix=f"{PREFIX}{use}-")
    aside = Path(folder.name) / "taken"
    handle = os.open(aside, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)  # for as long as this process lives
    aside.rename(aside.with_name(IN_USE))  # nobody finds it before it is locked
    return folder


def clear_left() -> None:
    """Remove the folders of processes that were killed, whatever their use."""
    for lock in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{IN_USE}"):
        with suppress(OSError):  # somebody else's, or in use
            handle = os.open(lock, os.O_RDWR)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock.parent, ignore_errors=True)
            finally:
                os.close(handle)


def clear_defects() -> None:
    """Remove tracebacks that found no place among the logs."""
    for file in Path(tempfile.gettempdir()).glob(f"{DEFECT}*.txt"):
        with suppress(OSError):  # somebody else's
            file.unlink()
