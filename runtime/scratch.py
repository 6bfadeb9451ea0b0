"""Folders for temporary files, which go even where their process was killed."""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from .files import lock, open_lock

PREFIX, IN_USE = "provhouse-", ".in-use"
DEFECT = f"{PREFIX}defect-"
"""How a traceback is called that found no place among the logs."""


def scratch(use: str) -> "tempfile.TemporaryDirectory[str]":
    """A folder that is known to be in use while this process lives; those of dead ones go."""
    clear_abandoned()
    folder = tempfile.TemporaryDirectory(prefix=f"{PREFIX}{use}-")
    aside = Path(folder.name) / "taken"
    lock(open_lock(aside))  # for as long as this process lives
    aside.rename(aside.with_name(IN_USE))  # nobody finds it before it is locked
    return folder


def clear_abandoned() -> None:
    """Remove the folders of processes that were killed, whatever their use."""
    for in_use in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{IN_USE}"):
        with suppress(OSError):  # somebody else's
            handle = os.open(in_use, os.O_RDWR)  # never made: its process may just remove it
            try:
                if lock(handle):
                    shutil.rmtree(in_use.parent, ignore_errors=True)
            finally:
                os.close(handle)


def clear_defects() -> None:
    """Remove tracebacks that found no place among the logs."""
    for file in Path(tempfile.gettempdir()).glob(f"{DEFECT}*.txt"):
        with suppress(OSError):  # somebody else's
            file.unlink()
