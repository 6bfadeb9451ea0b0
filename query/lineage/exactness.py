"""State how exact an answer is: the weakest level declared for an op on its paths.

The exactness of a path is known only if each of its ops has a declared level. So if any op on the
paths has a declared level, ops without one count as ``unknown``, the weakest level. If no op on the
paths has a declared level, no exactness is stated, and no triples are counted.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import Column, among, unique
from provhouse.model.columns import EXACTNESS, OP
from provhouse.model.operations import LEVELS, UNKNOWN_LEVEL, Weakest, weakest
from provhouse.model.question import Direction

from ..methods.method import MethodResult, near_and_far
from .row_filters import reached


@dataclass(frozen=True)
class Stated:
    """The weakest exactness on the paths of an answer, and the paths' triples counted by level."""

    weakest: Weakest | None
    triples: Mapping[str, int]


NOT_STATED = Stated(None, {})


class Declared:
    """The declared levels of exactness in one generation, by op."""

    def __init__(self, operations: pa.Table) -> None:
        known = operations.filter(operations[EXACTNESS].is_valid())
        self._ops = known[OP].combine_chunks()
        self._levels = np.array(list(map(LEVELS.index, known[EXACTNESS].to_pylist())), np.int64)

    @property
    def weakest(self) -> Weakest | None:
        """The weakest level of all ops; None if no level is declared."""
        return weakest(LEVELS[level] for level in unique(self._levels).tolist())

    def of_paths(self, found: MethodResult, shown: MethodResult, direction: Direction) -> Stated:
        """Return the exactness of paths to the items of ``shown``, which is a part of ``found``."""
        if not len(self._levels):
            return NOT_STATED
        if len(shown.items) == len(found.items):
            return self.of_triples(found.triples[OP])
        near, far = near_and_far(found.triples, direction)
        on_paths = among(far, reached(far, near, shown.items))
        return self.of_triples(found.triples[OP].filter(pa.array(on_paths)))

    def of_triples(self, ops: Column) -> Stated:
        """Return the exactness of triples; ``ops`` has the op of each triple."""
        if not len(self._levels):
            return NOT_STATED
        counts = pc.value_counts(ops.cast(pa.string()))
        at = pc.index_in(counts.field("values"), self._ops)
        levels = np.append(self._levels, len(LEVELS))[np.asarray(at.fill_null(-1), np.int64)]
        triples = np.bincount(levels, np.asarray(counts.field("counts")), len(LEVELS) + 1)
        if not triples[:-1].any():
            return NOT_STATED
        names = (*LEVELS, UNKNOWN_LEVEL)
        each: dict[str, int] = {
            name: int(n) for name, n in zip(names, triples.tolist(), strict=True) if n
        }
        return Stated(weakest(each), each)
