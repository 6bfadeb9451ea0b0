"""Run the blocks of documentation pages as typed."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from provhouse.cli.app import run as run_command

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HERE = re.compile(r"<<'(\w+)'$")


def blocks(page: str, mark: str) -> list[str]:
    """Return the contents of a page's fenced blocks with a mark."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [block for marked, block in BLOCK.findall(text) if marked == mark]


def typed(block: str) -> list[str]:
    """Return the commands of a block, with their here-documents and continuation lines."""
    found = []
    lines = iter(block.splitlines())
    for line in lines:
        whole = [line]
        while whole[-1].endswith("\\"):
            whole.append(next(lines))
        if here := HERE.search(line):
            while whole[-1] != here[1]:
                whole.append(next(lines))
        if line.strip():
            found.append("\n".join(whole))
    return found


def enter(commands: Iterable[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run commands in the current folder, and return what they print.

    Commands of provhouse run in the process of the tests, all others in a shell.
    """
    shown = []
    for command in commands:
        if command.startswith("provhouse "):
            words = shlex.split(command.replace("\\\n", ""), comments=True)
            status = run_command(words[1:])
            printed = capsys.readouterr()
            assert status == 0, command + printed.err
            shown.append(printed.out)
        else:
            shown.append(shell(command))
    return "".join(shown)


def shell(script: str, **given: str) -> str:
    """Run a script in a shell that finds this environment's commands; return what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euc", script],
        env={**os.environ, "PATH": path, **given},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, script + done.stdout + done.stderr
    return done.stdout


def run(page: str, folder: Path, chosen: slice = slice(None), before: str = "") -> str:
    """Run the Python blocks of a page in a folder as one program; return what it prints.

    ``before`` is Python that the program runs first.
    """
    return run_program([before, *blocks(page, "python")[chosen]], folder)


def run_program(parts: Iterable[str], folder: Path) -> str:
    """Run parts of a program in a folder; return what the program prints."""
    program = folder / "shop.py"
    program.write_text("\n".join(parts), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(program)],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
