"""Find the rows on the right of a semi join that satisfy its comparison with rows on the left."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from provhouse.model.arrays import I64, unique
from provhouse.model.associations import NONE

from .spread import Spread
from .tap_files import alike, tap_pieces
from .tap_partitions import KeyRuns, OrderedPartitions, TapPartitions, UsedRows, position


class ComparedRows(UsedRows):
    """The rows on the right that match rows on the left; these have a key for each compared value.

    In the order of the right side's values, they are all rows before, after or around the value.
    """

    def __init__(self, held: TapPartitions, keys: I64, aside: Path) -> None:
        """Read the tap of the left side. Raises BadInput if a key stands for two values."""
        self._asked = Spread(3, held.rows, aside)  # in as many parts as the right side
        for piece in tap_pieces(held.table.asked, 3):
            _, wanted = position(piece[0], keys)
            some = piece[:, wanted]
            self._asked.add(some[1], list(some))
        super().__init__(held, keys)

    def _found(self) -> Iterator[KeyRuns]:
        table = self._held.table
        for part, asked in zip(self._held.ordered(), self._asked.parts(), strict=True):
            key, partition, value = _distinct(asked, table.by)
            number, here = position(partition, unique(part.rows[table.partition]))
            at, _ = position(key[here], self._keys)
            runs = _matches(part, part.rows[table.order], number, value[here])
            yield KeyRuns(at, tuple(_nonnegative(part, runs[table.compared])), part)


def _distinct(asked: I64, by: str) -> I64:
    """Return the distinct columns of ``asked``: key, partition and value."""
    asked = asked[:, np.lexsort(asked[::-1])]
    new = np.ones(asked.shape[1], bool)
    new[1:] = (asked[:, 1:] != asked[:, :-1]).any(axis=0)
    found: I64 = asked[:, new]
    if (found[0, 1:] == found[0, :-1]).any():
        raise alike(by)
    return found


def _matches(
    part: OrderedPartitions, values: I64, number: I64, wanted: I64
) -> dict[str, list[tuple[I64, I64]]]:
    """Return, for each comparison, the runs of the rows that match wanted values in partitions."""
    every = unique(np.concatenate([np.array([NONE]), values, wanted]))
    before = number * len(every)
    places = part.number * len(every) + np.searchsorted(every, values)
    at = before + np.searchsorted(every, wanted)
    first = np.searchsorted(places, before)  # rows without a value are not in the tap
    low, high = (np.searchsorted(places, at, side) for side in ("left", "right"))
    last = part.ends[number] - part.first
    return {
        "<": [(first, low)],
        "<=": [(first, high)],
        ">": [(high, last)],
        ">=": [(low, last)],
        "<>": [(first, low), (high, last)],
    }


def _nonnegative(part: OrderedPartitions, runs: list[tuple[I64, I64]]) -> Iterator[tuple[I64, I64]]:
    for start, end in runs:
        yield part.first + start, part.first + np.maximum(start, end)
