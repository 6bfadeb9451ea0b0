"""``diff``: what came and went between two generations."""

from typing import TYPE_CHECKING, Annotated

import typer

from provhouse.model.question import Direction, Question

from ..invocation import DownstreamOption, FormOption, ItemArgument, SafeOption, invocation, utf8
from ..questions import Askers, Look, Request, answered

if TYPE_CHECKING:
    from provhouse.output.results.diff import DiffResult


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

    def ask(askers: Askers) -> "DiffResult":
        from provhouse.output.results.diff import DiffResult
        from provhouse.query.diff import compare

        question = Question(item, direction, as_of=since)
        return DiffResult(compare(question, until, askers))

    body = {"item": item, "direction": direction, "from": since, "to": until}
    request = Request("/v1/diff", body, ask)
    answered(settings, request, Look(form, safe=safe))
