"""Files opened as bytes or as text, whatever they are compressed with."""

import io
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from . import limits
from .registry import codec_of


def opened(path: str) -> tuple[pa.NativeFile, pa.OSFile]:
    """The bytes of a file, unpacked, and as they are, to tell how far it is read.

    One that is cut off raises OSError at its end, one that holds far too much BadInput.
    """
    raw = pa.OSFile(path)
    codec = codec_of(path)
    if not codec:
        return raw, raw
    return pa.PythonFile(_Unpacking(pa.CompressedInputStream(raw, codec), path), "r"), raw


class _Unpacking:
    """A packed file, read until it holds more than any should."""

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
    """The lines of a file with their ends, for Python's own reader of CSV.

    What is no UTF-8 becomes surrogates, which can't be encoded again. Raises ValueError for a line
    that is longer than any row may be.
    """
    text = io.TextIOWrapper(opened(path)[0], "utf-8-sig", errors="surrogateescape", newline="")
    with text:
        yield _bounded(text)


def _bounded(text: io.TextIOWrapper) -> Iterator[str]:
    while line := text.readline(limits.BLOCK):
        if len(line) == limits.BLOCK:
            raise ValueError(f"A row takes more than {limits.BLOCK:,} characters")
        yield line
