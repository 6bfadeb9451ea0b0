"""Convert strings that users enter to local paths, and raise errors for other strings."""

import os
import re
from pathlib import Path

from .errors import UsageError

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
WAREHOUSES = ("s3", "s3a", "hdfs")
"""The schemes of addresses at which a warehouse can be."""
_COMMAND = (
    ". A warehouse at an address works with the command only: `provhouse --warehouse ADDRESS`"
)


def local_path(text: str | os.PathLike[str]) -> Path:
    """Return a path; raise UsageError for an empty string and for an address such as ``s3a://x``.

    ``Path`` itself would accept both: it treats an empty string as the current folder, and an
    address as a path below the current folder.
    """
    if not str(text):
        raise UsageError(
            "A path is empty", remedy="Name a file or a folder; . is the current folder"
        )
    check_local(Path(text))
    return Path(text)


def is_address(text: str | os.PathLike[str]) -> bool:
    """Return whether a string is an address such as ``s3a://x`` and not the path of a file."""
    return bool(_ADDRESS.match(str(text))) and not Path(text).exists()


def is_warehouse_address(text: str | os.PathLike[str]) -> bool:
    """Return whether a string is an address at which a warehouse can be."""
    return str(text).startswith(tuple(f"{scheme}://" for scheme in WAREHOUSES))


def check_local(path: Path) -> None:
    """Raise UsageError if a path is an address, unless a file or folder with this name exists."""
    if is_address(path):
        scheme, _, rest = str(path).partition(":")
        raise UsageError(
            f"Cannot use {scheme}://{rest.lstrip('/')}",
            "provhouse reads and writes only local files",
            "Copy the files to a local folder or mount the storage, and name the folder"
            + (_COMMAND if scheme in WAREHOUSES else ""),
        )
