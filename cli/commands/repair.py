"""``repair``: rebuild the contents of Neo4j, and a lost ``warehouse.json``.

Only these parts of a warehouse can be rebuilt from its other parts.
"""

import typer

from provhouse.model.errors import Damaged
from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, WaitOption


def repair(ctx: typer.Context, form: FormOption = None, wait: WaitOption = None) -> None:
    """Rebuild the contents of Neo4j from the tables.

    Works even if the folder of Neo4j is empty or missing. Also restores a lost or damaged
    warehouse.json, with the id stored in Neo4j. Tables, names and triples cannot be rebuilt,
    because they are stored nowhere else: restore a backup if they are damaged. If damage remains at
    the end, the exit status is 7, and the result has the form of `provhouse check`.
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
