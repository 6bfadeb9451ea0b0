"""``explain``: what a question would read, before it is asked."""

from typing import Annotated

import typer

from provhouse.output.output import opened
from provhouse.query.question import Method, Question

from .invocation import (
    AsOfOption,
    DownstreamOption,
    FormOption,
    ItemArgument,
    invocation,
    utf8,
)


def explain(
    ctx: typer.Context,
    item: ItemArgument,
    downstream: DownstreamOption = False,
    method: Annotated[Method, typer.Option(help="The method that would be asked for.")] = "auto",
    depth: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="As if asked for so many hops.")
    ] = None,
    as_of: AsOfOption = None,
    form: FormOption = None,
) -> None:
    """What a question would read, and about how long it would take.

    Only the walk over connected sets is done; no triple is read and Spark is not started. Times are
    estimates for a process that is warm.
    """
    item = utf8(item, "An item's name")
    settings = invocation(ctx).settings()

    from provhouse.query.ask import Asker

    from .listening import listening

    question = Question(item, "downstream" if downstream else "upstream", method, depth, as_of)
    with opened(form) as output:
        with listening() as progress, Asker(settings, progress, as_of) as asker:
            explanation = asker.explain(question)
        output.explanation(explanation)
