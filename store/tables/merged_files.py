"""Choose the earlier files of a Delta table that are merged with the rows of an ingest."""

from bisect import bisect_left
from collections.abc import Sequence

from ..warehouse.commits import MERGED


def merged_from(numbers: Sequence[int], ingest: int) -> int:
    """Return the position of the first file that an ingest merges with its own rows.

    ``numbers`` contains, for each file in order, the last ingest with rows in it. A file is merged
    only if none of its rows is older than the span of ingests that has just ended. Therefore sparse
    ingests do not rewrite the same rows every time.
    """
    first, span = len(numbers), MERGED
    after = [0, *numbers[:-1]] if numbers else []
    while numbers and ingest // span > numbers[-1] // span:
        first = bisect_left(after, (ingest // span - 1) * span)
        span *= MERGED
    return first
