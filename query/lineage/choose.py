"""Choose the method that answers a question: the requested method, or else the cheapest."""

from dataclasses import dataclass

from provhouse.model.arrays import ItemNumber
from provhouse.model.question import Method, Question
from provhouse.store.tables.snapshot import Snapshot

from ..reading import cost
from ..reading.walk import Walk, component_sets

ASKED = {
    "rq": "RQ was asked for: it reads level by level from all triples",
    "ccprov": "CCProv was asked for: it reads the whole component of the item",
    "csprov": "CSProv was asked for: it reads the connected sets that the item needs",
}


@dataclass(frozen=True)
class Choice:
    """A method, and a sentence that explains why it was chosen."""

    method: Method
    why: str


def choose(
    question: Question, snapshot: Snapshot, item: ItemNumber, walk: Walk, copied: bool
) -> Choice:
    """Return the method for a question.

    ``copied`` states whether RQ's copy of all triples is cached.

    CSProv is the default. RQ can cost less only if the question limits the depth: without a limit,
    the number of levels is unknown, and each level is a Spark job. CCProv never costs less than RQ,
    because it first filters the same copy of all triples, and then searches in it as RQ does.
    """
    if question.method != "auto":
        return Choice(question.method, ASKED[question.method])
    if question.depth is not None and copied:
        by_levels = cost.rq_seconds(question.depth)
        by_sets = cost.estimate_csprov(walk)
        if by_levels < by_sets.seconds:
            return Choice("rq", _less(question.depth, by_levels, by_sets))
    return Choice("csprov", _sets_of(snapshot, item))


def _less(depth: int, by_levels: float, by_sets: cost.Estimate) -> str:
    return (
        f"Going {depth:,} hops by RQ should take at most {by_levels:.2f} s; reading"
        f" {by_sets.read.triples:,} triples of {by_sets.read.sets:,} sets should take"
        f" {by_sets.seconds:.2f} s"
    )


def _sets_of(snapshot: Snapshot, item: ItemNumber) -> str:
    sets = component_sets(snapshot, item)
    items = int(snapshot.set_sizes[sets].sum())
    if len(sets) == 1:
        return f"The item's component is one set of {items:,} items, read as a whole"
    return (
        f"The item's component has {items:,} items in {len(sets):,} sets, of which few are needed"
    )
