"""The rows of a table as codes and measures. One pass totals all rows, or only the given rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import cube_kernels as kernels
from .cube_kernels import Codes, Ints
from .threads import at_once, blocks, parts

Mask = NDArray[np.bool_]
"""For each bar of a view, whether the bar is brushed."""
Brushes = Mapping[int, Mask]
"""The mask of bars for each brushed view. The keys are the views' numbers."""
MAX_VIEWS = 16
"""The maximum number of views: each view has one bit in the elements of ``kernels.Fails``."""


@dataclass(frozen=True)
class CodedRows:
    """The code of each row in each view, and the arrays of values to add up."""

    codes: Sequence[Codes]
    bars: Sequence[int]
    """The number of bars of each view."""
    values: Sequence[Ints]

    @property
    def number(self) -> int:
        """The number of rows."""
        return int(self.codes[0].size)

    @property
    def width(self) -> int:
        """The number of totals per bar: one row count, and one sum per value array."""
        return 1 + len(self.values)

    @property
    def size(self) -> int:
        """The size of all arrays in bytes."""
        return sum(array.nbytes for array in (*self.codes, *self.values))

    def tally(
        self,
        targets: Sequence[tuple[int, ...]],
        brushes: Brushes,
        positions: NDArray[Any] | None = None,
    ) -> list[Ints]:
        """Return the totals of each target, under the brushes of all views outside the target.

        A target is a view, or several views whose combinations of bars are counted. The totals of a
        target have the shape (width, bars of its first view, bars of its next view, ...). If
        ``positions`` is given, only the rows at these positions are read.
        """
        number = self.number if positions is None else positions.size
        found = at_once(
            lambda part: self._tally_part(part, targets, brushes, positions), parts(number)
        )
        return [sum(one[1:], start=one[0]) for one in zip(*found, strict=True)]

    def _tally_part(
        self,
        part: tuple[int, int],
        targets: Sequence[tuple[int, ...]],
        brushes: Brushes,
        positions: NDArray[Any] | None,
    ) -> list[Ints]:
        shapes = [tuple(self.bars[view] for view in target) for target in targets]
        totals = [np.zeros((self.width, prod(shape)), np.int64) for shape in shapes]
        failing = {view: _failing(view, mask) for view, mask in brushes.items()}
        for block in blocks(*part):
            here: Any = block if positions is None else positions[block]
            fails = np.zeros(block.stop - block.start, np.uint16)
            for view, bits in failing.items():
                kernels.mark(self.codes[view][here], bits, fails)
            for target, total in zip(targets, totals, strict=True):
                keys, own = self._keys(target, here), sum(1 << view for view in target)
                kernels.count(keys, fails, own, total[0])
                for value, out in zip(self.values, total[1:], strict=True):
                    kernels.add(keys, fails, own, value[here], out)
        return [
            total.reshape(self.width, *shape) for total, shape in zip(totals, shapes, strict=True)
        ]

    def _keys(self, target: tuple[int, ...], here: Any) -> Codes:
        if len(target) == 1:
            alone: Codes = self.codes[target[0]][here]
            return alone
        keys: Codes = self.codes[target[0]][here].astype(np.uint32)
        for view in target[1:]:
            kernels.extend(keys, self.codes[view][here], self.bars[view])
        return keys

    def selected(self, brushes: Brushes, limit: int) -> NDArray[np.int64]:
        """Return the positions of the first ``limit`` rows that pass all brushes."""
        found: list[NDArray[np.int64]] = []
        failing = {view: _failing(view, mask) for view, mask in brushes.items()}
        number = 0
        for block in blocks(0, self.number):
            fails = np.zeros(block.stop - block.start, np.uint16)
            for view, bits in failing.items():
                kernels.mark(self.codes[view][block], bits, fails)
            found.append(np.flatnonzero(fails == 0) + block.start)
            number += found[-1].size
            if number >= limit:
                break
        return np.concatenate([np.empty(0, np.int64), *found])[:limit]


def _failing(view: int, mask: Mask) -> kernels.Fails:
    """Return, for each bar of a view, the view's bit if the brush excludes the bar, else 0."""
    return np.where(mask, 0, 1 << view).astype(np.uint16)
