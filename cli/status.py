"""``status``: what is held, and what is up."""

import typer

from .invocation import FormOption, invocation
from .output.output import opened


def status(ctx: typer.Context, form: FormOption = None) -> None:
    """Say what is held and what is up."""
    settings = invocation(ctx).settings()

    from provhouse.query.status import status as held

    with opened(form) as output:
        output.status(held(settings))
