"""``diff``: what came and went between two generations."""

from typing import Annotated

import typer

from provhouse.output.output import opened
from provhouse.query.question import Question

from .invocation import (
    DownstreamOption,
    FormOption,
    ItemArgument,
    invocation,
    utf8,
)


def diff(
    ctx: typer.Context,
    item: ItemArgument,
    since: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="GENERATION|TIME",
            help="The generation before: its number, or a time as --as-of takes it.",
        ),
    ],
    until: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="GENERATION|TIME",
            help="The one after; else the current one.",
            show_default=False,
        ),
    ] = None,
    downstream: DownstreamOption = False,
    form: FormOption = None,
) -> None:
    """What came into an item's lineage or impact, and what went.

    JSON holds items and triples; CSV the triples, since whatever came or went has one. An item
    that only one of the generations holds came, or went, with all of its lineage.
    """
    item = utf8(item, "An item's name")
    settings = invocation(ctx).settings()

    from provhouse.query.diff import compared

    from .listening import listening

    question = Question(item, "downstream" if downstream else "upstream", as_of=since)
    with opened(form) as output:
        with listening() as progress:
            found = compared(question, until, settings, progress)
        output.diff(found)
