"""The README's commands, run as typed, give what it shows.

Each fenced block marked ``console`` is run, all in their order, in one new folder that has the
repository's ``examples`` beside it; ``provhouse`` runs on a Spark that is up. A command is a line
that begins with ``$ ``; the lines up to the next one are what it is to show, in this order, with
``…`` for whatever is not the same each time, and a line of only that for any number of lines.
Blocks without the mark are not run: ``make`` and ``git`` are tried from a fresh clone instead.
"""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.warm import Warm

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each command and the lines that it is to show."""
    for block in BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *shown = part.splitlines()
            yield command, [line for line in shown if line.strip()]


def shows(output: str, wanted: list[str]) -> str:
    """The first wanted line that the output does not show behind those before it; else empty."""
    lines = iter([line.strip() for line in output.splitlines()])
    for line in wanted:
        if not line.strip(" …"):
            continue
        pattern = re.compile(".*".join(map(re.escape, line.strip().split("…"))))
        if not any(pattern.fullmatch(found) for found in lines):
            return line
    return ""


def test_shows() -> None:
    output = "one\n  two 2.3 s, there\nthree\n"
    assert shows(output, ["one", "…", "three"]) == ""
    assert shows(output, ["two … s, …"]) == ""
    assert shows(output, ["three", "one"]) == "one"
    assert shows(output, ["two"]) == "two"


def test_the_commands_give_what_is_shown(graph_home: Path, tmp_path: Path, warm: Warm) -> None:
    found = list(commands((ROOT / "README.md").read_text(encoding="utf-8")))
    if not found:
        pytest.skip("README.md has no block of commands yet")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environment = {
        **os.environ,
        "PROVHOUSE_NEO4J_HOME": str(graph_home),
        "PROVHOUSE_SPARK_MEMORY": "1g",
        "COLUMNS": "110",
    }
    environment.pop("PROVHOUSE_WAREHOUSE", None)
    for command, wanted in found:
        if command.startswith("provhouse "):
            child = warm.start(environment, *shlex.split(command)[1:], folder=tmp_path).awaits()
            assert child.status == 0, child.done
            shown = child.done.out
        else:
            shown = subprocess.check_output(command, shell=True, cwd=tmp_path, encoding="utf-8")
        assert not shows(shown, wanted), f"{command}\n{shown}"
