"""Paths of files as Spark's readers take them, and as its columns have them."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit


def spark_path(path: Path) -> str:
    """Return a path as Spark's readers take it, which otherwise look for patterns in it."""
    return re.sub(r"([\\*?{}\[\]])", r"\\\1", str(path.absolute()))


def path_of(address: str) -> Path:
    """Return the path of a local address."""
    return Path(unquote(urlsplit(address).path))


def address_of(address: str) -> str:
    """Return the path of a file as the column ``_metadata.file_path`` has it, with one slash."""
    return address.replace("file:///", "file:/", 1)
