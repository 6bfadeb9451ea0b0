"""``import``: ingest an export."""

from pathlib import Path
from typing import Annotated

import typer

from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, WaitOption


def import_(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of an export.")],
    form: FormOption = None,
    wait: WaitOption = None,
) -> None:
    """Ingest the files that `provhouse export` wrote.

    The warehouse may be empty or not. Checks the files against their SHA-256 checksums and the
    result against the totals in the manifest. An import becomes one generation or has no effect.
    """
    settings = invocation(ctx).settings(wait_seconds=wait)

    from provhouse.ingest.imported import import_ as import_files
    from provhouse.output.results.ingest import IngestResult
    from provhouse.serve.server_process import await_generation

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display(keep=True) as progress:
            summary = import_files(folder, settings, progress)
            await_generation(settings, summary.generation, progress)
        output.write(IngestResult(summary))
