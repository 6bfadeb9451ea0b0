"""``compact``: what many ingests brought is laid out anew."""

import typer

from provhouse.output.output import opened

from ..invocation import invocation
from ..options import FormOption


def compact(ctx: typer.Context, form: FormOption = None) -> None:
    """Lay out anew what many ingests have brought.

    Questions then read less. Answers stay the same, and so do earlier generations; who asks
    meanwhile is not disturbed.
    """
    settings = invocation(ctx).settings()

    from provhouse.changes.compact import compact as compacted
    from provhouse.query.status import status
    from provhouse.serve.process import await_generation

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display(keep=True) as progress:
            compacted(settings, progress)
            await_generation(settings, status(settings).generation, progress)
        output.status(status(settings))
