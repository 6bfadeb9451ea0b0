"""What is read, and what comes out of it: the two ends of every reader."""

import os
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from provhouse.model.errors import BadInput

from .column_mapping import AS_NAMED, Columns
from .registry import FORMATS, codec_of

PACKED = 10
"""How many times larger packed files are taken to be, once they are read."""


@dataclass(frozen=True)
class Source:
    """One file to read and what it is."""

    path: str
    format: str
    columns: Columns = AS_NAMED
    constants: tuple[tuple[str, str], ...] = ()
    """Columns with one value for all rows, which a Delta table keeps outside of the file."""

    @property
    def bytes_unpacked(self) -> int:
        """About how many bytes it holds once it is read; provenance packs well."""
        packed = not FORMATS[self.format].compressible or codec_of(self.path)
        return os.path.getsize(self.path) * (PACKED if packed else 1)


ReportBytes = Callable[[int], None]
"""Is told how many bytes of a file are behind, as it is read."""


@dataclass(frozen=True)
class Batch:
    """Rows as they were read, and the row number of the first (from 1, the header not counted)."""

    first_row: int
    rows: pa.Table
    attributes: pa.Array
    scope: pa.Array | None = None
    """What stands in front of each row's names."""


def unreadable(place: str, kind: str, error: BaseException) -> BadInput:
    """What is raised for a file that is not what it claims to be."""
    why = next((line for line in str(error).splitlines() if line.strip()), "it is cut off")
    return BadInput(
        f"{place} should be readable {kind}",
        f"It is not: {why}",
        "Nothing was taken in; mend the file and run the command again",
    )
