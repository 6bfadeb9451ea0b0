"""The ancestors of a recursion's rows: the rows that they derive from in any number of steps."""

import numpy as np
from numpy.typing import NDArray

from provhouse.model.arrays import unique
from provhouse.model.errors import UsageError

from .rid_indexes import Link, from_pairs

MOST = 50_000_000
"""The maximum number of pairs of a row and an ancestor of it."""


def ancestors(parents: Link, rows: NDArray[np.int64]) -> tuple[Link, NDArray[np.int64]]:
    """Return a link from ``rows`` to all their ancestors, and the array of the ancestors.

    Each row counts as its own ancestor. The link refers to ancestors by their position in the
    array. Raises UsageError if the link would have too many pairs.
    """
    size = max(1, parents.number)
    offsets, targets = parents.csr()
    new = np.arange(rows.size, dtype=np.int64) * size + rows
    known = new
    while new.size:
        owner, row = np.divmod(new, size)
        counts = offsets[row + 1] - offsets[row]
        starts = np.repeat(offsets[row] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
        found = targets[starts + np.arange(int(counts.sum()))].astype(np.int64)
        pairs = unique(np.repeat(owner, counts) * size + found)
        new = pairs[~np.isin(pairs, known, assume_unique=True)]
        known = unique(np.concatenate([known, new]))
        if known.size > MOST:
            raise UsageError(
                "The lineage of the recursion is too large",
                f"It has more than {MOST:,} pairs of a row and one of its ancestors",
                "Ask about fewer rows",
            )
    owner, row = np.divmod(known, size)
    distinct, places = np.unique(row, return_inverse=True)
    return from_pairs(owner, places, rows.size, distinct.size), distinct
