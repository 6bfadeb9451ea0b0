"""``modules`` and ``invocations``: the modules of workflows, and how often each was invoked."""

from typing import TYPE_CHECKING, Annotated

import typer

from provhouse import questions

from ..descriptions import Action, ActionArgument, DescriptionsArgument, check_options, store
from ..invocation import invocation
from ..options import AsOfOption, FormOption, OutOption, SafeOption, WaitOption, utf8
from ..questions import OutputOptions, answer

if TYPE_CHECKING:
    from provhouse.output.result import Result
    from provhouse.query.modules import Invocations, Modules


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

    `modules set FILE` declares modules, as ingest --modules FILE does without triples: a TOML or
    JSON file, or what `modules list` writes as JSON (docs/modules.md). The newest declaration of a
    module replaces earlier ones. Descriptions of ops may name modules, too. No triple is read.
    """
    check_options("modules", action, file, wait, as_of=as_of, out=out, csv_safe=safe)
    if action is Action.set:
        store(ctx, form, wait, modules=file)
        return
    settings = invocation(ctx).settings()
    options = OutputOptions(form, out, safe=safe)
    answer(settings, questions.modules(as_of), _modules, options)


def invocations(
    ctx: typer.Context,
    module: Annotated[
        str, typer.Argument(metavar="MODULE", help="Name of the module.", show_default=False)
    ],
    run: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="Only invocations of this run.", show_default=False),
    ] = None,
    as_of: AsOfOption = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """List the invocations of a module, with the number of triples of each.

    An invocation is known by run, execution and invocation. All triples are read, one partition at
    a time. For an unknown module, the exit status is 3.
    """
    name = utf8(module, "A module's name")
    settings = invocation(ctx).settings()
    options = OutputOptions(form, out, safe=safe)
    answer(settings, questions.invocations(name, run, as_of), _invocations, options)


def _modules(found: "Modules") -> "Result":
    from provhouse.output.results.modules import ModulesResult

    return ModulesResult(found)


def _invocations(found: "Invocations") -> "Result":
    from provhouse.output.results.modules import InvocationsResult

    return InvocationsResult(found)
