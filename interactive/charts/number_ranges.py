"""The borders of ranges of numbers: in equal steps, by their logarithm, or without the tails."""

import math
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LOG, CLIP = "log", "clip"
"""Ways to divide numbers: by their logarithm, or between their percentiles 1 and 99."""
EXACT = 2**53
"""Up to this bound, floating-point numbers represent every whole number."""
FEW = 60
"""If a range has at most this many whole numbers, each number has a bar of its own."""
RANGES = 40
_SPAN = re.compile(r"\s*([^\s]+?)\s*\.\.\s*([^\s]+)\s*")
_STEPS = ((2, (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)), (7, (1, 1.5, 2, 3, 5, 7)), (14, (1, 2, 5)))
"""The first digits of borders in steps of a logarithm, for at most this many powers of ten."""


@dataclass(frozen=True)
class Ranges:
    """Ranges between ascending borders. A range includes its lower border."""

    edges: Floats
    whole: bool = False
    """Whether all numbers are whole, so that a range ends with the number below its border."""
    below: bool = False
    above: bool = False
    """Whether numbers are outside: they have one more bar, the first or the last one."""
    log: bool = False

    @property
    def labels(self) -> list[str]:
        """The text of each bar."""
        tails = [f"below {short(self.edges[0])}"] * self.below
        ends = [f"{short(self.edges[-1])} and more"] * self.above
        return [*tails, *self._between(), *ends]

    def codes(self, numbers: Floats) -> NDArray[np.intp]:
        """Return the bar of each number. Without a tail, the last range includes its border."""
        first, last = 0 if self.below else 1, len(self.edges) - (0 if self.above else 1)
        found = np.searchsorted(self.edges, numbers, side="right")
        return np.clip(found, first, max(first, last)) - first

    def _between(self) -> Iterator[str]:
        for low, high in pairwise(self.edges):
            end = high - 1 if self.whole else high
            yield f"{low:.0f}" if self.whole and low == end else f"{short(low)} to {short(end)}"


def ranges(known: Floats, how: int | str | None) -> Ranges | None:
    """Return the ranges of numbers, divided in a way that the page or a person has chosen.

    ``how`` is their number, ``log``, ``clip``, two borders such as ``0..60``, or None. Return None
    if the numbers cannot be divided in this way, or their range is too large.
    """
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    whole = bool((known == np.floor(known)).all()) and max(-low, high) < EXACT
    if not known.size:
        return Ranges(np.empty(0))
    if how == LOG:
        positive = known[known > 0]
        edges = _logarithmic(positive, whole) if positive.size else None
        return None if edges is None else _with_tails(known, edges, whole, log=True)
    if how == CLIP:
        low, high = (float(at) for at in np.percentile(known, (1, 99)))
        low, high = (math.floor(low), math.ceil(high)) if whole else (low, high)
        return _with_tails(known, _linear(low, high, whole), whole)
    if isinstance(how, str):
        span = _span(how)
        return _with_tails(known, _linear(*_inner(*span, whole), whole), whole) if span else None
    if not math.isfinite(high - low):
        return None
    if how:
        return Ranges(_equal(low, high, how, whole))
    return Ranges(_linear(low, high, whole), whole)


def _with_tails(known: Floats, edges: Floats, whole: bool, log: bool = False) -> Ranges:
    below, above = bool((known < edges[0]).any()), bool((known >= edges[-1]).any())
    return Ranges(edges, whole, below, above, log)


def _span(text: str) -> tuple[float, float] | None:
    """Return the two borders in a text such as ``0..60``."""
    found = _SPAN.fullmatch(text)
    try:
        low, high = (float(part) for part in found.groups()) if found else (0.0, 0.0)
    except ValueError:
        return None
    return (low, high) if low < high and math.isfinite(high - low) else None


def _inner(low: float, high: float, whole: bool) -> tuple[float, float]:
    """Return the first and the last number of a span, which does not include ``high``."""
    if whole:
        return math.ceil(low), max(math.ceil(low), math.ceil(high) - 1)
    return low, math.nextafter(high, -math.inf)


def _linear(low: float, high: float, whole: bool) -> Floats:
    """Return borders of equal ranges, which are round numbers."""
    if whole and high - low < FEW:
        return np.arange(low, high + 2)
    if high == low:
        return np.array([low, math.nextafter(high, math.inf)])
    width = (high - low) / RANGES
    if width < sys.float_info.min or max(-low, high) / width > EXACT:  # few floats lie between
        return np.unique(np.linspace(low, high, RANGES + 1, dtype=np.float64))
    step = 10.0 ** math.floor(math.log10(width))
    step = next(step * times for times in (1, 2, 5, 10) if (high - low) / (step * times) <= RANGES)
    if whole:
        step = max(1.0, step)
    first, last = math.floor(low / step), math.floor(high / step) + 1
    borders: Floats = np.arange(first, last + 1, dtype=np.float64) * step
    return np.minimum(borders, sys.float_info.max)


def _equal(low: float, high: float, number: int, whole: bool) -> Floats:
    """Return borders of as many equal ranges as were asked for."""
    if high == low:
        return np.array([low, high + 1 if whole else math.nextafter(high, math.inf)])
    return np.linspace(low, high, number + 1, dtype=np.float64)


def _logarithmic(positive: Floats, whole: bool) -> Floats:
    """Return round borders from below the least to above the largest of some positive numbers."""
    low, high = float(positive.min()), float(positive.max())
    powers = math.log10(high) - math.log10(low)
    digits = next((digits for most, digits in _STEPS if powers <= most), (1,))
    tens = range(math.floor(math.log10(low)) - 1, math.floor(math.log10(high)) + 2)
    borders = np.array([digit * 10.0**ten for ten in tens if ten < 308 for digit in digits])
    borders = borders[(borders == np.floor(borders)) if whole else (borders > 0)]
    borders = np.append(borders, sys.float_info.max)
    first = max(0, int(np.searchsorted(borders, low, side="right")) - 1)
    return borders[first : int(np.searchsorted(borders, high, side="right")) + 1]


def short(number: float) -> str:
    """Return a number with at most six digits."""
    return f"{number:.6g}"
