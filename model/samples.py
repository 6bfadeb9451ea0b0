"""A captured write that has lineage for only a sample of its rows."""

from collections.abc import Sequence
from dataclasses import dataclass

_NAMED = 3


@dataclass(frozen=True)
class Sample:
    """A sampled write. Rows outside the sample are missing in answers, or look like sources."""

    table: str
    version: int
    part: float
    """The part of its rows that has lineage, above 0 and below 1."""


def sample_sentence(samples: Sequence[Sample]) -> str:
    """Return a sentence on the sampled part of each write, without full stop.

    It names only the newest writes and counts the other writes.
    """
    named = [
        f"{100 * each.part:.3g}% of the rows of {each.table}@{each.version}"
        for each in samples[-_NAMED:]
    ]
    left = len(samples) - len(named)
    more = f", and of {left:,} earlier {'write' if left == 1 else 'writes'}" if left else ""
    return f"Lineage was captured of a sample only: {', '.join(named)}{more}"
