"""Limits on what is read at once, and on what a compressed file may hold."""

from dataclasses import InitVar, dataclass, field
from os.path import getsize

from provhouse.model.errors import BadInput

BLOCK = 16 << 20
"""The approximate number of bytes read at once; a single row must fit."""
ROWS = 1 << 18
"""The most rows read at once."""
UNPACKED_TIMES = 300
"""A compressed text file may hold this many times its size, or ``UNPACKED_BYTES``."""
PARQUET_TIMES = 5_000
"""The factor for Parquet, where repeated texts take no room in the file."""
UNPACKED_BYTES = 256 << 20
"""The number of bytes that any compressed file may hold; real names do not compress that well."""


@dataclass
class Unpacked:
    """Counts the bytes that came out of one compressed file."""

    path: str
    times: InitVar[int] = UNPACKED_TIMES
    most: int = field(init=False)
    size: int = 0

    def __post_init__(self, times: int) -> None:
        self.most = max(times * getsize(self.path), UNPACKED_BYTES)

    def add(self, size: int) -> None:
        """Count more bytes; raise BadInput above the limit, as for a file made to fill the disk."""
        self.size += size
        if self.size > self.most:
            raise BadInput(
                f"{self.path} holds more than {self.most:,} bytes, uncompressed",
                "Files of its size that hold so much are made to fill a disk",
                "If the content is real, write it without compression or dictionaries",
            )
