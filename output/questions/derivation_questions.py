"""Questions about derivations: the items that rest on an item, and the items that it rests on."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from provhouse.model.deletion import Deletion
from provhouse.model.question import AsOf
from provhouse.model.semiring import Aggregates, Evaluating, Semiring

from .asking import Askers, Asking, Name, meaning

if TYPE_CHECKING:
    from provhouse.query.consequences.depends import Dependency
    from provhouse.query.consequences.evaluation import Evaluation
    from provhouse.query.consequences.what_if import WhatIf
    from provhouse.query.consequences.what_if_each import WhatIfEach
    from provhouse.query.consequences.why import Why
    from provhouse.query.consequences.why_changed import WhyChanged
    from provhouse.query.lineage.ask import Asker


@dataclass(frozen=True, eq=False, repr=False)
class Supposed:
    """The parameters of a supposed deletion: the fields of ``Deletion``."""

    items: tuple[Name, ...] = field(default=(), metadata=meaning("Items to delete"))
    tables: tuple[str, ...] = field(
        default=(), metadata=meaning("Tables whose items are all deleted")
    )
    where: tuple[tuple[Name, str], ...] = field(
        default=(),
        metadata=meaning("Delete only items of these tables that have these attributes"),
    )
    ops: tuple[str, ...] = field(default=(), metadata=meaning("Ops whose triples are all deleted"))
    files: tuple[Name, ...] = field(default=(), metadata=meaning("Files whose triples are deleted"))
    runs: tuple[Name, ...] = field(default=(), metadata=meaning("Runs whose triples are deleted"))
    as_of: AsOf | None = None


@dataclass(frozen=True, eq=False, repr=False)
class AskingWhatIf(
    Supposed,
    Asking["WhatIf"],
    found="query.consequences.what_if.WhatIf",
    result="what_if.WhatIfResult",
):
    """Show what would happen if items or triples did not exist."""

    summary: bool = field(default=False, metadata=meaning("Counts by table only"))

    def find(self, asker: "Asker") -> "WhatIf":
        """Return the consequences of the deletion."""
        from provhouse.query.consequences.what_if import what_if

        return what_if(asker, self.part(Deletion), summary=self.summary)


@dataclass(frozen=True, eq=False, repr=False)
class AskingWhatIfEach(
    Asking["WhatIfEach"],
    found="query.consequences.what_if_each.WhatIfEach",
    result="what_if_each.WhatIfEachResult",
):
    """Show, for each input of an item's aggregates, their values without this input."""

    item: Name
    limit: int = field(default=100, metadata=meaning("At most this many inputs", 1))
    as_of: AsOf | None = None

    def find(self, asker: "Asker") -> "WhatIfEach":
        """Return, for each input, the values of the aggregates without it."""
        from provhouse.query.consequences.what_if_each import what_if_each

        return what_if_each(asker, self.item, self.limit)


@dataclass(frozen=True, eq=False, repr=False)
class AskingDepends(
    Asking["Dependency"],
    found="query.consequences.depends.Dependency",
    result="dependency.DependencyResult",
    command="provhouse depends revenue/2026-03 --on orders/17",
):
    """Show whether an item would exist without another one: yes, no or undecided.

    Also shows a smallest set of sources, of up to three, whose deletion would delete the item. The
    exit status is 0 for all three answers.
    """

    item: Name
    on: Name = field(metadata=meaning("The item to leave out.", metavar="OTHER", option=True))
    as_of: AsOf | None = None

    def find(self, asker: "Asker") -> "Dependency":
        """Return whether the item would exist without the other item."""
        from provhouse.query.consequences.depends import depends

        return depends(asker, self.item, self.on)


@dataclass(frozen=True, eq=False, repr=False)
class AskingWhy(
    Asking["Why"],
    found="query.consequences.why.Why",
    result="why.WhyResult",
):
    """Show the derivations of an item: the inputs that made it together, and the alternatives.

    Inputs that are needed together are joined by &, alternatives by |.
    """

    item: Name
    limit: int = field(
        default=100, metadata=meaning("Show at most N inputs, the nearest first.", 1)
    )
    as_of: AsOf | None = None

    def find(self, asker: "Asker") -> "Why":
        """Return the derivations of the item."""
        from provhouse.query.consequences.why import why

        return why(asker, self.item, self.limit)


@dataclass(frozen=True, eq=False, repr=False)
class AskingWhyChanged(
    Asking["WhyChanged"],
    found="query.consequences.why_changed.WhyChanged",
    result="why_changed.WhyChangedResult",
    command="provhouse why-changed revenue/2026-03 --from 3",
):
    """Show why an aggregate changed: its inputs that came, went, or gave another value.

    Inputs are ranked by their share of the difference. The shares of sum, count and avg add up to
    the difference; other functions have no shares. CSV contains the inputs.
    """

    item: Name
    since: AsOf = field(
        metadata=meaning(
            "The earlier generation: its number, or a time as for --as-of.",
            metavar="GENERATION|TIME",
            option=True,
        )
    )
    until: AsOf | None = field(
        default=None,
        metadata=meaning(
            "The later generation. Default: the current one.", metavar="GENERATION|TIME"
        ),
    )
    limit: int = field(
        default=100, metadata=meaning("Show at most N inputs, largest share first.", 1)
    )

    def answer(self, askers: Askers) -> "WhyChanged":
        """Return the inputs that caused the difference."""
        from provhouse.query.consequences.why_changed import why_changed

        return why_changed(self.item, self.since, self.until, self.limit, askers)


@dataclass(frozen=True, eq=False, repr=False)
class AskingEvaluate(
    Asking["Evaluation"],
    found="query.consequences.evaluation.Evaluation",
    result="evaluation.EvaluationResult",
):
    """Evaluate the derivations of an item in a semiring."""

    item: Name
    semiring: Semiring
    weights: tuple[tuple[Name, float], ...] = field(
        default=(), metadata=meaning("Sources and their weights")
    )
    aggregates: Aggregates = field(
        default="any", metadata=meaning("Whether an aggregate takes one of its inputs or all")
    )
    as_of: AsOf | None = None

    def find(self, asker: "Asker") -> "Evaluation":
        """Return the value of the item."""
        from provhouse.query.consequences.evaluation import evaluate

        asked = Evaluating(self.item, self.semiring, dict(self.weights), self.aggregates)
        return evaluate(asker, asked)
