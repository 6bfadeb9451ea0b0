"""Evaluate the derivations of an item in a semiring, from weights of its sources."""

from dataclasses import dataclass
from math import isfinite, isnan, nan

import numpy as np
import pyarrow as pa

from provhouse.model.answer import Header, Read
from provhouse.model.arrays import ItemNumbers
from provhouse.model.derivations import WHOLE
from provhouse.model.errors import UsageError
from provhouse.model.progress import Stopwatch
from provhouse.model.semiring import SEMIRINGS, Aggregates, Evaluating, Semiring

from ..lineage.ask import Asker
from ..locate import locate_versions
from ..passed_samples import common_fields
from .deletion.derivation_index import Derivations
from .deletion.semirings import F64, ONE, bounds
from .depends import lineage_of, samples_above

CYCLE = "its derivations lead through a cycle, so they cannot be counted"
NONE = "its derivations rest on each other only"
INEXACT = "there are more derivations than double precision can count"


@dataclass(frozen=True, kw_only=True)
class Evaluation(Header):
    """The value of an item in a semiring: from ``low`` to ``high``, which are often equal.

    A bound is None if it is not a finite number; if both are None, ``reason`` states the reason.
    """

    item: str
    semiring: Semiring
    aggregates: Aggregates
    low: float | None
    high: float | None
    reason: str | None
    used: int
    """The number of given source weights that were used.

    Other sources in the triples read have the default weight.
    """
    unused: int
    """The number of weights given to other items, or to items that are not stored."""
    complete: bool
    read: Read


def evaluate(asker: Asker, asked: Evaluating) -> Evaluation:
    """Return the value of an item in a semiring.

    Reads the same data as the lineage of the item. Raises NotFound if the item is not stored, and
    UsageError for a weight that is not allowed, or a weight of an item that is derived from other
    items.
    """
    asked.check()
    return asker.snapshot.names.settled(lambda: _evaluate(asker, asked))


def _evaluate(asker: Asker, asked: Evaluating) -> Evaluation:
    watch = Stopwatch()
    how = SEMIRINGS.index(asked.semiring)
    with watch.step("locate"):
        located = locate_versions(asker.snapshot, asked.item)
    described, read = lineage_of(asker, located.first, watch)
    with watch.step("recurse"):
        graph = Derivations(described.rows)
        weights, used, own = _weights(asker, graph, asked, located.numbers)
        places = graph.place(located.numbers)
        if len(places):
            each = bounds(graph, weights, how, joint=asked.aggregates == "all")
            low, high = (float(bound[places[0]]) for bound in each)
        else:  # the item has no triple
            low = high = own
    reason = CYCLE if isnan(low) else None if isfinite(low) else NONE
    if asked.semiring == "count" and max(low, high) >= WHOLE:
        low, high, reason = nan, nan, INEXACT
    samples = samples_above(asker, located.numbers, described)
    return Evaluation(
        **common_fields(asker.snapshot, watch, read, samples),
        item=located.names[0],
        semiring=asked.semiring,
        aggregates=asked.aggregates,
        low=low if isfinite(low) else None,
        high=high if isfinite(high) else None,
        reason=reason,
        used=used,
        unused=len(asked.weights) - used,
    )


def _weights(
    asker: Asker, graph: Derivations, asked: Evaluating, item: ItemNumbers
) -> tuple[F64, int, float]:
    """Return the weight of each place, the number of used weights, and the item's own weight."""
    usual = ONE[SEMIRINGS.index(asked.semiring)]
    found = np.full(graph.places, usual)
    names = [*asked.weights]
    given = np.fromiter(asked.weights.values(), np.float64, len(names))
    numbers = asker.snapshot.locate(pa.array(names, pa.string()))
    own = given[numbers == item[0]]
    places = np.where(numbers < 0, -1, graph.find(numbers))
    known = np.flatnonzero(places >= 0)
    places = places[known]
    derived = graph.first[places] < graph.first[places + 1]
    if derived.any():
        raise UsageError(
            f"Item {names[known[np.argmax(derived)]]!r} has a weight, but is derived from other "
            "items",
            "Its value is computed from the values of its sources",
            "Give weights to sources only",
        )
    found[places] = given[known]
    used = int((graph.at[places] < graph.at[places + 1]).sum())
    return found, used if len(graph.place(item)) else len(own), float(own[0]) if len(own) else usual
