"""Divide numbers into ranges: in equal steps, in logarithmic steps, or without the tails."""

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
"""Two divisions of numbers: in logarithmic steps, or between their 1st and 99th percentiles."""
EXACT = 2**53
"""Up to this bound, floating-point numbers represent every integer exactly."""
FEW = 60
"""If the column spans at most this many integers, each integer has its own bar."""
RANGES = 40
_SPAN = re.compile(r"\s*([^\s]+?)\s*\.\.\s*([^\s]+)\s*")
_STEPS = ((2, (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)), (7, (1, 1.5, 2, 3, 5, 7)), (14, (1, 2, 5)))
"""The leading digits of borders in logarithmic steps, for up to this many powers of ten."""


@dataclass(frozen=True)
class Ranges:
    """Ranges between ascending borders. A range includes its lower border."""

    edges: Floats
    whole: bool = False
    """Whether all numbers are integers. A range then ends one below its upper border."""
    below: bool = False
    above: bool = False
    """Whether numbers lie below or above all borders. They then have an additional bar."""
    log: bool = False

    @property
    def labels(self) -> list[str]:
        """The label of each bar."""
        tails = [f"below {short(self.edges[0])}"] * self.below
        ends = [f"{short(self.edges[-1])} and more"] * self.above
        return [*tails, *self._between(), *ends]

    def codes(self, numbers: Floats) -> NDArray[np.intp]:
        """Return the bar of each number.

        Without an upper tail, the last range includes its upper border.
        """
        first, last = 0 if self.below else 1, len(self.edges) - (0 if self.above else 1)
        found = np.searchsorted(self.edges, numbers, side="right")
        return np.clip(found, first, max(first, last)) - first

    def _between(self) -> Iterator[str]:
        for low, high in pairwise(self.edges):
            end = high - 1 if self.whole else high
            yield f"{low:.0f}" if self.whole and low == end else f"{short(low)} to {short(end)}"


def ranges(known: Floats, how: int | str | None) -> Ranges | None:
    """Divide numbers into ranges as ``how`` specifies; return None if this is impossible.

    ``how`` is the number of ranges, ``log``, ``clip``, two borders such as ``0..60``, or None for a
    default division. The result is None if the numbers cannot be divided in this way, or if they
    span too large a range.
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
    """Parse a string such as ``0..60`` into two borders; return None if it is malformed."""
    found = _SPAN.fullmatch(text)
    try:
        low, high = (float(part) for part in found.groups()) if found else (0.0, 0.0)
    except ValueError:
        return None
    return (low, high) if low < high and math.isfinite(high - low) else None


def _inner(low: float, high: float, whole: bool) -> tuple[float, float]:
    """Return the first and last number of a range that includes ``low`` and excludes ``high``."""
    if whole:
        return math.ceil(low), max(math.ceil(low), math.ceil(high) - 1)
    return low, math.nextafter(high, -math.inf)


def _linear(low: float, high: float, whole: bool) -> Floats:
    """Return the borders of equal ranges, as round numbers."""
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
    """Return the borders of ``number`` equal ranges."""
    if high == low:
        return np.array([low, high + 1 if whole else math.nextafter(high, math.inf)])
    return np.linspace(low, high, number + 1, dtype=np.float64)


def _logarithmic(positive: Floats, whole: bool) -> Floats:
    """Return round borders that enclose the given positive numbers, in logarithmic steps."""
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
    """Format a number with at most six significant digits."""
    return f"{number:.6g}"
