"""The table of files: a number for each path, which no other path ever gets.

All rows of one addition appear at the same time, after their numbers have been reserved in
``ids.json``.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64

from ..warehouse.ids import read_ids, take_file_numbers
from ..warehouse.layout import Layout
from .registry import FILES, append, read

NUMBER, PATH = FILES.schema.names


def read_files(layout: Layout) -> pa.Table:
    """Return a table of all files that have numbers, in the order of numbers.

    Raises Damaged if it cannot be read.
    """
    return read(layout, FILES)


def numbers_of(layout: Layout, paths: pa.Array) -> I64:
    """Return, for each path, the number of its file, or -1 if the file has none."""
    known = read_files(layout)
    at = pc.index_in(paths, known[PATH])
    numbers: I64 = np.asarray(pc.fill_null(known[NUMBER].take(at), -1))
    return numbers


def add_files(layout: Layout, paths: pa.Array) -> None:
    """Give numbers to the files at the given paths, which must be distinct and without numbers.

    Only the single writer may call this. Raises Busy if another writer has taken the lock.
    """
    known = read_files(layout)[NUMBER]
    last = known[-1].as_py() if len(known) else 0
    first = max(read_ids(layout).file, last + 1)  # ids.json may come from an older backup
    take_file_numbers(layout, first, len(paths))
    numbers = np.arange(first, first + len(paths))
    append(layout, FILES, pa.table({NUMBER: numbers, PATH: paths}))
