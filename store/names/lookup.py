"""Write and read look-up files, which map hashes of names to the items of an ingest."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from provhouse.model.arrays import U64
from provhouse.runtime.storage import create_array, file_mark, open_array

from .pair_sort import Pairs, count

Offsets = npt.NDArray[np.uint32]


def write_lookup(folder: Path, ingest: int, pairs: Pairs) -> None:
    """Write the look-up files of one ingest; ``pairs`` returns hashes and offsets in parts.

    The hashes within a part may be in any order, but all of them are higher than the hashes of the
    previous part. Only one part at a time is in memory.
    """
    first, second = lookup_files(folder, ingest)
    total, at = count(pairs), 0
    hashes, offsets = (
        create_array(path, dtype, (total,))
        for path, dtype in ((first, np.uint64), (second, np.uint32))
    )
    for hashed, of_hashed in pairs():
        order, place = np.argsort(hashed, kind="stable"), slice(at, at + len(hashed))
        hashes[place], offsets[place] = hashed[order], of_hashed[order]
        at = place.stop


def lookup_files(folder: Path, ingest: int) -> tuple[Path, Path]:
    """Return the paths of the two files that an ingest writes as a look-up: hashes and offsets."""
    return folder / f"{ingest:08d}.hash.npy", folder / f"{ingest:08d}.offset.npy"


def read_lookup(folder: Path, ingest: int) -> tuple[U64, Offsets]:
    """Return the sorted hashes of the names of one ingest, and for each the offset of its item.

    An offset counts from the ingest's first item. Both arrays are memory-mapped.
    """
    while True:
        with suppress(FileNotFoundError):
            both = open_array(folder / joined_file(ingest))
            count = 2 * len(both) // 3  # n offsets take n / 2 numbers
            return both[:count], both[count:].view(np.uint32)[:count]
        try:
            hashed, offsets = (open_array(path) for path in lookup_files(folder, ingest))
            return hashed, offsets
        except FileNotFoundError:  # an erasure may just have replaced both files
            if file_mark(folder / joined_file(ingest)) is None:
                raise


def read_hashes(folder: Path, ingest: int) -> U64:
    """Return the hashes that ``read_lookup`` returns. Usually opens one fewer file."""
    first, _ = lookup_files(folder, ingest)
    try:
        return open_array(first)
    except FileNotFoundError:
        return read_lookup(folder, ingest)[0]


def joined_file(ingest: int) -> str:
    """Return the name of the file that contains an ingest's entire look-up after an erasure.

    The file contains the hashes, then the offsets, two offsets in each 64-bit number.
    """
    return f"{ingest:08d}.both.npy"
