"""Addresses of files that RDDs read and write, and the names of their tables."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from .not_captured import refusal

_ENDINGS = (".parquet", ".csv", ".json", ".orc", ".text", ".txt")
"""File name endings that are left out of the name of a table."""


def table_of(path: Path) -> str:
    """Return the name of the table at a path: its last part, without the ending for a format."""
    name = path.name
    ending = next((each for each in _ENDINGS if name.lower().endswith(each)), "")
    return name[: len(name) - len(ending)] or name


def root(name: str) -> Path:
    """Return the folder or file that a path names. For a pattern, return the folder above it."""
    path = Path(local(name.strip())).absolute()
    pattern = (at for at, part in enumerate(path.parts) if set(part) & set("*?[{"))
    return Path(*path.parts[: next(pattern, len(path.parts))])


def local(address: str) -> str:
    """Return the path of an address; raise UsageError if the path is not on this machine."""
    parts = urlsplit(address)
    if parts.scheme not in ("", "file"):
        raise refusal(
            f"The lineage of {address} cannot be captured",
            "Rows of RDDs are named by their positions in local files",
            "Use a local or mounted folder",
        )
    return path_of(address)


def path_of(address: str) -> str:
    """Return the path of an address on any file system."""
    parts = urlsplit(address)
    return unquote(parts.path) if parts.scheme else address
