"""Convert file paths to and from the formats that Spark uses in its readers and columns."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit


def spark_path(path: Path) -> str:
    """Return a local path for Spark's readers, with the characters of file patterns escaped.

    Without the scheme, Spark would look for the path in HDFS if that is the default file system.
    """
    return "file:" + re.sub(r"([\\*?{}\[\]])", r"\\\1", str(path.absolute()))


def path_of(address: str) -> Path:
    """Return the path in the URL of a local file."""
    return Path(unquote(urlsplit(address).path))


def address_of(address: str) -> str:
    """Return a file's URL as the column ``_metadata.file_path`` has it, with one slash."""
    return address.replace("file:///", "file:/", 1)
