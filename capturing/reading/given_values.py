"""Read the values that source rows contribute to an aggregate, from the tap below the aggregate."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.model.associations import NONE
from provhouse.model.derivations import WHOLE

from .id_pairs import part_of
from .spread import Spread
from .tap_files import count_rows, tap_pieces
from .tap_table import TapTable


def values_of(tap: TapTable, aside: Path) -> Spread:
    """Return the ids of a tap's source rows and the bits of their values, divided into parts.

    The parts match those of the ``PairSet`` for the tap's only slot: part i has the same rows in
    both.
    """
    found = Spread(2, count_rows(tap.folder), aside)
    columns = len(tap.slots) + (0 if tap.source else tap.first_slot) + 1
    for piece in tap_pieces(tap.folder, columns):
        row, bits = piece[-2], piece[-1]
        found.add(part_of(row), [row, bits])
    return found


def given(part: I64, rows: I64) -> pa.Array:
    """Return the values of the source rows ``rows`` of a part; NULL if not a finite number.

    Numbers from 2^53 to 2^63 become NULL too, since integers of that size may have been rounded.
    """
    ids, first = np.unique(part[0], return_index=True)  # a stage may have run twice
    bits = part[1, first][np.searchsorted(ids, rows)]
    numbers = bits.view(np.float64)
    sizes = np.abs(numbers)
    rounded = (sizes >= WHOLE) & (sizes <= 2.0**63)
    return pa.array(numbers, mask=(bits == NONE) | ~np.isfinite(numbers) | rounded)
