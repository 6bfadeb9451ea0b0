"""The bars of one view: their labels and their positions on an axis."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .cube_kernels import Codes

MAX_BARS = 20_000
"""The largest number of bars in a view. More bars could not be distinguished on a screen."""
LONGEST_LIST = 200
"""The largest number of labels that a description lists."""
Kind = Literal["number", "date", "text"]


@dataclass(frozen=True)
class Axis:
    """The bars along one axis; ``labels`` has one string for each bar.

    For numbers, ``edges`` has the borders of the bars: one more than there are bars of numbers. For
    dates, it has the first day of each bar, in days since 1970. For strings, it is None. If
    ``missing`` is true, there is an additional last bar for the rows without a value.
    """

    column: str
    kind: Kind
    labels: list[str]
    edges: list[float] | None
    missing: bool
    others: int | None = None
    """The position of the bar for the less frequent strings, or None if there is no such bar.

    This bar may be far longer than any other bar.
    """
    below: bool = False
    """Whether the first bar has all numbers below the first border."""
    above: bool = False
    """Whether the last bar of numbers has all numbers at or above the last border."""
    log: bool = False
    """Whether the borders are on a logarithmic scale."""
    borders: tuple[float, ...] = ()
    """The borders that the user has given, if the bars are listed like strings."""


@dataclass(frozen=True)
class Bars:
    """The bars of a view.

    A grid has two axes. It has one bar for each combination of a bar of the first axis and a bar of
    the second.
    """

    axes: tuple[Axis, ...]
    codes: Codes
    """For each row of the table, the position of its bar."""

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
        """Describe the chosen bars: by ranges of numbers or dates on each axis, or by a list."""
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
    """Return one label for adjacent bars, given the labels of the first and the last bar.

    The label of a range has the format ``0 to 15``.
    """
    if first == last:
        return first
    return f"{first.partition(' to ')[0]} to {last.rpartition(' to ')[2]}"


def _listed(texts: Sequence[str]) -> str:
    more = ", ..." if len(texts) > LONGEST_LIST else ""
    return ", ".join(texts[:LONGEST_LIST]) + more


def smallest(codes: NDArray[Any], bars: int) -> Codes:
    """Return ``codes`` in the smallest unsigned integer type that can number ``bars`` bars."""
    kinds = (np.uint8, np.uint16, np.uint32)
    kind = next(kind for kind in kinds if bars <= 1 + np.iinfo(kind).max)
    return codes.astype(kind, copy=False)
