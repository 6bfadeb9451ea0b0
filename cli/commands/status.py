"""``status``: what is held, and what is up."""

from dataclasses import replace

import typer

from provhouse.output.output import opened
from provhouse.serve.server_file import running

from ..invocation import FormOption, invocation


def status(ctx: typer.Context, form: FormOption = None) -> None:
    """Say what is held and what is up."""
    settings = invocation(ctx).settings()

    from provhouse.query.status import status as held

    state = running(settings.warehouse)
    with opened(form) as output:
        output.status(replace(held(settings), server=state.address if state else None))
