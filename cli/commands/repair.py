"""``repair``: what can be mended of what is held."""

import typer

from provhouse.output.output import opened

from ..invocation import invocation
from ..options import FormOption


def repair(ctx: typer.Context, form: FormOption = None) -> None:
    """Mend what can be mended from the tables: all that Neo4j holds.

    Also where its folder was emptied or is gone. Tables, names and triples stand nowhere else;
    `provhouse check` says which of them want a backup.
    """
    settings = invocation(ctx).settings()

    from provhouse.care.repair import repair as repaired
    from provhouse.query.status import status

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display(keep=True) as progress:
            repaired(settings, progress)
        output.status(status(settings))
