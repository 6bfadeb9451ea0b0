"""``retract``: end triples in a new generation."""

from pathlib import Path
from typing import Annotated

import typer

from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, WaitOption, utf8


def retract(
    ctx: typer.Context,
    items: Annotated[
        list[str] | None,
        typer.Argument(metavar="ITEM...", help="End all triples from or to these items."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="F", help="End the triples of this file, or of all files in a folder."
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="End the triples that `ingest --run KEY` added."),
    ] = None,
    versions_before: Annotated[
        str | None,
        typer.Option(
            metavar="V",
            help="End the lineage of captured rows that are older than V, if a later write has "
            "replaced their table and no remaining item derives from them. V is a version or an "
            "ISO 8601 time.",
        ),
    ] = None,
    form: FormOption = None,
    wait: WaitOption = None,
) -> None:
    """End triples: answers no longer contain them.

    Earlier generations do not change. A triple that another file or run asserts too is kept, unless
    one of its items is named. To erase a name permanently, use `provhouse forget`.
    """
    settings = invocation(ctx).settings(wait_seconds=wait)
    named = tuple(utf8(item, "The name of an item") for item in items or ())

    from provhouse.output.results.retraction import RetractionResult
    from provhouse.warehouse import Warehouse

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display(keep=True) as progress, Warehouse(settings, progress) as warehouse:
            done = warehouse.retract(*named, file=file, run=run, versions_before=versions_before)
        output.write(RetractionResult(done))
