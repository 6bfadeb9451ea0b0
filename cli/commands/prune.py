"""``prune``: delete earlier generations."""

from typing import Annotated

import typer

from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, WaitOption


def prune(
    ctx: typer.Context,
    keep: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Keep the last N generations.")
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Keep the generations committed at this ISO 8601 time or later. A date means the "
            "beginning of that day. Times are local unless they name a time zone.",
        ),
    ] = None,
    form: FormOption = None,
    wait: WaitOption = None,
) -> None:
    """Delete earlier generations.

    Needs --keep or --before. Never deletes the current generation. Space is freed only when all
    generations of a base are deleted. So first run `provhouse compact`, which starts a new base.
    Running questions are not disturbed.
    """
    settings = invocation(ctx).settings(wait_seconds=wait)

    from provhouse.care.prune import prune as delete_generations
    from provhouse.output.results.prune import PruneResult

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display() as progress:
            done = delete_generations(settings, progress, keep=keep, before=before)
        output.write(PruneResult(done))
