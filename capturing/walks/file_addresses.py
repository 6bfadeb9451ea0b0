"""Paths of files in the forms of Spark's readers and of its columns."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit


def spark_path(path: Path) -> str:
    """Return a path for Spark's readers, with escapes for the characters of patterns."""
    return re.sub(r"([\\*?{}\[\]])", r"\\\1", str(path.absolute()))


def path_of(address: str) -> Path:
    """Return the path of a local address."""
    return Path(unquote(urlsplit(address).path))


def address_of(address: str) -> str:
    """Return an address in the form of the column ``_metadata.file_path``, with one slash."""
    return address.replace("file:///", "file:/", 1)
