"""``repair``: rebuild the contents of Neo4j, and a lost ``warehouse.json``.

Only these parts of a warehouse can be rebuilt from the others.
"""

import typer

from provhouse.model.errors import Damaged
from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, WaitOption


def repair(ctx: typer.Context, form: FormOption = None, wait: WaitOption = None) -> None:
    """Rebuild the contents of Neo4j from the tables.

    Works even if the folder of Neo4j is empty or missing. A lost or damaged warehouse.json is
    restored too, with the id that Neo4j has. Tables, names and triples cannot be rebuilt, because
    they are stored nowhere else. If they are damaged, restore a backup. If something is still
    damaged in the end, the exit status is 7, and the result is that of `provhouse check`.
    """
    settings = invocation(ctx).settings(wait_seconds=wait)

    from provhouse.care.repair import repair_and_check
    from provhouse.output.results.check import CheckResult
    from provhouse.output.results.status import StatusResult
    from provhouse.query.listing.status import status

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display(keep=True) as progress:
            report = repair_and_check(settings, progress)
        output.write(CheckResult(report) if report.damages else StatusResult(status(settings)))
    if report.damages:
        raise typer.Exit(Damaged.exit_status)
