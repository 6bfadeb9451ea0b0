"""``evaluate``: compute the value of an item in a semiring."""

from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.semiring import Aggregates, Semiring
from provhouse.output.questions.derivation_questions import AskingEvaluate
from provhouse.weights import read_weights

from ..invocation import invocation
from ..options import AsOfOption, FormOption, ItemArgument, OutOption, SafeOption, utf8
from ..questions import OutputOptions, answer

WeightsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A CSV file with the columns item and weight. Sources that are not in the file have "
        "the neutral weight: 1 for trust and count, 0 for access and cost.",
    ),
]
AggregatesOption = Annotated[
    Aggregates,
    typer.Option(
        help="What an aggregate needs: any one of its inputs, so that it exists, or all of them, "
        "so that it has its value."
    ),
]


def evaluate(
    ctx: typer.Context,
    item: ItemArgument,
    semiring: Annotated[Semiring, typer.Option(help="The value to compute over the derivations.")],
    weights: WeightsOption = None,
    aggregates: AggregatesOption = "any",
    as_of: AsOfOption = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """Compute trust, access, cost or a count over the derivations of an item.

    For alternatives, the result is the largest trust, the lowest access level, the lowest cost or
    the sum of counts. For joint inputs, it is the product of trust or counts, the highest level, or
    the sum of costs. If the triples do not record how inputs act together, the result has two
    bounds.
    """
    name = utf8(item, "An item's name")
    given = read_weights(weights) if weights else {}
    settings = invocation(ctx).asking()

    asked = AskingEvaluate(name, semiring, tuple(given.items()), aggregates, as_of)
    answer(settings, asked, OutputOptions(form, out, safe=safe))
