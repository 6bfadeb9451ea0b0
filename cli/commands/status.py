"""``status`` and ``generations``: what a warehouse contains."""

from dataclasses import replace

import typer

from provhouse.output.questions.lists import AskingGenerations
from provhouse.output.writer import opened
from provhouse.serve.server_file import running

from ..invocation import invocation
from ..options import FormOption
from ..questions import OutputOptions, answer


def status(ctx: typer.Context, form: FormOption = None) -> None:
    """Show what the warehouse contains and which servers are running."""
    settings = invocation(ctx).settings()

    from provhouse.output.results.status import StatusResult
    from provhouse.query.listing.status import status as warehouse_status

    server = running(settings.warehouse)
    with opened(form) as output:
        output.write(
            StatusResult(
                replace(warehouse_status(settings), server=server.address if server else None)
            )
        )


def generations(ctx: typer.Context, form: FormOption = None) -> None:
    """List the generations of the warehouse.

    Shows for each generation the change that made it, its additions and its contents. Use --as-of
    to ask about a generation.
    """
    settings = invocation(ctx).asking()

    answer(settings, AskingGenerations(), OutputOptions(form))
