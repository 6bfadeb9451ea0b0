"""Open compressed or plain input files, as bytes or text."""

import io
import shlex
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from provhouse.model.errors import BadInput

from . import limits
from .known_formats import codec_of


def opened(path: str) -> tuple[pa.NativeFile, pa.OSFile]:
    """Return a stream of uncompressed bytes, and the raw file, whose position shows the progress.

    Reading raises OSError at the end of a truncated file, and BadInput if the content is too large.
    """
    raw = pa.OSFile(path)
    codec = codec_of(path)
    if not codec:
        return raw, raw
    return pa.PythonFile(_Unpacking(pa.CompressedInputStream(raw, codec), path), "r"), raw


def check_encoding(path: str) -> None:
    """Raise BadInput if a text file begins with the byte order mark of UTF-16."""
    try:
        with opened(path)[0] as stream:
            start = stream.read(2)
    except (pa.ArrowException, OSError, EOFError):  # reported with its place when the rows are read
        return
    if start in (b"\xff\xfe", b"\xfe\xff"):
        raise BadInput(
            f"{path} is not UTF-8",
            "It begins with the byte order mark of UTF-16",
            f"Convert it: iconv -f UTF-16 -t UTF-8 {shlex.quote(path)}",
        )


class _Unpacking:
    """A compressed file. Reading more bytes than ``limits.Unpacked`` allows raises BadInput."""

    closed = False

    def __init__(self, stream: pa.NativeFile, path: str) -> None:
        self._stream = stream
        self._unpacked = limits.Unpacked(path)

    def read(self, size: int) -> bytes:
        piece: bytes = self._stream.read(size)
        self._unpacked.add(len(piece))
        return piece

    def close(self) -> None:
        self.closed = True
        self._stream.close()


@contextmanager
def text_lines(path: str) -> Iterator[Iterator[str]]:
    """Open a file as lines with their line ends, for Python's own CSV reader.

    Bytes that are not UTF-8 become surrogates, so that encoding such a line again raises
    UnicodeError. Raises ValueError if a line is longer than the limit for a row.
    """
    text = io.TextIOWrapper(opened(path)[0], "utf-8-sig", errors="surrogateescape", newline="")
    with text:
        yield _bounded(text)


def _bounded(text: io.TextIOWrapper) -> Iterator[str]:
    while line := text.readline(limits.BLOCK):
        if len(line) == limits.BLOCK:
            raise ValueError(f"A row is longer than {limits.BLOCK:,} characters")
        yield line
