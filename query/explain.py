"""Explain a question instead of answering it: what each method would read, and how fast."""

from dataclasses import dataclass

from provhouse.model.answer import ItemHeader
from provhouse.model.arrays import ItemNumber
from provhouse.model.question import Question
from provhouse.store.tables.snapshot import Snapshot

from . import cost
from .choose import Choice, choose
from .cost import Estimate
from .walk import Walk


@dataclass(frozen=True, kw_only=True)
class Explanation(ItemHeader):
    """The plan for the lineage or impact of one item, as of one generation.

    ``method`` is the method that would be chosen. ``seconds`` is the time that the explanation
    itself took.
    """

    methods: tuple[Estimate, ...]


def estimate_methods(
    question: Question, snapshot: Snapshot, item: ItemNumber, walk: Walk, copied: bool
) -> tuple[Choice, tuple[Estimate, ...]]:
    """Return the method that would be chosen, and the estimates for all three methods."""
    levels = question.depth or cost.estimate_levels(snapshot, walk, item, question.direction)
    return choose(question, snapshot, item, walk, copied), (
        cost.estimate_csprov(walk),
        cost.estimate_ccprov(snapshot, item, levels, copied),
        cost.estimate_rq(snapshot, levels, copied),
    )
