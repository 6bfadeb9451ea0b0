"""``check`` and ``repair``: whether all that is held is whole, and what can be mended of it."""

from typing import Annotated

import typer

from provhouse.model.errors import Damaged
from provhouse.output.writer import opened

from ..invocation import FormOption, invocation


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
    from provhouse.output.results.check import CheckResult

    from ..progress_display import listening

    with opened(form) as output:
        with listening() as progress:
            report = checked(settings, progress, deep=deep)
        output.write(CheckResult(report))
    if report.damages:
        raise typer.Exit(Damaged.exit_status)


def repair(ctx: typer.Context, form: FormOption = None) -> None:
    """Mend what can be mended from the tables: all that Neo4j holds.

    Also where its folder was emptied or is gone. Tables, names and triples stand nowhere else;
    `provhouse check` says which of them want a backup.
    """
    settings = invocation(ctx).settings()

    from provhouse.care.repair import repair as repaired
    from provhouse.output.results.status import StatusResult
    from provhouse.query.status import status

    from ..progress_display import listening

    with opened(form) as output:
        with listening(keep=True) as progress:
            repaired(settings, progress)
        output.write(StatusResult(status(settings)))
