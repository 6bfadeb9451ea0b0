"""``values``: list the ops, attribute keys, or values of an attribute."""

import sys
from typing import Annotated

import typer

from provhouse.output.questions.lists import AskingValues
from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import AsOfOption, FormOption, OutOption, SafeOption, utf8
from ..questions import found


def values(
    ctx: typer.Context,
    of: Annotated[
        str,
        typer.Argument(
            metavar="OF", help="What to list: op, attributes (their keys), or attributes.KEY."
        ),
    ],
    contains: Annotated[
        str | None, typer.Option(metavar="TEXT", help="List only values that contain this text.")
    ] = None,
    as_of: AsOfOption = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """List the values of ops or attributes, sorted, with their numbers of triples.

    These are the values that --op and --where accept. All triples are read, one partition at a
    time; neither Spark nor Neo4j is started.
    """
    of = utf8(of, "The name of an attribute")
    within = None if contains is None else utf8(contains, "The text")
    call = invocation(ctx)
    settings = call.asking()

    from provhouse.output.results.values import ValuesResult

    from ..progress_display import progress_display

    with opened(form, out, safe=safe) as output, progress_display() as progress:
        if settings.server:
            asked = AskingValues(of, within, limit=sys.maxsize, as_of=as_of)
            values = found(settings, asked, progress).values
            output.write(ValuesResult(of, ((each.value, each.triples) for each in values)))
            return

        from provhouse.query.exporting.values import count_values
        from provhouse.store.warehouse.layout import Layout

        layout = Layout(call.settings().warehouse)
        with count_values(layout, of, progress, contains=within, as_of=as_of) as counts:
            progress.clear()
            output.write(ValuesResult(of, counts))
