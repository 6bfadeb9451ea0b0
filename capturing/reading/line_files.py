"""The bytes of files of lines, including compressed files."""

import bz2
import gzip
import zlib
from collections.abc import Callable
from pathlib import Path

_OPENED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".deflate": zlib.decompress,
}
_UNKNOWN = (".snappy", ".lz4", ".zst", ".zstd", ".xz")


def content_of(path: Path) -> bytes | None:
    """Return the bytes of a file's lines, or None if its compression is not supported."""
    if path.suffix in _UNKNOWN:
        return None
    return _OPENED.get(path.suffix, bytes)(path.read_bytes())


def is_blank_in(data: bytes) -> bool:
    """Return whether any of the lines is blank."""
    return data.startswith(b"\n") or b"\n\n" in data


def has_blank_line(path: Path) -> bool:
    """Return whether a file has a blank line, or cannot be read."""
    data = content_of(path)
    return data is None or is_blank_in(data)
