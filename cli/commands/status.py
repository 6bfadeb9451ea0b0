"""``status`` and ``generations``: what is held, and what is up."""

from dataclasses import replace

import typer

from provhouse.output.output import opened
from provhouse.serve.server_file import running

from ..invocation import invocation
from ..options import FormOption


def status(ctx: typer.Context, form: FormOption = None) -> None:
    """Say what is held and what is up."""
    settings = invocation(ctx).settings()

    from provhouse.query.status import status as held

    state = running(settings.warehouse)
    with opened(form) as output:
        output.status(replace(held(settings), server=state.address if state else None))


def generations(ctx: typer.Context, form: FormOption = None) -> None:
    """List the generations: what each brought, and what it holds.

    Rollbacks and compactions are named as such. Any of them can be asked with --as-of.
    """
    settings = invocation(ctx).settings()

    from provhouse.query.generations import listed
    from provhouse.store.warehouse.layout import Layout

    with opened(form) as output:
        output.generations(listed(Layout(settings.warehouse)))
