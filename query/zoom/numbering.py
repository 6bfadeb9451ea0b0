"""Number the distinct values of a large array in a compiled pass."""

import numpy as np

from provhouse.model.arrays import DENSE, I32, I64, distinct
from provhouse.model.compiled import compiled


def dense_distinct(values: I64) -> tuple[I64, I64]:
    """Return the same result as ``distinct``, but by a compiled pass if the values are dense."""
    if not len(values):
        return values, values
    first, last = int(values.min()), int(values.max())
    if last - first >= DENSE * len(values):
        return distinct(values)
    return _numbered(values, first, np.zeros(last - first + 1, np.int32))


@compiled(nogil=True)
def _numbered(values: I64, first: int, place: I32) -> tuple[I64, I64]:
    """Return the distinct values, and the position of each of ``values`` among them.

    ``place`` must have an entry for each possible value, all 0.
    """
    for row in range(len(values)):
        place[values[row] - first] = 1
    count = 0
    for at in range(len(place)):
        if place[at]:
            place[at] = count
            count += 1
        else:
            place[at] = -1
    ordered = np.empty(count, np.int64)
    places = np.empty(len(values), np.int64)
    for at in range(len(place)):
        if place[at] >= 0:
            ordered[place[at]] = at + first
    for row in range(len(values)):
        places[row] = place[values[row] - first]
    return ordered, places
