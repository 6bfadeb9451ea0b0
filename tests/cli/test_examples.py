"""The examples in the help of commands are calls that the command line accepts."""

import os
import shlex
import subprocess
import sys
from typing import cast

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from provhouse.cli.app import app
from provhouse.cli.examples import EXAMPLES

GROUP = cast(TyperGroup, get_command(app))
LISTS = cast(TyperGroup, GROUP.commands["list"])


def test_every_command_has_examples() -> None:
    assert set(EXAMPLES) == {*GROUP.commands, *(f"list {kind}" for kind in LISTS.commands)}


@pytest.mark.parametrize("example", [each for examples in EXAMPLES.values() for each in examples])
def test_an_example_is_accepted(example: str) -> None:
    program, *arguments = shlex.split(example)
    assert program == "provhouse"
    with GROUP.make_context(program, arguments) as root:
        name, command, rest = GROUP.resolve_command(root, [*root._protected_args, *root.args])
        assert command
        with command.make_context(name, rest, parent=root) as context:
            if isinstance(command, TyperGroup):
                kind, command, rest = command.resolve_command(context, context._protected_args)
                assert command
                name = f"{name} {kind}"
                command.make_context(kind, context.args, parent=context)
        assert example in {*EXAMPLES[str(name)], *EXAMPLES["list"]}


def test_a_shell_completes_commands() -> None:
    asked = {
        "_PROVHOUSE_COMPLETE": "complete_bash",
        "COMP_WORDS": "provhouse lin",
        "COMP_CWORD": "1",
    }
    code = "from provhouse.cli.app import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **asked}
    )
    assert done.stdout.split() == ["lineage"]
