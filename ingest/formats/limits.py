"""How much is read at once, and of one file."""

from dataclasses import InitVar, dataclass, field
from os.path import getsize

from provhouse.model.errors import BadInput

BLOCK = 16 << 20
"""About how many bytes are read at once; a single row must fit."""
ROWS = 1 << 18
"""The most rows at once, however short they are."""
UNPACKED_TIMES = 300
"""How many times its size a packed file may hold, once that is more than..."""
PARQUET_TIMES = 5_000
"""The same of Parquet: texts that repeat cost nothing in the file and their length in each row."""
UNPACKED_BYTES = 256 << 20
"""...so many bytes. What is worth tracing holds names, which do not pack like that."""


@dataclass
class Unpacked:
    """What came out of one packed file so far."""

    path: str
    times: InitVar[int] = UNPACKED_TIMES
    most: int = field(init=False)
    size: int = 0

    def __post_init__(self, times: int) -> None:
        self.most = max(times * getsize(self.path), UNPACKED_BYTES)

    def add(self, size: int) -> None:
        """More came out; raises BadInput for a file that was made to be endless."""
        self.size += size
        if self.size > self.most:
            raise BadInput(
                f"{self.path} should hold at most {self.most:,} bytes, as it is so small",
                "It holds more, as files do that are made to fill a disk",
                "If all of it is meant, write it without compression or codes for texts",
            )
