"""Deletion vectors: the indexes of rows that are deleted although a file contains them.

A vector is a compressed bitmap. Delta stores it in a file beside the table's files, or in its log.
For Iceberg, which stores it in several forms, the capture itself has made the bitmap.
"""

import struct
import zlib
from base64 import b64decode, b85decode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit
from uuid import UUID

import numpy as np

from provhouse.model.arrays import I64
from provhouse.model.errors import BadInput
from provhouse.runtime.packages import Deferred

if TYPE_CHECKING:
    import pyroaring
else:
    pyroaring = Deferred("pyroaring")

_MAGIC = 1681511377
_NAME = 20
"""The length of an encoded UUID."""
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_BASE85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_FROM_Z85: Final = str.maketrans(_Z85, _BASE85)


@dataclass(frozen=True)
class DeletionVector:
    """A deletion vector of a file of a table."""

    table: Path
    kind: str
    """``i`` or ``b`` if ``text`` is the vector itself, in Z85 or Base64.

    ``u`` if it is in a file of the table, and ``p`` if it is at a path.
    """
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
            found = _rows(self._bytes())
        except (OSError, struct.error, ValueError) as error:
            raise self._unreadable(str(error)) from error
        if len(found) != self.count:
            raise self._unreadable(f"It has {len(found)} rows instead of {self.count}")
        return found

    def _bytes(self) -> bytes:
        if self.kind == "i":
            return _decoded(self.text)[: self.size]
        if self.kind == "b":
            return b64decode(self.text)
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
    """Return the bytes of a text in Z85, which has Base85's values with other digits."""
    return b85decode(text.translate(_FROM_Z85))


def _rows(data: bytes) -> I64:
    """Return the numbers in a bitmap of 64-bit numbers, whose format follows its magic number."""
    (magic,) = struct.unpack_from("<i", data)
    if magic != _MAGIC:
        raise ValueError(f"Its format {magic} is unknown")
    return np.frombuffer(pyroaring.BitMap64.deserialize(data[4:]).to_array(), np.int64)
