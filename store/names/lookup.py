"""Look-up files: the sorted hashes of the names of one ingest, and the item of each."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from provhouse.model.arrays import U64

Offsets = npt.NDArray[np.uint32]


def write_lookup(folder: Path, ingest: int, hashed: U64, offsets: Offsets) -> None:
    """Write the look-up from names to numbers of one ingest; ``hashed`` may be in any order."""
    order = np.argsort(hashed, kind="stable")
    first, second = lookup_files(folder, ingest)
    np.save(first, hashed[order])
    np.save(second, offsets[order])


def lookup_files(folder: Path, ingest: int) -> tuple[Path, Path]:
    """Return the two files of a look-up as an ingest writes it: hashes and offsets."""
    return folder / f"{ingest:08d}.hash.npy", folder / f"{ingest:08d}.offset.npy"


def read_lookup(folder: Path, ingest: int) -> tuple[U64, Offsets]:
    """Return the sorted hashes of the names of one ingest, and the offset of each.

    An offset counts from the ingest's first item. Both arrays are memory-mapped.
    """
    while True:
        with suppress(FileNotFoundError):
            both = np.load(folder / joined_file(ingest), mmap_mode="r")
            count = 2 * len(both) // 3
            return both[:count], both[count:].view(np.uint32)[:count]
        try:
            hashed, offsets = (
                np.load(path, mmap_mode="r") for path in lookup_files(folder, ingest)
            )
            return hashed, offsets
        except FileNotFoundError:  # an erasure may have replaced both files meanwhile
            if not (folder / joined_file(ingest)).exists():
                raise


def joined_file(ingest: int) -> str:
    """Return the name of a look-up's one file after an erasure: hashes, then pairs of offsets."""
    return f"{ingest:08d}.both.npy"
