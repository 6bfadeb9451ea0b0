"""Explain a question instead of answering it: estimate the data and the time of each method."""

from dataclasses import dataclass, replace

from provhouse.model.answer import ItemHeader
from provhouse.model.arrays import ItemNumber
from provhouse.model.operations import Weakest
from provhouse.model.question import Question
from provhouse.store.tables.snapshot import Snapshot

from ..reading import cost
from ..reading.cost import Estimate
from ..reading.walk import Walk
from .choose import Choice, choose

EXPLAINED_SETS = 1_000


@dataclass(frozen=True, kw_only=True)
class Explanation(ItemHeader):
    """The plan for the lineage or impact of one item, as of one generation.

    ``method`` is the method that would be chosen. ``seconds`` is the time that the explanation
    itself took.
    """

    methods: tuple[Estimate, ...]
    sets: tuple[int, ...]
    """The ids of the sets that CSProv would read, in order, but at most ``EXPLAINED_SETS``."""
    exactness: Weakest | None = None
    """The weakest exactness of all ops of the generation; None if no exactness is declared.

    No triple is read, so it is not known which ops are on the paths of the answer. The exactness of
    the answer may be stronger than this, or unknown.
    """


def estimate_methods(
    question: Question, snapshot: Snapshot, item: ItemNumber, walk: Walk, copied: bool
) -> tuple[Choice, tuple[Estimate, ...]]:
    """Return the method that would be chosen, and the estimates for all three methods."""
    levels = question.depth or cost.estimate_levels(snapshot, walk, item, question.direction)
    guessed = question.depth is None
    return choose(question, snapshot, item, walk, copied), (
        cost.estimate_csprov(walk),
        replace(cost.estimate_ccprov(snapshot, item, levels, copied), guessed=guessed),
        replace(cost.estimate_rq(snapshot, levels, copied), guessed=guessed),
    )
