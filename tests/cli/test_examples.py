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


def test_every_command_has_examples() -> None:
    assert set(EXAMPLES) == set(GROUP.commands)


@pytest.mark.parametrize("example", [each for examples in EXAMPLES.values() for each in examples])
def test_an_example_is_accepted(example: str) -> None:
    program, *arguments = shlex.split(example)
    assert program == "provhouse"
    with GROUP.make_context(program, arguments) as root:
        name, command, rest = GROUP.resolve_command(root, [*root._protected_args, *root.args])
        assert command
        with command.make_context(name, rest, parent=root):
            assert example in EXAMPLES[str(name)]


def test_a_shell_completes_commands() -> None:
    asked = {
        "_PROVHOUSE_COMPLETE": "complete_bash",
        "COMP_WORDS": "provhouse gen",
        "COMP_CWORD": "1",
    }
    code = "from provhouse.cli.app import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **asked}
    )
    assert done.stdout.split() == ["generations"]
