"""``status``: what is held, and what is up."""

import typer

from provhouse.output.output import opened

from .invocation import FormOption, invocation


def status(ctx: typer.Context, form: FormOption = None) -> None:
    """Say what is held and what is up."""
    settings = invocation(ctx).settings()

    from provhouse.query.status import status as held

    with opened(form) as output:
        output.status(held(settings))
