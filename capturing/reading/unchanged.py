"""Check that a source file has not changed since a job read it."""

import os
from pathlib import Path

from provhouse.model.errors import BadInput


def check_unchanged(path: Path, size: int, changed: int) -> None:
    """Raise BadInput unless a file has the given size in bytes and change time in milliseconds."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise _gone(path, str(error.strerror)) from error
    if (found.st_size, found.st_mtime_ns // 1_000_000) != (size, changed):
        raise _gone(path, "It was changed after the job planned to read it")


def _gone(path: Path, found: str) -> BadInput:
    return BadInput(
        f"The source {path} is not the file that the job read",
        found,
        "Run the job again; sources must not change until the block has ended",
    )
