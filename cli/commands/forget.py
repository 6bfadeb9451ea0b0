"""``forget``: items are erased for good, wherever they are held."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.output.output import opened

from ..invocation import invocation
from ..options import FormOption, utf8


def forget(
    ctx: typer.Context,
    items: Annotated[
        list[str],
        typer.Argument(metavar="ITEM...", help="The names of items.", show_default=False),
    ],
    form: FormOption = None,
) -> None:
    """Erase items for good: their names, and what is said of them, from all generations and logs.

    What remains is a number without a name, so that answers that lead through it stay whole and say
    how many items were erased. There is no way back. Exports, backups and the files that were
    taken in are yours to clean.
    """
    settings = invocation(ctx).settings()
    named = tuple(utf8(item, "The name of an item") for item in items)

    from provhouse.changes.forget import forget as forgot

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display(keep=True) as progress:
            done = forgot(named, settings, progress, _alone(settings, progress))
        output.forgotten(done)


@contextmanager
def _alone(settings: Settings, progress: Progress) -> Iterator[None]:
    """Without a server, which holds names and triples in memory; it is started again afterwards."""
    from provhouse.serve.process import down, up

    served = down(settings.warehouse, progress)
    try:
        yield
    finally:
        if served:
            up(settings, progress, wait=True)
