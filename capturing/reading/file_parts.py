"""The parts into which Spark has split a file of records, and the position of each part."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from provhouse.model.arrays import I64

from .tap_files import tap_files, tap_pieces


def first_positions(tap: Path, numbers: range) -> Iterator[tuple[int, int]]:
    """Yield the number of each part of a file, and the position of the part's first record.

    ``numbers`` contains the numbers of the file's parts. For each part that was read to its end,
    ``tap`` has the start, the length and the count of records. The position of a part is -1 if an
    earlier part was not read to its end. If no part was read to its end, only the first part is
    yielded, with position 0.
    """
    counted = _counted(tap, numbers)
    if not counted:
        yield numbers[0], 0
        return
    first, end = 0, 0
    for number in sorted(counted):
        one, *others = counted[number]
        if others or one[0] != end:
            first = -1
        yield number, first
        first = first + one[2] if first >= 0 else -1
        end = one[0] + one[1]


def _counted(tap: Path, numbers: range) -> dict[int, set[tuple[int, int, int]]]:
    found = defaultdict[int, set[tuple[int, int, int]]](set)
    if not tap_files(tap):
        return found
    rows: I64 = np.concatenate(list(tap_pieces(tap, 4)), 1)
    for number, *facts in rows.T.tolist():
        if number in numbers:
            found[number].add(tuple(facts))
    return found
