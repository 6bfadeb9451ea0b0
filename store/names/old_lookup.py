"""Read the look-up files of commit records before format 10, which contain complete hashes.

``INGEST.hash.npy`` has the sorted hashes, and ``INGEST.offset.npy`` the offsets of their items. An
erasure by an earlier release has replaced them with ``INGEST.both.npy``: the hashes, then the
offsets, two in each 64-bit number.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from provhouse.model.arrays import I64, U64, Bools
from provhouse.runtime.storage import open_array

AT_ONCE = 1 << 20
"""The number of entries that are read at once."""


class OldLookup:
    """Sorted hashes with the offsets of their items; it has the methods of ``Lookup``."""

    def __init__(self, hashed: U64, offsets: npt.NDArray[np.uint32]) -> None:
        if len(hashed) != len(offsets):
            raise ValueError(f"A look-up has {len(hashed):,} hashes and {len(offsets):,} offsets")
        self._hashed, self._offsets = hashed, offsets

    def __len__(self) -> int:
        return len(self._hashed)

    def search(self, wanted: U64) -> I64:
        """Return for each hash the position of the first entry that it may have."""
        return np.searchsorted(self._hashed, wanted)

    def matches(self, at: I64, wanted: U64) -> Bools:
        """Return whether the entry at each position has the hash."""
        found: Bools = at < len(self)
        found[found] = self._hashed[at[found]] == wanted[found]
        return found

    def offsets(self, at: I64 | slice = slice(None)) -> I64:
        """Return the offsets of the items of these entries."""
        return self._offsets[at].astype(np.int64)

    def pairs(self) -> Iterator[tuple[U64, I64]]:
        """Yield the hashes and the offsets, in parts."""
        for start in range(0, len(self), AT_ONCE):
            place = slice(start, start + AT_ONCE)
            yield self._hashed[place], self.offsets(place)

    def shares(self, ordered: U64) -> bool:
        """Return whether an entry has one of the hashes, which are in order."""
        at = np.minimum(np.searchsorted(ordered, self._hashed), len(ordered) - 1)
        return bool((ordered[at] == self._hashed).any())


def old_lookup_files(folder: Path, ingest: int) -> tuple[Path, Path, Path]:
    """Return the paths of the files of an old look-up: both in one, hashes, and offsets."""
    both, hashed, offsets = (
        folder / f"{ingest:08d}.{kind}.npy" for kind in ("both", "hash", "offset")
    )
    return both, hashed, offsets


def read_old_lookup(folder: Path, ingest: int) -> OldLookup:
    """Return an old look-up, memory-mapped; raise FileNotFoundError if there is none."""
    joined, first, second = old_lookup_files(folder, ingest)
    with suppress(FileNotFoundError):
        both = open_array(joined)
        count = 2 * len(both) // 3  # n offsets take n / 2 numbers
        return OldLookup(both[:count], both[count:].view(np.uint32)[:count])
    return OldLookup(open_array(first), open_array(second))
