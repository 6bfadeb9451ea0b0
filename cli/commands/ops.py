"""``ops``: list the ops that are described, or describe ops."""

import typer

from provhouse.output.questions.lists import AskingOps

from ..declaring import Action, ActionArgument, DescriptionsArgument, check_options, store
from ..invocation import invocation
from ..options import AsOfOption, FormOption, OutOption, SafeOption, WaitOption
from ..questions import OutputOptions, answer


def ops(
    ctx: typer.Context,
    action: ActionArgument = Action.list,
    file: DescriptionsArgument = None,
    as_of: AsOfOption = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
    wait: WaitOption = None,
) -> None:
    """List the described ops: kind, function, module, SQL, job, place and exactness; or set them.

    `ops set FILE` is ingest --operations FILE without triples: a CSV, JSON lines or Parquet file
    with the column op, and any of these fields. `ops list` writes such files. The newest
    description of an op replaces earlier ones. No triple is read; `values op` lists all ops of
    triples.
    """
    check_options("ops", action, file, wait, as_of=as_of, out=out, csv_safe=safe)
    if action is Action.set:
        store(ctx, form, wait, operations=file)
        return
    settings = invocation(ctx).asking()

    answer(settings, AskingOps(as_of), OutputOptions(form, out, safe=safe))
