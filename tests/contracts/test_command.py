"""The commands, arguments and options of the command line stay the same, except for help text."""

from collections.abc import Callable, Iterator
from enum import Enum
from importlib.metadata import distribution
from typing import Any

from typer.core import TyperGroup
from typer.main import get_command

from provhouse.cli.app import app

LIMITS = (
    "choices",
    "case_sensitive",
    "min",
    "max",
    "exists",
    "file_okay",
    "dir_okay",
    "allow_dash",
)
"""Attributes of a parameter's type that limit its values."""
TRAITS = ("required", "multiple", "is_flag", "count", "hidden", "is_eager", "envvar")
"""Other attributes of a parameter, which are listed only if they are not empty."""


def lines() -> Iterator[str]:
    """Yield a line for each script, command and parameter.

    Arguments stay in order; commands and options are sorted.
    """
    for entry in distribution("provhouse").entry_points:
        yield f"script {entry.name}"
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    with group.make_context("provhouse", [], resilient_parsing=True) as root:
        yield f"command provhouse {traits(group)}".rstrip()
        yield from parameters("provhouse", group.get_params(root))
        yield from below(group, root)


def below(group: TyperGroup, parent: Any, prefix: str = "") -> Iterator[str]:
    """Yield the lines of the commands of a group, and of the commands below them."""
    for name, command in sorted(group.commands.items()):
        yield f"command {prefix}{name} {traits(command)}".rstrip()
        with command.make_context(name, [], parent=parent, resilient_parsing=True) as context:
            yield from parameters(f"{prefix}{name}", command.get_params(context))
            if isinstance(command, TyperGroup):
                yield from below(command, context, f"{name} ")


def traits(command: Any) -> str:
    """Return the names of a command's properties that are true."""
    names = ("hidden", "deprecated", "no_args_is_help", "invoke_without_command", "chain",
             "allow_extra_args", "ignore_unknown_options")  # fmt: skip
    return " ".join(name for name in names if getattr(command, name, False))


def parameters(command: str, given: list[Any]) -> Iterator[str]:
    """Yield a line for each parameter of one command."""
    arguments = [one for one in given if one.param_type_name == "argument"]
    options = [one for one in given if one.param_type_name == "option"]
    for place, argument in enumerate(arguments, 1):
        yield f"{command} argument {place}: {described(argument)}"
    for option in sorted(options, key=lambda one: min(one.opts)):
        names = " ".join([*sorted(option.opts), *(f"/ {name}" for name in option.secondary_opts)])
        yield f"{command} {names}: {described(option)}"


def described(parameter: Any) -> str:
    """Return a parameter's type, limits and default."""
    limits = ((name, getattr(parameter.type, name, None)) for name in LIMITS)
    traits = ((name, getattr(parameter, name, None)) for name in TRAITS)
    parts = [
        parameter.type.name,
        *(f"{name}={plain(value)}" for name, value in limits if value not in (None, ())),
        *([f"nargs={parameter.nargs}"] if parameter.nargs != 1 else []),
        *(name if value is True else f"{name}={value}" for name, value in traits if value),
        f"default={plain(parameter.default)}",
    ]
    return " ".join(parts)


def plain(value: object) -> str:
    """Return a value in the form in which a user types it."""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, list | tuple):
        return "|".join(map(plain, value))
    return str(value)


def test_commands_and_options_are_the_same(golden: Callable[[str, str], None]) -> None:
    golden("command.txt", "".join(f"{line}\n" for line in lines()))
