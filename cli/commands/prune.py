"""``prune``: earlier generations are no longer kept."""

from typing import Annotated

import typer

from provhouse.output.output import opened

from ..invocation import invocation
from ..options import FormOption


def prune(
    ctx: typer.Context,
    keep: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Keep the last N generations.", show_default=False),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Keep those that were committed at this time or later: a time in ISO 8601, a "
            "date meaning its beginning; local unless it names a zone.",
            show_default=False,
        ),
    ] = None,
    form: FormOption = None,
) -> None:
    """No longer keep earlier generations: they can't be asked any more.

    Give --keep or --before; the current generation always stays. Room comes back where a whole base
    goes, so run `provhouse compact` first. Questions that run end undisturbed.
    """
    settings = invocation(ctx).settings()

    from provhouse.changes.prune import prune as pruned

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display() as progress:
            done = pruned(settings, progress, keep=keep, before=before)
        output.pruned(done)
