"""``retract``: triples end, earlier generations stay."""

from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.output.output import opened

from ..invocation import invocation
from ..options import FormOption, check_run, utf8


def retract(
    ctx: typer.Context,
    items: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ITEM...",
            help="All triples from and to these items, whoever brought them.",
            show_default=False,
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(metavar="F", help="What this file brought, or all files of a folder."),
    ] = None,
    run: Annotated[
        str | None, typer.Option(metavar="KEY", help="What `ingest --run KEY` brought.")
    ] = None,
    form: FormOption = None,
) -> None:
    """Let triples end: today's answers no longer have them.

    Earlier generations stay as they were. A triple that another file or run brought too is kept,
    unless one of its items is named. To get rid of a name for good is something else.
    """
    settings = invocation(ctx).settings()
    if run is not None:
        check_run(run)
    if [bool(items), file is not None, run is not None].count(True) != 1:
        raise UsageError(
            "A retraction should be of items, or of one file, or of one run",
            "None or several of these were named",
            "Give ITEM, --file or --run",
        )

    named = tuple(utf8(item, "The name of an item") for item in items or ())

    from provhouse.changes.retract import Wanted
    from provhouse.changes.retract import retract as retracted
    from provhouse.serve.process import await_generation

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display(keep=True) as progress:
            done = retracted(Wanted(file, run, named), settings, progress)
            await_generation(settings, done.generation, progress)
        output.retraction(done)
