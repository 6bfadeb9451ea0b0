"""``values``: list the ops, attribute keys, or values of an attribute."""

from typing import Annotated

import typer

from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import AsOfOption, FormOption, OutOption, SafeOption, utf8


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
    settings = invocation(ctx).settings()

    from provhouse.output.results.values import ValuesResult
    from provhouse.query.exporting.values import count_values
    from provhouse.store.warehouse.layout import Layout

    from ..progress_display import progress_display

    layout = Layout(settings.warehouse)
    with (
        opened(form, out, safe=safe) as output,
        progress_display() as progress,
        count_values(layout, of, progress, contains=within, as_of=as_of) as counts,
    ):
        progress.clear()
        output.write(ValuesResult(of, counts))
