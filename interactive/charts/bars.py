"""The bars of one view: their labels and their places on an axis."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .cube_kernels import Codes

MAX_BARS = 20_000
"""The largest number of bars of a view; on a screen, more bars look alike."""
LONGEST_LIST = 200
"""The largest number of texts that a description lists."""
Kind = Literal["number", "date", "text"]


@dataclass(frozen=True)
class Axis:
    """The bars along one axis. ``labels`` has one text for each bar.

    ``edges`` has the borders of the bars of a number, one more than these bars, or the first day of
    each bar of a date, as days since 1970. It is None for text. ``missing`` is whether one more
    bar, the last, has the rows without a value.
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
    def labels(self) -> list[str]:
        """The label of each bar."""
        labels = self.axes[0].labels
        for axis in self.axes[1:]:
            labels = [f"{one}, {other}" for one in labels for other in axis.labels]
        return labels

    def described(self, chosen: Iterable[int]) -> str:
        """Return bars as text: ranges of numbers or dates, a list of texts, or both for a grid."""
        bars = sorted(set(chosen))
        if len(self.axes) == 1:
            return _described(self.axes[0], bars)
        width = len(self.axes[1].labels)
        across, up = sorted({bar // width for bar in bars}), sorted({bar % width for bar in bars})
        if len(across) * len(up) != len(bars):
            return _listed([self.labels[bar] for bar in bars])
        return f"{_described(self.axes[0], across)} and {_described(self.axes[1], up)}"


def _described(axis: Axis, bars: Sequence[int]) -> str:
    if axis.edges is None:
        return _listed([axis.labels[bar] for bar in bars])
    known = {bar for bar in bars if not axis.missing or bar < len(axis.labels) - 1}
    firsts = sorted(bar for bar in known if bar - 1 not in known)
    lasts = sorted(bar for bar in known if bar + 1 not in known)
    runs = zip(firsts, lasts, strict=True)
    texts = [_run(axis.labels[first], axis.labels[last]) for first, last in runs]
    return _listed(texts + axis.labels[-1:] * (len(known) < len(bars)))


def _run(first: str, last: str) -> str:
    """Return the labels at both ends as one range. A range's label has the form ``0 to 15``."""
    if first == last:
        return first
    return f"{first.partition(' to ')[0]} to {last.rpartition(' to ')[2]}"


def _listed(texts: Sequence[str]) -> str:
    more = ", ..." if len(texts) > LONGEST_LIST else ""
    return ", ".join(texts[:LONGEST_LIST]) + more


def smallest(codes: NDArray[Any], bars: int) -> Codes:
    """Return codes as the smallest unsigned integers that can number ``bars`` bars."""
    kinds = (np.uint8, np.uint16, np.uint32)
    kind = next(kind for kind in kinds if bars <= 1 + np.iinfo(kind).max)
    return codes.astype(kind, copy=False)
