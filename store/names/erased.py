"""Find the items of a base whose names were erased."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import Bools, Column, ItemNumbers

ERASED = "erased.npy"
Mark = tuple[int, int, int] | None


def erased_mark(folder: Path) -> Mark:
    """Return a value that changes with every erasure in a base; None before the first erasure."""
    try:
        found = (folder / ERASED).stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def erased_in(folder: Path) -> ItemNumbers:
    """Return the numbers of all erased items of a base, in order."""
    try:
        return ItemNumbers(np.load(folder / ERASED))
    except FileNotFoundError:
        return ItemNumbers(np.empty(0, np.int64))


def without_names(names: Column, gone: Bools) -> pa.Array:
    """Return the names with null in place of the erased names, which ``gone`` marks."""
    return pc.if_else(pa.array(gone), pa.scalar(None, pa.string()), names)
