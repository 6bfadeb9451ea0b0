"""``import``: what was exported, back into a warehouse."""

from pathlib import Path
from typing import Annotated

import typer

from provhouse.output.output import opened

from ..invocation import invocation
from ..options import FormOption


def import_(
    ctx: typer.Context,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="What was exported.", show_default=False)
    ],
    form: FormOption = None,
) -> None:
    """Take in what `provhouse export` wrote, into an empty warehouse or beside what is held.

    The files are held against their SHA-256 first, then what came in against the manifest's totals;
    it is one generation, there whole or not at all.
    """
    settings = invocation(ctx).settings()

    from provhouse.ingest.imported import import_ as imported
    from provhouse.serve.process import await_generation

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display(keep=True) as progress:
            summary = imported(folder, settings, progress)
            await_generation(settings, summary.generation, progress)
        output.summary(summary)
