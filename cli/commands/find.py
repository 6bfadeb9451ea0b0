"""``find``: search for items by name."""

from typing import TYPE_CHECKING, Annotated

import typer

from provhouse import questions

from ..invocation import invocation
from ..options import FormOption, OutOption, SafeOption, utf8
from ..questions import OutputOptions, answer

if TYPE_CHECKING:
    from provhouse.output.result import Result
    from provhouse.query.find import Finding


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

    asked = questions.find(text, anywhere, within, limit)
    answer(settings, asked, _result, OutputOptions(form, out, safe=safe))


def _result(found: "Finding") -> "Result":
    from provhouse.output.results.finding import FindingResult

    return FindingResult(found)
