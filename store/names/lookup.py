"""Look-ups: files with the hashes of names, and the number that each stands for."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from provhouse.model.arrays import U64

Offsets = npt.NDArray[np.uint32]


def write_lookup(folder: Path, ingest: int, hashed: U64, offsets: Offsets) -> None:
    """Write the look-up from names to numbers of one ingest; ``hashed`` need not be sorted."""
    order = np.argsort(hashed, kind="stable")
    first, second = lookup_files(folder, ingest)
    np.save(first, hashed[order])
    np.save(second, offsets[order])


def lookup_files(folder: Path, ingest: int) -> tuple[Path, Path]:
    """The files of the look-up as an ingest writes it: hashes, and offsets."""
    return folder / f"{ingest:08d}.hash.npy", folder / f"{ingest:08d}.offset.npy"


def read_lookup(folder: Path, ingest: int) -> tuple[U64, Offsets]:
    """The sorted hashes of the names of one ingest, and the offset of each; both are mapped."""
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
        except FileNotFoundError:  # an erasure has come between
            if not (folder / joined_file(ingest)).exists():
                raise


def joined_file(ingest: int) -> str:
    """The file name of a look-up from which entries were taken: hashes, then pairs of offsets."""
    return f"{ingest:08d}.both.npy"
