"""An index (CSR) from the bars of a view to their rows, for brushes that select few rows."""

import numpy as np
from numpy.typing import NDArray

from .coded_rows import CodedRows, Mask
from .cube_kernels import counting_sort


class RidIndex:
    """The positions of all rows, sorted by the bars of one view."""

    def __init__(self, rows: CodedRows, view: int) -> None:
        self._offsets, self._positions = counting_sort(rows.codes[view], rows.bars[view])

    @property
    def size(self) -> int:
        """The size of the index in bytes."""
        return self._offsets.nbytes + self._positions.nbytes

    def number(self, mask: Mask) -> int:
        """Return the number of rows in the brushed bars."""
        return int(np.diff(self._offsets)[mask].sum())

    def positions(self, mask: Mask) -> NDArray[np.int32]:
        """Return the positions of the rows in the brushed bars, bar by bar."""
        pieces = [
            self._positions[self._offsets[bar] : self._offsets[bar + 1]]
            for bar in np.flatnonzero(mask)
        ]
        return np.concatenate([np.empty(0, np.int32), *pieces])
