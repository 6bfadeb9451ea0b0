"""``generations``, ``rollback``, ``compact``, ``prune``: what there is and what is kept of it."""

from typing import Annotated

import typer

from provhouse.output.writer import opened

from ..invocation import FormOption, invocation


def generations(ctx: typer.Context, form: FormOption = None) -> None:
    """List the generations: what each brought, and what it holds.

    Rollbacks and compactions are named as such. Any of them can be asked with --as-of.
    """
    settings = invocation(ctx).settings()

    from provhouse.output.results.generations import GenerationsResult
    from provhouse.query.generations import list_generations
    from provhouse.store.warehouse.layout import Layout

    with opened(form) as output:
        output.write(GenerationsResult(list_generations(Layout(settings.warehouse))))


def rollback(ctx: typer.Context, form: FormOption = None) -> None:
    """Take the last ingest back.

    What was held before it is shown again; earlier generations stay as they were.
    """
    settings = invocation(ctx).settings()

    from provhouse.changes.rollback import rollback as taken_back
    from provhouse.output.results.status import StatusResult
    from provhouse.query.status import status
    from provhouse.serve.process import await_generation

    from ..progress_display import listening

    with opened(form) as output:
        with listening(keep=True) as progress:
            taken_back(settings, progress)
            await_generation(settings, status(settings).generation, progress)
        output.write(StatusResult(status(settings)))


def compact(ctx: typer.Context, form: FormOption = None) -> None:
    """Lay out anew what many ingests have brought.

    Questions then read less. Answers stay the same, and so do earlier generations; who asks
    meanwhile is not disturbed.
    """
    settings = invocation(ctx).settings()

    from provhouse.changes.compact import compact as compacted
    from provhouse.output.results.status import StatusResult
    from provhouse.query.status import status
    from provhouse.serve.process import await_generation

    from ..progress_display import listening

    with opened(form) as output:
        with listening(keep=True) as progress:
            compacted(settings, progress)
            await_generation(settings, status(settings).generation, progress)
        output.write(StatusResult(status(settings)))


def prune(
    ctx: typer.Context,
    keep: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Keep the last N generations.", show_default=False),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Keep those that were committed at this time or later: a time in ISO 8601, a "
            "date meaning its beginning; local unless it names a zone.",
            show_default=False,
        ),
    ] = None,
    form: FormOption = None,
) -> None:
    """No longer keep earlier generations: they can't be asked any more.

    Give --keep or --before; the current generation always stays. Room comes back where a whole base
    goes, so run `provhouse compact` first. Questions that run end undisturbed.
    """
    settings = invocation(ctx).settings()

    from provhouse.changes.prune import prune as pruned
    from provhouse.output.results.prune import PruneResult

    from ..progress_display import listening

    with opened(form) as output:
        with listening() as progress:
            done = pruned(settings, progress, keep=keep, before=before)
        output.write(PruneResult(done))
