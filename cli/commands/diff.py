"""``diff``: what came and went between two generations."""

from typing import TYPE_CHECKING, Annotated

import typer

from provhouse.model.question import Direction, Question

from ..invocation import invocation
from ..options import DownstreamOption, FormOption, ItemArgument, SafeOption, utf8
from ..questions import Askers, OutputOptions, Request, answer

if TYPE_CHECKING:
    from provhouse.query.diff import Diff


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
    safe: SafeOption = False,
) -> None:
    """What came into an item's lineage or impact, and what went.

    JSON holds items and triples; CSV the triples, since whatever came or went has one. An item
    that only one of the generations holds came, or went, with all of its lineage.
    """
    item = utf8(item, "An item's name")
    settings = invocation(ctx).settings()

    direction: Direction = "downstream" if downstream else "upstream"

    def ask(askers: Askers) -> "Diff":
        from provhouse.query.diff import compared

        return compared(Question(item, direction, as_of=since), until, askers)

    body = {"item": item, "direction": direction, "from": since, "to": until}
    request = Request("/v1/diff", body, ask, lambda output, found: output.diff(found))
    answer(settings, request, OutputOptions(form, safe=safe))
