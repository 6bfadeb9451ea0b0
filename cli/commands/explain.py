"""``explain``: estimate the cost of a question."""

from typing import Annotated

import typer

from provhouse.model.question import Direction, Method
from provhouse.output.questions.items import AskingExplain

from ..invocation import invocation
from ..options import AsOfOption, DownstreamOption, FormOption, ItemArgument, utf8
from ..questions import OutputOptions, answer


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
    settings = invocation(ctx).asking()

    direction: Direction = "downstream" if downstream else "upstream"
    asked = AskingExplain(item, direction, method, depth, as_of)
    answer(settings, asked, OutputOptions(form))
