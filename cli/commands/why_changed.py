"""``why-changed``: which inputs made an item another one."""

from typing import TYPE_CHECKING, Annotated

import typer

from provhouse import questions

from ..invocation import invocation
from ..options import FormOption, ItemArgument, OutOption, SafeOption, utf8
from ..questions import OutputOptions, answer

if TYPE_CHECKING:
    from provhouse.output.result import Result
    from provhouse.query.why_changed import WhyChanged


def why_changed(
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
    limit: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Show at most N inputs, largest share first."),
    ] = 100,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """Show why an aggregate changed: the inputs that came, went or gave another value.

    Inputs are ranked by their share of the difference. Shares of sum, count and avg add up to it;
    other functions have none. CSV contains the inputs.
    """
    name = utf8(item, "An item's name")
    settings = invocation(ctx).settings()

    asked = questions.why_changed(name, since, until, limit)
    answer(settings, asked, _result, OutputOptions(form, out, safe=safe))


def _result(found: "WhyChanged") -> "Result":
    from provhouse.output.results.why_changed import WhyChangedResult

    return WhyChangedResult(found)
