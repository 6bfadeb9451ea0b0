"""``find``: search for items by name."""

from typing import TYPE_CHECKING, Annotated

import typer

from ..invocation import invocation
from ..options import FormOption, OutOption, SafeOption, utf8
from ..questions import Askers, OutputOptions, Request, answer

if TYPE_CHECKING:
    from provhouse.output.results.finding import FindingResult


def find(
    ctx: typer.Context,
    text: Annotated[
        str,
        typer.Argument(metavar="TEXT", help="The text that names begin with. It is not a pattern."),
    ],
    anywhere: Annotated[
        bool, typer.Option("--anywhere", help="Match the text anywhere in a name.")
    ] = False,
    table: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="Find only items of this table.", show_default=False),
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", min=1, help="List up to N items, in order of their names.")
    ] = 20,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """Find items by the beginning of their names.

    Shows the number of matches and lists the first ones. No match is not an error.
    """
    text = utf8(text, "The text")
    within = None if table is None else utf8(table, "A table's name")
    settings = invocation(ctx).settings()

    def ask(askers: Askers) -> "FindingResult":
        from provhouse.output.results.finding import FindingResult
        from provhouse.query.find import find as found

        with askers(None) as asker:
            finding = found(asker.snapshot, text, anywhere=anywhere, table=within, limit=limit)
            return FindingResult(finding)

    body = {"text": text, "anywhere": anywhere, "table": within, "limit": limit}
    request = Request("/v1/find", body, ask)
    answer(settings, request, OutputOptions(form, out, safe=safe))
