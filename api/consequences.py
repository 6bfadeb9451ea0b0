"""The results of questions about derivations, such as ``what_if``, ``depends`` and ``why``."""

from collections.abc import Callable
from dataclasses import dataclass, field

from provhouse.model.errors import UsageError
from provhouse.output.questions.derivation_questions import (
    AskingDepends,
    AskingEvaluate,
    AskingWhatIf,
    AskingWhatIfEach,
    AskingWhy,
    AskingWhyChanged,
)
from provhouse.pictures.drawing import Drawing
from provhouse.pictures.picture_graph import DrawnGraph
from provhouse.query.consequences import depends as found_dependency
from provhouse.query.consequences import evaluation as found_evaluation
from provhouse.query.consequences import what_if as found_what_if
from provhouse.query.consequences import what_if_each as found_each
from provhouse.query.consequences import why as found_why
from provhouse.query.consequences import why_changed as found_difference

from .results import Answered
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
class WhatIf(Answered, found_what_if.WhatIf):
    """The consequences of a deletion for all items downstream.

    ``dies``, ``survives`` and ``undecided`` are the numbers of downstream items with these fates.
    """

    _asking = AskingWhatIf
    _graph: Callable[[], DrawnGraph] | None = field(default=None, repr=False, compare=False)
    tables: Rows[FateCount]
    items: Rows[Fate]
    changed: Rows[ChangedValue]
    unknown: Rows[UnknownValue]
    may_create: Rows[MayCreate]

    def draw(self) -> Drawing:
        """Return a picture of the deleted items and of all items derived from them.

        The picture shows the fate of each item.

        The warehouse is asked again, as of the same generation. Raises UsageError for the summary
        of a view; draw the view instead.

        >>> warehouse.what_if("orders/18").draw()
        <Drawing: 3 boxes, 2 lines>
        """
        if self._graph is None:
            raise UsageError("The summary of a view has no picture", "", "Draw the view")
        return Drawing(self._graph())


@dataclass(frozen=True, kw_only=True)
class WhatIfEach(Answered, found_each.WhatIfEach):
    """An item's aggregate values without one of their inputs, for each input."""

    _asking = AskingWhatIfEach
    values: Rows[Alternatives]
    inputs: Rows[Alternative]


@dataclass(frozen=True, kw_only=True)
class Dependency(Answered, found_dependency.Dependency):
    """Whether an item would exist without a given other item."""

    _asking = AskingDepends


@dataclass(frozen=True, kw_only=True)
class Why(Answered, found_why.Why):
    """The derivations of an item and of its inputs, nearest first."""

    _asking = AskingWhy
    derivations: Rows[Derivation]


@dataclass(frozen=True, kw_only=True)
class WhyChanged(Answered, found_difference.WhyChanged):
    """The difference of an item between two generations, and the inputs that caused it."""

    _asking = AskingWhyChanged
    values: Rows[Difference]
    inputs: Rows[ChangedInput]


@dataclass(frozen=True, kw_only=True)
class Evaluation(Answered, found_evaluation.Evaluation):
    """The value of an item in a semiring: a range from ``low`` to ``high``, often equal."""

    _asking = AskingEvaluate
