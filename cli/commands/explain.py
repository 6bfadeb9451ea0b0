"""``explain``: estimate the cost of a question."""

from typing import TYPE_CHECKING, Annotated

import typer

from provhouse import questions
from provhouse.model.question import Direction, Method, Question

from ..invocation import invocation
from ..options import AsOfOption, DownstreamOption, FormOption, ItemArgument, utf8
from ..questions import OutputOptions, answer

if TYPE_CHECKING:
    from provhouse.output.result import Result
    from provhouse.query.explain import Explanation


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
    process in which Spark is running and has the partitions in memory.
    """
    item = utf8(item, "An item's name")
    settings = invocation(ctx).settings()

    direction: Direction = "downstream" if downstream else "upstream"
    question = Question(item, direction, method, depth, as_of=as_of)

    answer(settings, questions.explain(question), _result, OutputOptions(form))


def _result(found: "Explanation") -> "Result":
    from provhouse.output.results.explanation import ExplanationResult

    return ExplanationResult(found)
