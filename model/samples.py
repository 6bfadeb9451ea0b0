"""A captured write for which only a sample of the rows has lineage."""

from collections.abc import Sequence
from dataclasses import dataclass

_NAMED = 3


@dataclass(frozen=True)
class Sample:
    """A sampled write. In answers, rows outside of the sample are missing, or look like sources."""

    table: str
    version: int
    part: float
    """The fraction of the write's rows that has lineage, above 0 and below 1."""


def sample_sentence(samples: Sequence[Sample]) -> str:
    """Return a sentence about the sampled fraction of each write, without a full stop.

    The sentence names only the newest writes and counts the others.
    """
    named = [
        f"{100 * each.part:.3g}% of the rows of {each.table}@{each.version}"
        for each in samples[-_NAMED:]
    ]
    left = len(samples) - len(named)
    more = f", and of {left:,} earlier {'write' if left == 1 else 'writes'}" if left else ""
    return f"Lineage was captured of a sample only: {', '.join(named)}{more}"
