"""``find``: items by a part of their names."""

from typing import TYPE_CHECKING, Annotated

import typer

from ..invocation import invocation
from ..options import FormOption, OutOption, SafeOption, utf8
from ..questions import Askers, OutputOptions, Request, answer

if TYPE_CHECKING:
    from provhouse.query.find import Finding


def find(
    ctx: typer.Context,
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT", help="What names begin with, letter by letter; it is no pattern."
        ),
    ],
    anywhere: Annotated[
        bool, typer.Option("--anywhere", help="They may hold it at any place.")
    ] = False,
    table: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="Only items of this table.", show_default=False),
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", min=1, help="List at most so many, the first by name.")
    ] = 20,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """Find items by the beginning of their names.

    Says how many there are and lists the first; that there are none is an answer too.
    """
    text = utf8(text, "The text")
    within = None if table is None else utf8(table, "A table's name")
    settings = invocation(ctx).settings()

    def ask(askers: Askers) -> "Finding":
        from provhouse.query.find import find as found

        with askers(None) as asker:
            return found(asker.snapshot, text, anywhere=anywhere, table=within, limit=limit)

    body = {"text": text, "anywhere": anywhere, "table": within, "limit": limit}
    request = Request("/v1/find", body, ask, lambda output, finding: output.finding(finding))
    answer(settings, request, OutputOptions(form, out, safe=safe))
