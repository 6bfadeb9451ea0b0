"""``tidy``: delete earlier generations and old versions of rows, and rewrite the tables."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.model.keeping import Keep, keeping
from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, WaitOption


def tidy(
    ctx: typer.Context,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="N|AGE[,AGE]",
            help="Keep the last N generations, or those that questions as of any time within the "
            "last AGE need, such as 30d. With a second AGE, such as 30d,12m, also end versions of "
            "rows that are older than the second AGE, unless a newer row derives from them. Units "
            "are d, w, m and y. Default: the setting keep.",
        ),
    ] = None,
    rewrite: Annotated[
        bool,
        typer.Option(
            "--rewrite",
            help="First rewrite the tables after many ingests, so that questions read less.",
        ),
    ] = False,
    form: FormOption = None,
    wait: WaitOption = None,
) -> None:
    """Delete earlier generations and old versions of rows, and rewrite the tables.

    Never deletes the current generation. Answers of the generations that stay are the same, and
    running questions are not disturbed. Space is freed only when all generations of a base are
    deleted; --rewrite starts a new base. A tidy that is killed does no damage: the next one
    continues.
    """
    settings = invocation(ctx).settings(wait_seconds=wait)
    text = keep if keep is not None else settings.keep
    if not text and not rewrite:
        raise UsageError(
            "It is not clear what to tidy",
            "Neither --keep nor --rewrite is given, and the setting keep is empty",
            "Use provhouse tidy --keep 30d, provhouse tidy --rewrite, or both",
        )
    kept = keeping(text, datetime.now(UTC)) if text else Keep()

    from provhouse.care.tidy import tidy as tidy_warehouse
    from provhouse.output.results.tidied import TidyResult
    from provhouse.serve.server_process import await_generation

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display(keep=True) as progress:
            done = tidy_warehouse(settings, progress, kept, rewrite=rewrite)
            await_generation(settings, done.generation, progress)
        output.write(TidyResult(done))
