"""The bars of one view: what they are called and where they are on an axis."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .kernels import Codes

MAX_BARS = 20_000
"""The largest number of bars of a view; more look alike on a screen."""
Kind = Literal["number", "date", "text", "grid"]


@dataclass(frozen=True)
class Axis:
    """The bars along one axis. ``labels`` has one text for each bar.

    ``edges`` has the borders of the bars of a number, one more than there are such bars, or the
    first day of each bar of a date, as days since 1970. It is None for text. ``missing`` is whether
    one more bar, the last, has the rows without a value.
    """

    column: str
    kind: Kind
    labels: list[str]
    edges: list[float] | None
    missing: bool


@dataclass(frozen=True)
class Bars:
    """The bars of a view. A grid has two axes, and a bar for each cell, row by row."""

    axes: tuple[Axis, ...]
    codes: Codes
    """The bar of each row."""

    @property
    def number(self) -> int:
        """The number of bars."""
        number = 1
        for axis in self.axes:
            number *= len(axis.labels)
        return number

    @property
    def kind(self) -> Kind:
        """The kind of the view."""
        return self.axes[0].kind if len(self.axes) == 1 else "grid"

    @property
    def labels(self) -> list[str]:
        """The label of each bar."""
        labels = self.axes[0].labels
        for axis in self.axes[1:]:
            labels = [f"{one}, {other}" for one in labels for other in axis.labels]
        return labels


def smallest(codes: NDArray[Any], bars: int) -> Codes:
    """Return codes as the smallest unsigned integers that can number ``bars`` bars."""
    kinds = (np.uint8, np.uint16, np.uint32)
    kind = next(kind for kind in kinds if bars <= 1 + np.iinfo(kind).max)
    return codes.astype(kind, copy=False)
