"""The cube of the view that is being brushed, under the brushes of all other views.

While one brush moves, the others stay. So when the brush begins, one pass over the rows counts each
combination of a bar of the active view and a bar of another view; all later positions of the brush
only add up bars (Falcon: Moritz, Howe and Heer, CHI 2019).
"""

from collections.abc import Sequence

import numpy as np

from .coded_rows import Brushes, CodedRows, Mask
from .cube_kernels import Ints
from .pair_cubes import add_up


class ActiveCube:
    """The totals of some views for each bar of the active view, under all other views' brushes."""

    def __init__(
        self, rows: CodedRows, active: int, targets: Sequence[int], brushes: Brushes
    ) -> None:
        self._active = active
        self._others = _without(brushes, active)
        cubes = rows.tally([(active, target) for target in targets], self._others)
        self._cubes = dict(zip(targets, cubes, strict=True))

    def answers(self, active: int, targets: Sequence[int], brushes: Brushes) -> bool:
        """Return whether the cube has ``targets``, and only the brush of ``active`` has changed."""
        others = _without(brushes, active)
        return (
            active == self._active
            and self._cubes.keys() >= set(targets)
            and others.keys() == self._others.keys()
            and all(np.array_equal(mask, self._others[view]) for view, mask in others.items())
        )

    def answer(self, target: int, mask: Mask) -> Ints:
        """Return the totals of a view, given the brush of the active view."""
        return add_up(self._cubes[target], mask)


def _without(brushes: Brushes, active: int) -> dict[int, Mask]:
    return {view: mask.copy() for view, mask in brushes.items() if view != active}
