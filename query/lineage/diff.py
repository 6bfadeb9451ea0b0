"""Compare the lineage or impact of an item in two generations: the additions and removals."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from provhouse.model.answer import Answer
from provhouse.model.columns import DEPTH, ITEM, TABLE, TRIPLE
from provhouse.model.errors import NotFound
from provhouse.model.operations import Weakest
from provhouse.model.progress import Stopwatch
from provhouse.model.question import AsOf, Direction, Question
from provhouse.model.samples import Sample

from .ask import Asker

Askers = Callable[[AsOf | None], AbstractContextManager[Asker]]
_ROW = "row"
_ITEMS = pa.schema([(ITEM, pa.string()), (TABLE, pa.string()), (DEPTH, pa.int32())])
_TRIPLES = pa.schema([(name, pa.string()) for name in TRIPLE])


@dataclass(frozen=True)
class Side:
    """One of the two compared generations."""

    generation: int
    time: str
    stored: bool
    """Whether the generation has the item."""
    erased: int
    """The number of erased items on the paths of the answer from this generation."""
    exactness: Weakest | None = None
    """The weakest exactness on the paths of the answer from this generation, as in ``Answer``."""
    exactness_triples: dict[str, int] = field(default_factory=dict)
    """The number of triples on the paths of the answer, by exactness.

    The strongest exactness is first. The field is empty if no exactness is stated.
    """
    samples: tuple[Sample, ...] = ()
    """The samples that the answer from this generation may pass through, as in ``Answer``."""


@dataclass(frozen=True)
class Change:
    """The items and triples that only one of the answers has, in the order of this answer.

    ``items`` has the columns item, table and depth.
    """

    items: pa.Table
    triples: pa.Table


@dataclass(frozen=True)
class Diff:
    """The two sides of a comparison, and their differences. Items are compared by name."""

    item: str
    direction: Direction
    since: Side
    until: Side
    came: Change
    went: Change
    seconds: dict[str, float]


def compare(question: Question, until: AsOf | None, askers: Askers) -> Diff:
    """Compare the answers to a question as of the question's own ``as_of`` and as of ``until``.

    If ``until`` is None, it means the current generation. ``askers`` returns the asker for a
    generation. Raises NotFound if neither generation has the item.
    """
    with askers(question.as_of) as before, askers(until) as after:
        one, other = before.snapshot.names, after.snapshot.names
        return one.settled(lambda: other.settled(lambda: _compare(question, before, after)))


def _compare(question: Question, before: Asker, after: Asker) -> Diff:
    watch = Stopwatch()
    with watch.step("from"):
        one = _answer(before, question, watch.inner())
    with watch.step("to"):
        other = _answer(after, question, watch.inner())
    since, until = _side(before, one), _side(after, other)
    if not (one or other):
        raise NotFound(
            f"Item {question.item!r} is not in generation {since.generation} or {until.generation}",
            "Neither of them has it",
            "Names must match exactly; check spelling and case",
        )
    with watch.step("compare"):
        came, went = _only_in(other, one), _only_in(one, other)
    return Diff(question.item, question.direction, since, until, came, went, watch.total())


def _answer(asker: Asker, question: Question, watch: Stopwatch) -> Answer | None:
    """Return the answer, or None if the item is not in the generation."""
    try:
        return asker.answer(question, watch)
    except NotFound:
        return None


def _side(asker: Asker, answer: Answer | None) -> Side:
    commit = asker.snapshot.commit
    if not answer:
        return Side(commit.generation, commit.time, stored=False, erased=0)
    return Side(
        commit.generation,
        commit.time,
        stored=True,
        erased=answer.erased,
        exactness=answer.exactness,
        exactness_triples=answer.exactness_triples,
        samples=answer.samples,
    )


def _only_in(one: Answer | None, other: Answer | None) -> Change:
    """Return the items and triples that ``one`` has and ``other`` lacks."""

    def rows(of: Callable[[Answer], pa.Table], form: pa.Schema, keys: list[str]) -> pa.Table:
        mine, theirs = (
            of(answer).select(form.names).cast(form) if answer else form.empty_table()
            for answer in (one, other)
        )
        return _missing_rows(mine, theirs, keys)

    return Change(
        rows(lambda answer: answer.items, _ITEMS, [ITEM]),
        rows(lambda answer: answer.triples, _TRIPLES, list(TRIPLE)),
    )


def _missing_rows(mine: pa.Table, theirs: pa.Table, keys: list[str]) -> pa.Table:
    """Return the rows of ``mine`` whose keys are not in ``theirs``, in the order of ``mine``."""
    keyed = mine.select(keys).append_column(_ROW, pa.array(np.arange(mine.num_rows)))
    left = keyed.join(theirs.select(keys), keys, join_type="left anti", use_threads=False)
    return mine.take(pa.array(np.sort(np.asarray(left[_ROW]))))
