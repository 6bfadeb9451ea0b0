"""Limits for the data that is read at once, and for the expanded size of compressed files."""

from dataclasses import InitVar, dataclass, field
from os.path import getsize

from provhouse.model.errors import BadInput

BLOCK = 16 << 20
"""The approximate number of bytes that are read at once. No row may have more bytes."""
ROWS = 1 << 18
"""The largest number of rows that are read at once."""
UNPACKED_TIMES = 300
"""The largest factor by which a compressed text file may expand.

Expanding to ``UNPACKED_BYTES`` is always allowed. Files with realistic names stay below this
factor.
"""
PARQUET_TIMES = 5_000
"""The largest factor by which a Parquet file may expand.

Expanding to ``UNPACKED_BYTES`` is always allowed. The limit is higher than for text, because
Parquet stores a repeated string once.
"""
UNPACKED_BYTES = 256 << 20
"""The number of bytes to which any compressed file may expand, whatever the factor."""


@dataclass
class Unpacked:
    """A counter for the uncompressed bytes that were read from one compressed file."""

    path: str
    times: InitVar[int] = UNPACKED_TIMES
    most: int = field(init=False)
    size: int = 0

    def __post_init__(self, times: int) -> None:
        self.most = max(times * getsize(self.path), UNPACKED_BYTES)

    def add(self, size: int) -> None:
        """Count more bytes. Raise BadInput above the limit, to stop files made to fill a disk."""
        self.size += size
        if self.size > self.most:
            raise BadInput(
                f"{self.path} expands to more than {self.most:,} bytes",
                "A file that expands this much is usually meant to fill a disk",
                "If the content is real, write it without compression or dictionaries",
            )
