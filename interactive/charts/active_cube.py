"""The cube of the view that is being brushed, under the brushes of all other views.

While one brush moves, the others do not change. So when a brush starts to move, one pass over the
rows counts each combination of a bar of the active view and a bar of another view. At all later
positions of the brush, only these counts are added up (Falcon: Moritz, Howe and Heer, CHI 2019).
"""

from collections.abc import Sequence

import numpy as np

from .coded_rows import Brushes, CodedRows, Mask
from .cube_kernels import Ints
from .pair_cubes import add_up


class ActiveCube:
    """The totals of the views ``targets`` for each bar of the active view.

    The brushes of all other views are applied.
    """

    def __init__(
        self, rows: CodedRows, active: int, targets: Sequence[int], brushes: Brushes
    ) -> None:
        self._active = active
        self._others = _without(brushes, active)
        cubes = rows.tally([(active, target) for target in targets], self._others)
        self._cubes = dict(zip(targets, cubes, strict=True))

    def answers(self, active: int, targets: Sequence[int], brushes: Brushes) -> bool:
        """Return whether the cube has ``targets``, and the other views' brushes are unchanged."""
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
