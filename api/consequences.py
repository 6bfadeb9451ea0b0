"""The results of questions about derivations: ``what_if``, ``depends``, ``why`` and others."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from provhouse.model.answer import Header, Read
from provhouse.model.deletion import Deletion
from provhouse.model.operations import Weakest
from provhouse.model.semiring import Aggregates, Semiring
from provhouse.output.result import Result
from provhouse.query import depends as found_dependency
from provhouse.query import evaluate as found_evaluation
from provhouse.query import what_if as found_what_if
from provhouse.query import what_if_each as found_each
from provhouse.query import why as found_why
from provhouse.query import why_changed as found_difference
from provhouse.query.diff import Side

from .results import Shown, shown
from .rows import (
    Alternative,
    Alternatives,
    ChangedInput,
    ChangedValue,
    Derivation,
    Difference,
    Fate,
    FateCount,
    MayCreate,
    Rows,
    UnknownValue,
)


@dataclass(frozen=True, kw_only=True)
class WhatIf(Shown, Header):
    """The consequences of a deletion for all items downstream.

    ``dies``, ``survives`` and ``undecided`` count the items that are reached.
    """

    deletion: Deletion
    deleted: int
    """The number of deleted items."""
    deleted_triples: int
    """The number of triples that an op, a file or a run named."""
    dies: int
    survives: int
    undecided: int
    """The number of items whose fate is not known, because the triples do not say enough."""
    changed_items: int
    """The number of items, among those that survive, with an aggregate that changes."""
    not_recomputed: int
    """The number of items with a value that may change but cannot be computed again."""
    tables: Rows[FateCount]
    items: Rows[Fate]
    """The fate of each item, in the order dies, changed, undecided, survives, then by name."""
    changed: Rows[ChangedValue]
    unknown: Rows[UnknownValue]
    """The values that cannot be computed again, and why."""
    may_create: Rows[MayCreate]
    erased: int
    complete: bool
    read: Read
    exactness: Weakest | None
    exactness_triples: Mapping[str, int]
    _found: found_what_if.WhatIf = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.what_if import WhatIfResult

        return WhatIfResult(self._found)


@dataclass(frozen=True, kw_only=True)
class WhatIfEach(Shown, Header):
    """The values of an item's aggregates without each of their inputs in turn."""

    item: str
    values: Rows[Alternatives]
    inputs: Rows[Alternative]
    """A row for each aggregate and input, those with the largest change first."""
    cut: bool
    """Whether the limit left out inputs."""
    erased: int
    complete: bool
    read: Read
    _found: found_each.WhatIfEach = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.what_if_each import WhatIfEachResult

        return WhatIfEachResult(self._found)


@dataclass(frozen=True, kw_only=True)
class Dependency(Shown, Header):
    """Whether an item would exist without another one."""

    item: str
    on: str
    exists: found_dependency.Exists
    derived: bool
    """Whether ``item`` is derived from ``on`` at all."""
    smallest: tuple[str, ...] | None
    """A smallest set of sources without which the item would not exist, if it has up to three."""
    searched: bool
    """False if the search for ``smallest`` was given up."""
    complete: bool
    read: Read
    _found: found_dependency.Dependency = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.dependency import DependencyResult

        return DependencyResult(self._found)


@dataclass(frozen=True, kw_only=True)
class Why(Shown, Header):
    """The derivations of an item and of its inputs, the nearest first."""

    item: str
    expression: str
    """The derivations as one text: ``&`` between joint inputs, ``|`` between alternatives."""
    derivations: Rows[Derivation]
    cut: bool
    """Whether the limit left something out."""
    complete: bool
    read: Read
    _found: found_why.Why = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.why import WhyResult

        return WhyResult(self._found)


@dataclass(frozen=True, kw_only=True)
class WhyChanged(Shown):
    """The difference of an item between two generations, and the inputs that make it."""

    item: str
    since: Side
    until: Side
    came: int
    went: int
    changed: int
    """The number of inputs that gave another value."""
    values: Rows[Difference]
    inputs: Rows[ChangedInput]
    """The inputs that came, went or changed, those with the largest share first."""
    cut: bool
    """Whether the limit left out inputs."""
    seconds: Mapping[str, float]
    _found: found_difference.WhyChanged = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.why_changed import WhyChangedResult

        return WhyChangedResult(self._found)


@dataclass(frozen=True, kw_only=True)
class Evaluation(Shown, Header):
    """The value of an item in a semiring: between ``low`` and ``high``, which often are equal."""

    item: str
    semiring: Semiring
    aggregates: Aggregates
    low: float | None
    high: float | None
    reason: str | None
    """Why there is no value, if both bounds are None."""
    used: int
    """The number of weights of sources among the triples read."""
    unused: int
    complete: bool
    read: Read
    _found: found_evaluation.Evaluation = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.evaluation import EvaluationResult

        return EvaluationResult(self._found)


def what_if(found: found_what_if.WhatIf) -> WhatIf:
    """Return the public form of a what-if answer."""
    rows = {
        "tables": Rows(found.tables, FateCount._make),
        "items": Rows(found.items, Fate._make),
        "changed": Rows(found.changed, ChangedValue._make),
        "unknown": Rows(found.unknown, UnknownValue._make),
        "may_create": Rows(found.may_create, MayCreate._make),
    }
    return WhatIf(**shown(WhatIf, found, **rows))


def what_if_each(found: found_each.WhatIfEach) -> WhatIfEach:
    """Return the public form of the alternatives of an item."""
    values, inputs = Rows(found.values, Alternatives._make), Rows(found.inputs, Alternative._make)
    return WhatIfEach(**shown(WhatIfEach, found, values=values, inputs=inputs))


def dependency(found: found_dependency.Dependency) -> Dependency:
    """Return the public form of a dependency."""
    return Dependency(**shown(Dependency, found))


def why(found: found_why.Why) -> Why:
    """Return the public form of derivations."""
    return Why(**shown(Why, found, derivations=Rows(found.derivations, Derivation._make)))


def why_changed(found: found_difference.WhyChanged) -> WhyChanged:
    """Return the public form of a difference."""
    values = Rows(found.values, Difference._make)
    inputs = Rows(found.inputs, ChangedInput._make)
    return WhyChanged(**shown(WhyChanged, found, values=values, inputs=inputs))


def evaluation(found: found_evaluation.Evaluation) -> Evaluation:
    """Return the public form of an evaluation."""
    return Evaluation(**shown(Evaluation, found))
