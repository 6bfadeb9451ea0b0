"""Find the components that now contain merged components."""

import numpy as np

from provhouse.model.arrays import I64
from provhouse.runtime.room import Room, slices


def merged_into(old: I64, into: I64, room: Room) -> tuple[I64, I64]:
    """Return the merged components, in order, and for each the component that it ends up in.

    For each merge, in order of ingest, ``old`` contains the component that was merged, and ``into``
    the component into which it was merged. If a component was merged several times, the last merge
    counts.
    """
    ids = room.distinct(old[rows] for rows in slices(len(old)))
    now = room.empty(len(ids), np.int64)
    for rows in slices(len(old)):
        now[np.searchsorted(ids, old[rows])] = into[rows]  # of equal indices, the last counts
    for rows in slices(len(ids)):
        known = ids[: rows.stop]
        while True:
            at = np.minimum(np.searchsorted(known, now[rows]), len(known) - 1)
            # A component is always merged into a component with a lower number.
            again = (known[at] == now[rows]) & (now[at] < now[rows])
            if not again.any():
                break
            now[rows] = np.where(again, now[at], now[rows])
    return ids, now
