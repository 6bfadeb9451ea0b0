"""``check``: check whether the parts of a warehouse are consistent."""

from typing import Annotated

import typer

from provhouse.model.errors import Damaged, UsageError
from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, WaitOption
from .repair import repair


def check(
    ctx: typer.Context,
    deep: Annotated[
        bool, typer.Option("--deep", help="Also read every triple and every name.")
    ] = False,
    repaired: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Rebuild the contents of Neo4j from the tables, and restore a lost or damaged "
            "warehouse.json. Tables and names cannot be rebuilt: restore a backup.",
        ),
    ] = False,
    form: FormOption = None,
    wait: WaitOption = None,
) -> None:
    """Check the warehouse for damage.

    Compares commits, files, tables, names and Neo4j with each other, and changes nothing. If
    something is damaged, the exit status is 7, and the result lists a remedy for each damage.
    """
    if deep and repaired:
        raise UsageError(
            "--deep and --repair are given together",
            "--repair checks only what it has rebuilt",
            "Run one after the other",
        )
    if repaired:
        repair(ctx, form, wait)
        return
    settings = invocation(ctx).settings()

    from provhouse.care.check import check as check_warehouse
    from provhouse.output.results.check import CheckResult

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display() as progress:
            report = check_warehouse(settings, progress, deep=deep)
        output.write(CheckResult(report))
    if report.damages:
        raise typer.Exit(Damaged.exit_status)
