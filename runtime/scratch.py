"""Make temporary folders, and remove the temporary folders of killed processes."""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from .files import lock, open_lock

PREFIX, IN_USE = "provhouse-", ".in-use"
DEFECT = f"{PREFIX}defect-"
"""The prefix of traceback files in the system's temporary folder.

A traceback is written there if it cannot be written to a warehouse's logs.
"""


def scratch(use: str) -> "tempfile.TemporaryDirectory[str]":
    """Make a temporary folder, which is locked while this process runs.

    Also remove the temporary folders of processes that were killed.
    """
    clear_abandoned()
    folder = tempfile.TemporaryDirectory(prefix=f"{PREFIX}{use}-")
    aside = Path(folder.name) / "taken"
    lock(open_lock(aside))  # for as long as this process lives
    aside.rename(aside.with_name(IN_USE))  # clear_abandoned finds the file only now, locked
    return folder


def clear_abandoned() -> None:
    """Remove the temporary folders of all processes that were killed."""
    for in_use in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{IN_USE}"):
        with suppress(OSError):  # a folder of another user
            handle = os.open(
                in_use, os.O_RDWR
            )  # without O_CREAT: its process may just have removed it
            try:
                if lock(handle):
                    shutil.rmtree(in_use.parent, ignore_errors=True)
            finally:
                os.close(handle)


def clear_defects() -> None:
    """Remove the traceback files that commands have written to the system's temporary folder."""
    for file in Path(tempfile.gettempdir()).glob(f"{DEFECT}*.txt"):
        with suppress(OSError):  # a file of another user
            file.unlink()
