"""Commands whose arguments and options are the fields of a question."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING
from typing import Annotated, Any, get_args, get_type_hints

import typer

from provhouse.model.wire_names import wire_name
from provhouse.output.questions import derivation_questions as derivations
from provhouse.output.questions import items, lists
from provhouse.output.questions import workflow_questions as workflows
from provhouse.output.questions.asking import Asking, declared

from .invocation import invocation
from .options import (
    AsOfOption,
    FormOption,
    ItemArgument,
    OutOption,
    PictureFormOption,
    PictureOutOption,
    SafeOption,
    any_form,
    utf8,
)
from .questions import OutputOptions, answer

Command = Callable[..., None]
QUESTIONS = declared(items, derivations, lists, workflows)
"""The questions that may have commands of their own.

Questions at a level are asked by options of other commands, and their module is loaded only when
such an option is used.
"""
OWN = {"item": ItemArgument, "as_of": AsOfOption}
"""The annotations of the parameters for fields that many questions have."""
TEXTS = {
    "item": "An item's name",
    "on": "An item's name",
    "text": "The text",
    "table": "A table's name",
    "module": "A module's name",
    "run": "A run's name",
}
"""The name of each field in the error message for a value that is not UTF-8."""


def with_derived(own: Iterable[Command]) -> Iterator[Command]:
    """Yield commands in the order of the help: ``own``, and the commands derived from questions.

    A derived command comes directly after the command of the preceding question.
    """
    following: dict[str, list[Command]] = {"": []}
    commands = {name_of(each): each for each in own}
    last = ""
    for asking in QUESTIONS:
        if asking.command:
            following[last].append(derived_command(asking))
        elif asking.name in commands:
            last = asking.name
            following[last] = []
    for name, command in commands.items():
        yield command
        yield from following.get(name, [])


def name_of(command: Command) -> str:
    """Return the name of a command, as typed."""
    return command.__name__.rstrip("_").replace("_", "-")


def derived_command(asking: type[Asking[Any]]) -> Command:
    """Return a command whose arguments and options are the fields of a question."""

    def command(
        ctx: typer.Context,
        form: FormOption = None,
        out: OutOption = None,
        safe: SafeOption = False,
        **given: Any,
    ) -> None:
        fields = {name: _text(name, value) for name, value in given.items()}
        settings = invocation(ctx).asking()
        answer(settings, asking(**fields), OutputOptions(any_form(form), out, safe=safe))

    hints = get_type_hints(asking)
    ctx, *output, _ = inspect.signature(command).parameters.values()
    if asking.pictured:
        drawn = {"form": PictureFormOption, "out": PictureOutOption}
        output = [each.replace(annotation=drawn.get(each.name, each.annotation)) for each in output]
    own = (_parameter(each, hints[each.name]) for each in asking.parameters())
    command.__signature__ = inspect.Signature([ctx, *own, *output])  # type: ignore[attr-defined]
    command.__name__, command.__doc__ = asking.name.replace("-", "_"), asking.__doc__
    return command


def _parameter(field: Any, hint: Any) -> inspect.Parameter:
    """Return a field's parameter: an argument without default and dashes, otherwise an option.

    Generations can be given as numbers or times, so their parameters are strings.
    """
    required = field.default is MISSING
    annotation = OWN.get(field.name)
    if annotation is None:
        about, texts = field.metadata, str in (hint, *get_args(hint))
        kind = str if texts else hint
        metavar = about["metavar"] or (None if kind is bool else "N")
        given = {"help": about["help"], "metavar": metavar}
        if required and not about["option"]:
            info: Any = typer.Argument(**given)
        else:
            minimum = {"min": about["at_least"]} if about["at_least"] else {}
            info = typer.Option(f"--{wire_name(field.name)}", **given, **minimum)
        annotation = Annotated[kind if required or field.default is not None else kind | None, info]
    default = inspect.Parameter.empty if required else field.default
    return inspect.Parameter(
        field.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation
    )


def _text(name: str, value: object) -> object:
    return utf8(value, TEXTS[name]) if isinstance(value, str) and name in TEXTS else value
