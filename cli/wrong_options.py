"""Remedies for options and arguments that a command does not have."""

from collections.abc import Iterator

import typer

_INSTEAD = {
    ("lineage", "--sinks"): "A lineage ends in sources: use --sources",
    ("impact", "--sources"): "An impact ends in sinks: use --sinks",
    ("lineage", "--downstream"): "Use `provhouse impact`",
    ("impact", "--upstream"): "Use `provhouse lineage`",
    ("browser", "--downstream"): "Use --impact",
}
"""The remedies for options that a command supports under another name."""
_OPTION_OF = {"what-if": "--delete", "export": "--lineage"}
"""For commands without an argument for a name, the option with which to give the name."""
MOST = 3
"""The largest number of commands that a remedy names."""


def instead_of_option(ctx: typer.Context, option: str) -> str:
    """Return what to use instead of an option that the command lacks; empty if unknown."""
    if known := _INSTEAD.get((ctx.info_name or "", option)):
        return known
    names = [f"`provhouse {name}`" for name in _having(ctx, option)]
    if not 0 < len(names) <= MOST:
        return ""
    verb = "has" if len(names) == 1 else "have"
    return f"{' and '.join(names)} {verb} {option}"


def instead_of_argument(ctx: typer.Context, given: str) -> str:
    """Return the option to use for a name that was given as an argument; empty if unknown."""
    option = _OPTION_OF.get(ctx.info_name or "")
    name = "NAME" if " " in given else given  # the message does not separate arguments
    return f"Name it with {option}: provhouse {ctx.info_name} {option} {name}" if option else ""


def _having(ctx: typer.Context, option: str) -> Iterator[str]:
    """Yield the names of the visible commands that have an option."""
    commands = getattr(ctx.parent.command, "commands", {}) if ctx.parent else {}
    for name, command in commands.items():
        if not command.hidden and any(option in each.opts for each in command.params):
            yield name
