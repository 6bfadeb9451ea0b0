"""``path``: how one item was derived from another."""

from typing import Annotated

import typer

from provhouse.output.output import opened

from .invocation import FormOption, OutOption, invocation, utf8


def path(
    ctx: typer.Context,
    source: Annotated[
        str,
        typer.Argument(metavar="FROM", help="The item that the data comes from."),
    ],
    target: Annotated[
        str,
        typer.Argument(metavar="TO", help="The item that was derived from it."),
    ],
    every: Annotated[
        bool, typer.Option("--all", help="All triples on any way, however long or round about.")
    ] = False,
    form: FormOption = None,
    out: OutOption = None,
) -> None:
    """How one item was derived from another: one of the shortest ways.

    Data goes from FROM to TO. JSON holds the items and the triples on the way, CSV the triples
    (src, dst, op, attributes). Exit status 3 where there is no way.
    """
    names = utf8(source, "An item's name"), utf8(target, "An item's name")
    settings = invocation(ctx).settings()

    from provhouse.query.ask import Asker
    from provhouse.query.path import path as led

    from .listening import listening

    with (
        opened(form, out) as output,
        listening() as progress,
        Asker(settings, progress) as asker,
    ):
        found = led(asker, *names, every=every)
        progress.rest()
        output.path(found)
