"""Deletion vectors of Delta: the indexes of rows that are deleted although a file contains them.

A vector is a compressed bitmap, in a file beside the table's files or in Delta's log itself.
"""

import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit
from uuid import UUID

import numpy as np

from provhouse.model.arrays import I64
from provhouse.model.errors import BadInput

_MAGIC = 1681511377
_WITH_RUNS = 12347
_WITHOUT_RUNS = 12346
_FEW = 4096
"""The largest number of values that a block stores as a list, not as bits."""
_SHORT = 4
"""The number of blocks from which on a bitmap with runs contains the offsets of its blocks."""
_NAME = 20
"""The length of an encoded UUID."""
_DIGITS: Final = {
    digit: value
    for value, digit in enumerate(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    )
}


@dataclass(frozen=True)
class DeletionVector:
    """A deletion vector of a file of a table."""

    table: Path
    kind: str
    """``i`` if ``text`` is the vector itself, ``u`` for a file of the table, ``p`` for a path."""
    text: str
    offset: int
    size: int
    count: int

    @classmethod
    def of(cls, found: Mapping[str, Any], table: Path) -> "DeletionVector":
        """Return the vector with this description in Delta's log."""
        kind, text = found["storageType"], found["pathOrInlineDv"]
        return cls(
            table, kind, text, found.get("offset") or 0, found["sizeInBytes"], found["cardinality"]
        )

    def rows(self) -> I64:
        """Return the indexes of the deleted rows, in order.

        Raises BadInput if the vector is missing or damaged.
        """
        try:
            found = np.concatenate([np.empty(0, np.int64), *_bitmaps(self._bytes())])
        except (OSError, struct.error, ValueError, KeyError) as error:
            raise self._unreadable(str(error)) from error
        if len(found) != self.count:
            raise self._unreadable(f"It has {len(found)} rows instead of {self.count}")
        return found

    def _bytes(self) -> bytes:
        if self.kind == "i":
            return _decoded(self.text)[: self.size]
        with self._path().open("rb") as file:
            file.seek(self.offset)
            (size,) = struct.unpack(">i", file.read(4))
            found = file.read(size)
            (check,) = struct.unpack(">I", file.read(4))
        if size != self.size or zlib.crc32(found) != check:
            raise ValueError("Its checksum is wrong")
        return found

    def _path(self) -> Path:
        if self.kind == "p":
            return Path(unquote(urlsplit(self.text).path))
        name = UUID(bytes=_decoded(self.text[-_NAME:]))
        return self.table / self.text[:-_NAME] / f"deletion_vector_{name}.bin"

    def _unreadable(self, found: str) -> BadInput:
        return BadInput(
            f"A deletion vector of {self.table} cannot be read",
            found,
            "Run the job again, and do not run VACUUM until its block has ended",
        )


def _decoded(text: str) -> bytes:
    """Return the bytes of a text in Z85, which has five digits for four bytes."""
    found = bytearray()
    for start in range(0, len(text), 5):
        value = 0
        for digit in text[start : start + 5]:
            value = value * 85 + _DIGITS[digit]
        found += value.to_bytes(4, "big")
    return bytes(found)


def _bitmaps(data: bytes) -> Iterator[I64]:
    """Yield the numbers in a bitmap of 64-bit numbers: one of 32 bits for each value above them."""
    magic, count = struct.unpack_from("<iq", data)
    if magic != _MAGIC:
        raise ValueError(f"Its format {magic} is unknown")
    at = 12
    for _ in range(count):
        (high,) = struct.unpack_from("<i", data, at)
        at += 4
        blocks, at = _blocks(data, at)
        for key, values in blocks:
            yield (high << 32) + (key << 16) + values


def _blocks(data: bytes, at: int) -> tuple[list[tuple[int, I64]], int]:
    """Return the blocks of a bitmap of 32-bit numbers, and the position of its end."""
    (cookie,) = struct.unpack_from("<I", data, at)
    at += 4
    runs = np.empty(0, np.uint8)
    if cookie & 0xFFFF == _WITH_RUNS:
        count = (cookie >> 16) + 1
        flags = np.frombuffer(data, np.uint8, (count + 7) // 8, at)
        runs = np.unpackbits(flags, bitorder="little")
        at += len(flags)
    elif cookie == _WITHOUT_RUNS:
        (count,) = struct.unpack_from("<I", data, at)
        at += 4
    else:
        raise ValueError(f"Its bitmap {cookie} is unknown")
    heads = np.frombuffer(data, "<u2", 2 * count, at).astype(np.int64).reshape(-1, 2)
    at += 4 * count
    if not len(runs) or count >= _SHORT:
        at += 4 * count
    found = []
    for block, (key, size) in enumerate(heads.tolist()):
        values, at = _block(data, at, size + 1, runs=bool(len(runs) and runs[block]))
        found.append((key, values))
    return found, at


def _block(data: bytes, at: int, size: int, *, runs: bool) -> tuple[I64, int]:
    """Return the lower 16 bits of a block's numbers, and the position of the block's end."""
    if runs:
        (count,) = struct.unpack_from("<H", data, at)
        pairs = np.frombuffer(data, "<u2", 2 * count, at + 2).astype(np.int64).reshape(-1, 2)
        parts = [np.arange(first, first + more + 1) for first, more in pairs.tolist()]
        return np.concatenate(parts), at + 2 + 4 * count
    if size <= _FEW:
        return np.frombuffer(data, "<u2", size, at).astype(np.int64), at + 2 * size
    bits = np.unpackbits(np.frombuffer(data, np.uint8, 8192, at), bitorder="little")
    return np.flatnonzero(bits), at + 8192
