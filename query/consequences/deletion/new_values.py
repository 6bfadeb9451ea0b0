"""Recompute changed aggregates from the inputs that would remain.

The triples of an aggregate record the value of each input (``value``) and how often it counts
(``times``). If the value of an input was itself recomputed, the new value is used instead. These
are the tensors of the Lipstick paper (section 3.2).
"""

from dataclasses import dataclass

import numpy as np

from provhouse.model.arrays import I32, I64, Bools, unique

from .codes import I8, SURVIVES
from .derivation_index import AGGREGATE, Derivations
from .fates import Fates
from .recompute import (
    CHANGED,
    F64,
    LOST_INPUT,
    UNKNOWN_VALUE,
    InputValues,
    Lost,
    Outcome,
    inputs,
    recompute,
    seeds,
    touch,
)


@dataclass(frozen=True)
class Tensors:
    """The values and counts of the triples of aggregates, and the functions of the aggregates.

    ``value`` and ``times`` have an entry for each row. An unknown value is NaN. ``function`` has,
    for each derivation, an index into ``FUNCTIONS``, or -1 if no function is known.
    """

    value: F64
    times: I64
    function: I8


@dataclass(frozen=True)
class NewValues:
    """The aggregates that change, and the values that may change but cannot be recomputed."""

    ways: I32
    """The derivations whose value changes."""
    before: F64
    after: F64
    inputs_lost: I64
    unknown: I32
    """The derivations whose new value is unknown."""
    reasons: I8
    """For each derivation in ``unknown``, the position of the reason in ``REASONS``."""

    def select(self, changed: Bools, unknown: Bools) -> "NewValues":
        """Return the changed and the unknown derivations that the two masks select."""
        return NewValues(
            self.ways[changed], self.before[changed], self.after[changed],
            self.inputs_lost[changed], self.unknown[unknown], self.reasons[unknown],
        )  # fmt: skip


NOTHING = NewValues(
    np.empty(0, np.int32), np.empty(0), np.empty(0), np.empty(0, np.int64),
    np.empty(0, np.int32), np.empty(0, np.int8),
)  # fmt: skip


class Recomputed:
    """A computation of the values after a deletion."""

    def __init__(self, graph: Derivations, tensors: Tensors, found: Fates) -> None:
        self._graph, self._tensors, self._found = graph, tensors, found

    def values(self, deleted: I32, ended: I32) -> NewValues:
        """Return the values that change. ``deleted`` has places, and ``ended`` has rows."""
        graph, tensors, fate = self._graph, self._tensors, self._found.fate
        gone = np.zeros(len(graph.of) if len(ended) else 0, bool)
        gone[ended] = True
        lost = Lost(fate, gone)
        ways = len(graph.dst)
        new = Outcome(
            np.zeros(ways, np.uint8),
            np.zeros(ways),
            np.zeros(ways),
            np.zeros(ways, np.int8),
            np.zeros(ways, np.int8),
        )
        counts = np.zeros(len(graph.dst), np.int64)
        reached = self._found.reached
        sources = np.concatenate([deleted, reached[fate[reached] != SURVIVES]])
        ends = graph.of[ended]
        ends = ends[(graph.kind[ends] == AGGREGATE) & (fate[graph.dst[ends]] == SURVIVES)]
        new.flags[ends] |= LOST_INPUT
        np.add.at(counts, ends, 1)
        mark = np.zeros(graph.places, np.uint8)
        queue = np.empty(graph.places, np.int32)
        starts = unique(graph.dst[ends])
        count = seeds(graph.index, sources, starts, lost, new.flags, counts, mark, queue)
        if not count:
            return NOTHING
        waiting = np.zeros(graph.places, np.int32)
        count = touch(graph.index, fate, mark, queue, count, waiting)
        touched = queue[:count]
        rows, begins = inputs(graph.of, graph.index, touched)
        given = InputValues(rows, begins, tensors.value, tensors.times, tensors.function)
        recompute(graph.index, lost, given, touched, waiting, new)
        judged = _ways_of(graph, touched)
        states = new.state[judged]
        changed, unknown = judged[states == CHANGED], judged[states == UNKNOWN_VALUE]
        return NewValues(
            changed, new.before[changed], new.after[changed], counts[changed], unknown,
            new.why[unknown],
        )  # fmt: skip


def _ways_of(graph: Derivations, places: I32) -> I32:
    first = graph.first[places]
    counts = graph.first[places + 1] - first
    before = np.cumsum(counts) - counts
    ways: I32 = (np.repeat(first - before, counts) + np.arange(counts.sum())).astype(np.int32)
    return ways
