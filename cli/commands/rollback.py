"""``rollback``: undo the last ingest."""

import typer

from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, WaitOption


def rollback(ctx: typer.Context, form: FormOption = None, wait: WaitOption = None) -> None:
    """Undo the last ingest.

    Adds a generation with the contents from before that ingest. Earlier generations do not change,
    so questions can still be asked about the undone generation. If the server is running, waits
    until it answers from the new generation.
    """
    settings = invocation(ctx).settings(wait_seconds=wait)

    from provhouse.care.rollback import rollback as undo_ingest
    from provhouse.output.results.status import StatusResult
    from provhouse.query.listing.status import status
    from provhouse.serve.server_process import await_generation

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display(keep=True) as progress:
            undo_ingest(settings, progress)
            await_generation(settings, status(settings).generation, progress)
        output.write(StatusResult(status(settings)))
