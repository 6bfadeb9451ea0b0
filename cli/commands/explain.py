"""``explain``: estimate the cost of a question."""

from typing import TYPE_CHECKING, Annotated

import typer

from provhouse.model.question import Direction, Method, Question

from ..invocation import invocation
from ..options import AsOfOption, DownstreamOption, FormOption, ItemArgument, utf8
from ..questions import Askers, OutputOptions, Request, answer

if TYPE_CHECKING:
    from provhouse.output.results.explanation import ExplanationResult


def explain(
    ctx: typer.Context,
    item: ItemArgument,
    downstream: DownstreamOption = False,
    method: Annotated[
        Method, typer.Option(help="Estimate for a question that uses this method.")
    ] = "auto",
    depth: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Estimate for a question limited to N hops."),
    ] = None,
    as_of: AsOfOption = None,
    form: FormOption = None,
) -> None:
    """Estimate what a question would read and how long it would take.

    Walks only the connected sets. Does not read triples or start Spark. Times are estimates for a
    warm process.
    """
    item = utf8(item, "An item's name")
    settings = invocation(ctx).settings()

    direction: Direction = "downstream" if downstream else "upstream"
    question = Question(item, direction, method, depth, as_of=as_of)

    def ask(askers: Askers) -> "ExplanationResult":
        from provhouse.output.results.explanation import ExplanationResult

        with askers(as_of) as asker:
            return ExplanationResult(asker.explain(question))

    asked = ("item", "direction", "method", "depth", "as_of")
    body = {name: getattr(question, name) for name in asked}
    request = Request("/v1/explain", body, ask)
    answer(settings, request, OutputOptions(form))
