"""``forget``: erase items permanently."""

from typing import Annotated

import typer

from provhouse.output.questions.derivation_questions import AskingWhatIf
from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, WaitOption, utf8
from ..questions import OutputOptions, answer


def forget(
    ctx: typer.Context,
    items: Annotated[
        list[str], typer.Argument(metavar="ITEM...", help="Names of the items to erase.")
    ],
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Erase nothing; only show which results depend on the items, as what-if does.",
        ),
    ] = False,
    form: FormOption = None,
    wait: WaitOption = None,
) -> None:
    """Erase items permanently, from all generations and logs.

    Deletes their names and the ops and attributes of their triples. Each item remains as a number
    without a name, so that answers with paths through it stay complete; they show the number of
    erased items. Erasing cannot be undone. The names remain in exports, backups and the ingested
    files.
    """
    settings = invocation(ctx).settings(wait_seconds=wait)
    named = tuple(utf8(item, "The name of an item") for item in items)
    if dry_run:
        answer(settings, AskingWhatIf(named), OutputOptions(form))
        return

    from provhouse.care.forget import forget as erase
    from provhouse.output.results.forget import ForgetResult
    from provhouse.serve.server_process import without_server

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display(keep=True) as progress:
            done = erase(named, settings, progress, without_server(settings, progress))
        output.write(ForgetResult(done))
