"""Compute one aggregate without each of some inputs, one at a time.

No command asks for this yet; ``make bench-what-if`` measures it.
"""

import numpy as np

from provhouse.model.arrays import I64

from .recompute import AVG, COUNT, DISTINCT, F64, MIN, SUM, exact_sum


def alternatives(values: F64, times: I64, function: int, chosen: I64) -> F64:
    """Return the value of an aggregate without each of the chosen inputs, one at a time.

    The result is NaN where nothing is left of it.
    """
    v, t = values[chosen], times[chosen]
    total = times.sum()
    left = total - t
    if function == COUNT:
        return np.asarray(left, np.float64)
    if function in (SUM, AVG):
        found = exact_sum(values, times) - v * t
        with np.errstate(divide="ignore", invalid="ignore"):
            found = found if function == SUM else np.where(left > 0, found / left, np.nan)
        return np.asarray(found, np.float64)
    if function == DISTINCT:
        ordered = np.sort(values)
        low, high = (np.searchsorted(ordered, np.sort(v), side) for side in ("left", "right"))
        alone = np.empty(len(v), bool)
        alone[np.argsort(v)] = high - low == 1
        return np.asarray(1 + (ordered[1:] != ordered[:-1]).sum() - alone, np.float64)
    sign = 1.0 if function == MIN else -1.0
    signed = values * sign
    nearest = np.partition(signed, min(1, len(signed) - 1))[:2]
    second = nearest[1] if len(nearest) > 1 else np.nan
    return np.where(v * sign == nearest[0], second, nearest[0]) * sign
