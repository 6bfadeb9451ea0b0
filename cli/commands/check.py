"""``check``: whether all that is held is whole."""

from typing import Annotated

import typer

from provhouse.model.errors import Damaged
from provhouse.output.output import opened

from ..invocation import invocation
from ..options import FormOption


def check(
    ctx: typer.Context,
    deep: Annotated[
        bool, typer.Option("--deep", help="Read every triple and every name besides.")
    ] = False,
    form: FormOption = None,
) -> None:
    """Look whether all that is held agrees with itself.

    Commits, files, tables and names are held against each other and against Neo4j; nothing is
    changed. Ends with 7 if something is damaged, and says of each damage what to do.
    """
    settings = invocation(ctx).settings()

    from provhouse.care.check import check as checked

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display() as progress:
            report = checked(settings, progress, deep=deep)
        output.report(report)
    if report.damages:
        raise typer.Exit(Damaged.exit_status)
