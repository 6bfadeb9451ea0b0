"""The commands of ``provhouse list``. Each lists one kind of stored object."""

from collections.abc import Callable

import typer

from provhouse.output.questions.items import AskingSet
from provhouse.output.questions.lists import (
    AskingCatalogue,
    AskingGenerations,
    AskingInvocations,
    AskingModules,
    AskingOps,
)
from provhouse.output.questions.workflow_questions import AskingResults, AskingRevisions

from .commands.values import values
from .derived import derived_command
from .examples import epilog

LISTS: dict[str, Callable[..., None]] = {
    "generations": derived_command(AskingGenerations),
    "ops": derived_command(AskingOps),
    "values": values,
    "modules": derived_command(AskingModules),
    "invocations": derived_command(AskingInvocations),
    "set": derived_command(AskingSet),
    "revisions": derived_command(AskingRevisions),
    "results": derived_command(AskingResults),
    "catalogue": derived_command(AskingCatalogue),
}
"""The subcommands, by the kind of object that each lists."""


def list_commands() -> typer.Typer:
    """Return the command ``list``, which has a subcommand for each kind."""
    lists = typer.Typer(
        help="List what is stored: generations, ops, values, modules, invocations, items of a "
        "set, revisions, results, or the catalogue of jobs and datasets.",
        rich_markup_mode=None,
        no_args_is_help=False,
        epilog=epilog("list"),
    )
    for kind, command in LISTS.items():
        lists.command(kind, epilog=epilog(f"list {kind}"))(command)
    return lists
