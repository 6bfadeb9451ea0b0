"""``compact``: rewrite the tables after many ingests."""

import typer

from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, WaitOption


def compact(ctx: typer.Context, form: FormOption = None, wait: WaitOption = None) -> None:
    """Rewrite the tables after many ingests, so that questions read less.

    Answers stay the same, questions can be asked meanwhile, and earlier generations remain. If the
    server is running, waits until it answers from the new tables. To free the space of the old
    tables, run `provhouse prune` afterwards.
    """
    settings = invocation(ctx).settings(wait_seconds=wait)

    from provhouse.care.compact import compact as rewrite_tables
    from provhouse.output.results.status import StatusResult
    from provhouse.query.listing.status import status
    from provhouse.serve.server_process import await_generation

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display(keep=True) as progress:
            rewrite_tables(settings, progress)
            await_generation(settings, status(settings).generation, progress)
        output.write(StatusResult(status(settings)))
