"""Limit how much is read at once, and how much a compressed file may contain."""

from dataclasses import InitVar, dataclass, field
from os.path import getsize

from provhouse.model.errors import BadInput

BLOCK = 16 << 20
"""The approximate number of bytes that are read at once. A single row must not be larger."""
ROWS = 1 << 18
"""The largest number of rows that are read at once."""
UNPACKED_TIMES = 300
"""A compressed text file may expand to this many times its size, or to ``UNPACKED_BYTES`` if more.

Files with real names do not compress that well.
"""
PARQUET_TIMES = 5_000
"""A Parquet file may expand to this many times its size.

The limit is higher than for text, because Parquet stores a repeated string only once.
"""
UNPACKED_BYTES = 256 << 20
"""The number of bytes that any compressed file may expand to, however small the file is."""


@dataclass
class Unpacked:
    """Counts the uncompressed bytes that have been read from one compressed file."""

    path: str
    times: InitVar[int] = UNPACKED_TIMES
    most: int = field(init=False)
    size: int = 0

    def __post_init__(self, times: int) -> None:
        self.most = max(times * getsize(self.path), UNPACKED_BYTES)

    def add(self, size: int) -> None:
        """Count more bytes; raise BadInput above the limit, to stop files made to fill a disk."""
        self.size += size
        if self.size > self.most:
            raise BadInput(
                f"{self.path} expands to more than {self.most:,} bytes",
                "A file of this size that expands so far is usually made to fill a disk",
                "If the content is real, write it without compression or dictionaries",
            )
