"""``diff``: how an answer changed between two generations."""

from typing import TYPE_CHECKING, Annotated

import typer

from provhouse.model.question import Direction, Question

from ..invocation import invocation
from ..options import DownstreamOption, FormOption, ItemArgument, SafeOption, utf8
from ..questions import Askers, OutputOptions, Request, answer

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
            help="The earlier generation: its number, or a time as for --as-of.",
        ),
    ],
    until: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="GENERATION|TIME",
            help="The later generation. Default: the current one.",
            show_default=False,
        ),
    ] = None,
    downstream: DownstreamOption = False,
    form: FormOption = None,
    safe: SafeOption = False,
) -> None:
    """Show how the lineage or impact of an item changed.

    JSON contains the items and triples that were added or removed, CSV only the triples. If only
    one of the generations contains the item, its whole lineage or impact counts as added or
    removed.
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
    answer(settings, request, OutputOptions(form, safe=safe))
