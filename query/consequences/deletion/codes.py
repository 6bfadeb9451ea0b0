"""Define the codes of fates, and the counts that a deletion keeps for each derivation."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from provhouse.model.arrays import I32
from provhouse.model.compiled import compiled

from .derivation_index import AGGREGATE, ALL, ANY, COPY

U8 = npt.NDArray[np.uint8]
I8 = npt.NDArray[np.int8]

DIES: Final = 0
SURVIVES: Final = 1
UNDECIDED: Final = 2
DELETED: Final = 3
UNREACHED: Final = 4
FOUND: Final = 5
"""A temporary fate, while a deletion is computed: the place was found but not yet visited."""
CLINGS: Final = 6
"""A temporary fate, while a deletion is computed: the place may keep a derivation."""
MOST: Final = 0
MISSING: Final = 1
"""The two columns of an array with a row for each derivation.

The two values are next to each other in memory, so that one access reads both. ``MOST`` is the
largest number of inputs that the derivation can do without in the lower bound. If it is unknown how
the inputs act together, ``MOST`` is the number of all inputs, negated. ``MISSING`` is the number of
the derivation's inputs that are not known to exist.
"""


class Work(NamedTuple):
    """The arrays that compiled loops fill to compute a deletion.

    ``ways`` and ``gone`` have an entry for each derivation: ``ways`` has the columns ``MOST`` and
    ``MISSING``, and ``gone`` is the number of inputs that are known to be gone. ``fate`` and
    ``failed`` have an entry for each place: ``failed`` is the number of failed derivations.
    ``queue`` has one entry for each place.
    """

    ways: I32
    fate: I8
    gone: I32
    failed: I32
    queue: I32


@compiled(nogil=True)
def packed(kind: I8, size: I32) -> I32:
    """Return a row for each derivation, with its ``MOST``, and with ``MISSING`` set to 0."""
    ways = np.zeros((len(kind), 2), np.int32)
    for way in range(len(kind)):
        if kind[way] in (ANY, AGGREGATE, COPY):
            ways[way, MOST] = size[way] - 1
        elif kind[way] != ALL:
            ways[way, MOST] = -size[way]
    return ways


@compiled(nogil=True, inline=True)
def allowed(most: int, upper: bool) -> int:
    """Return the number of inputs that a derivation can do without.

    ``most`` is the derivation's ``MOST``. ``upper`` selects the upper bound instead of the lower
    bound.
    """
    if most >= 0:
        return most
    return -most - 1 if upper else 0
