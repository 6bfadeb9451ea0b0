"""Links of operations that read neighboring rows."""

from typing import Any

import numpy as np
import pandas as pd

from provhouse.model.arrays import I64

from ..row_links import Ride, Rows, Windows, own_rows

ROW = "__provhouse_row"


def reach(size: int, periods: int) -> Windows:
    """Return the link of a shift: each row derives from all rows from itself to the one it reads.

    The rows in between are included: without them, the shift would reach a different row.
    """
    own = own_rows(size)
    starts = np.clip(own - max(periods, 0), 0, size)
    ends = np.clip(own + 1 - min(periods, 0), 0, size)
    return Windows(starts, ends, own)


def up_to(size: int) -> Windows:
    """Return the link of a running aggregate: each row derives from all rows up to it."""
    own = own_rows(size)
    return Windows(np.zeros(size, np.int64), own + 1, own)


def filled_from(value: pd.Series, forward: bool, limit: int | None) -> Ride:
    """Return the link of ffill or bfill: the row from which each value was taken, or -1."""
    size = len(value)
    there = value.notna().to_numpy()
    own = own_rows(size)
    if forward:
        found = np.maximum.accumulate(np.where(there, own, -1)) if size else own
    else:
        found = np.where(there, own, size)[::-1]
        found = np.minimum.accumulate(found)[::-1] if size else own
        found = np.where(found == size, -1, found)
    if limit is not None:
        found = np.where(abs(found - own) <= limit, found, -1)
    return Ride(found, size)


def rolled(frame: Any, window: Any, options: dict[str, Any]) -> Windows:
    """Return the link of rolling windows; pandas itself computes their first and last rows.

    ``frame`` is a column, or a frame if a column (``on``) determines the windows.
    """
    own = own_rows(len(frame))
    options = {**options, "min_periods": 1}
    on = options.get("on")
    positions = pd.DataFrame({ROW: own.astype(float)}, index=frame.index)
    if on is not None:
        positions[on] = frame[on]
    windows = positions.rolling(window, **options)[ROW]
    first, last = windows.min().to_numpy(), windows.max().to_numpy()
    empty = np.isnan(first)
    starts = np.where(empty, 0, first).astype(np.int64)
    ends = np.where(empty, 0, last + 1).astype(np.int64)
    return Windows(starts, ends, own)


def in_groups(codes: I64, before: bool, periods: int | None) -> Windows:
    """Return the link from each row to itself and to the earlier or later rows of its group.

    At most ``periods`` other rows are linked, or all of them if ``periods`` is None.
    """
    order: Rows = np.argsort(codes, kind="stable")
    size = codes.size
    ordered = codes[order]
    first = np.searchsorted(ordered, ordered, "left")
    end = np.searchsorted(ordered, ordered, "right")
    own = own_rows(size)
    starts = first if before else own
    ends = own + 1 if before else end
    if periods is not None:
        starts = np.maximum(starts, own - periods)
        ends = np.minimum(ends, own + periods + 1)
    nowhere = ordered < 0
    places = np.empty(size, np.int64)
    places[order] = own
    return Windows(
        np.where(nowhere, own, starts)[places], np.where(nowhere, own, ends)[places], order
    )
