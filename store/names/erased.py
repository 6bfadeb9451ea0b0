"""Find the items of a base whose names were erased."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import Bools, Column, ItemNumbers
from provhouse.runtime.storage import FileMark, file_mark, load_array

ERASED = "erased.npy"
Mark = FileMark


def erased_mark(folder: Path) -> Mark:
    """Return a value that changes with every erasure in a base; None before the first erasure."""
    return file_mark(folder / ERASED)


def erased_in(folder: Path) -> ItemNumbers:
    """Return the numbers of all erased items of a base, in order."""
    try:
        return ItemNumbers(load_array(folder / ERASED))
    except FileNotFoundError:
        return ItemNumbers(np.empty(0, np.int64))


def without_names(names: Column, gone: Bools) -> pa.Array:
    """Return the names with null in place of the erased names, which the mask ``gone`` marks."""
    return pc.if_else(pa.array(gone), pa.scalar(None, pa.string()), names)
