"""``status``: what is held, and what is up."""

from dataclasses import replace

import typer

from provhouse.output.writer import opened
from provhouse.serve.server_file import running

from ..invocation import FormOption, invocation


def status(ctx: typer.Context, form: FormOption = None) -> None:
    """Say what is held and what is up."""
    settings = invocation(ctx).settings()

    from provhouse.output.results.status import StatusResult
    from provhouse.query.status import status as held

    state = running(settings.warehouse)
    with opened(form) as output:
        shown = replace(held(settings), server=state.address if state else None)
        output.write(StatusResult(shown))
