"""``modules``: list the modules of workflows, or declare modules."""

import typer

from provhouse.output.questions.lists import AskingModules

from ..declaring import Action, ActionArgument, DescriptionsArgument, check_options, store
from ..invocation import invocation
from ..options import AsOfOption, FormOption, OutOption, SafeOption, WaitOption
from ..questions import OutputOptions, answer


def modules(
    ctx: typer.Context,
    action: ActionArgument = Action.list,
    file: DescriptionsArgument = None,
    as_of: AsOfOption = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
    wait: WaitOption = None,
) -> None:
    """List the modules of workflows: their ops, and the tables of their inputs, state and outputs.

    `modules set FILE` declares modules, as ingest --modules FILE without triples: FILE is a TOML or
    JSON file, or the JSON of `modules list` (docs/modules.md). The newest declaration of a module
    replaces earlier ones. Descriptions of ops may name modules, too. No triple is read.
    """
    check_options("modules", action, file, wait, as_of=as_of, out=out, csv_safe=safe)
    if action is Action.set:
        store(ctx, form, wait, modules=file)
        return
    settings = invocation(ctx).asking()
    answer(settings, AskingModules(as_of), OutputOptions(form, out, safe=safe))
