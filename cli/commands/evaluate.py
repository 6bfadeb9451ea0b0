"""``evaluate``: the value of an item in a semiring."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from provhouse import questions
from provhouse.model.semiring import Aggregates, Evaluating, Semiring
from provhouse.weights import read_weights

from ..invocation import invocation
from ..options import AsOfOption, FormOption, ItemArgument, OutOption, SafeOption, utf8
from ..questions import OutputOptions, answer

if TYPE_CHECKING:
    from provhouse.output.result import Result
    from provhouse.query.evaluate import Evaluation


def evaluate(
    ctx: typer.Context,
    item: ItemArgument,
    semiring: Annotated[
        Semiring,
        typer.Option(help="What to compute over the derivations.", show_default=False),
    ],
    weights: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A CSV file with the columns item and weight. Other sources have the weight that"
            " changes nothing: 1 for trust and count, 0 for access and cost.",
            show_default=False,
        ),
    ] = None,
    aggregates: Annotated[
        Aggregates,
        typer.Option(
            help="Whether an aggregate takes one of its inputs, as its existence does, or all, as"
            " its value does."
        ),
    ] = "any",
    as_of: AsOfOption = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """Compute trust, access, cost or a count over the derivations of an item.

    Alternatives take the largest trust, the lowest access level or the lowest cost, or are counted;
    joint inputs multiply trust and counts, take the highest level, or add their costs. If the
    triples do not say how inputs act together, the result has two bounds.
    """
    name = utf8(item, "An item's name")
    given = read_weights(weights) if weights else {}
    settings = invocation(ctx).settings()

    asked = questions.evaluate(Evaluating(name, semiring, given, aggregates), as_of)
    answer(settings, asked, _result, OutputOptions(form, out, safe=safe))


def _result(found: "Evaluation") -> "Result":
    from provhouse.output.results.evaluation import EvaluationResult

    return EvaluationResult(found)
