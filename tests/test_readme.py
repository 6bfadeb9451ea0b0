"""The examples of the README and of the first lineage run as typed and print what is shown.

All examples of a page run in one new folder, which also contains the repository's ``examples``.
First, the fenced blocks marked ``console`` run in order. In these blocks, each line that begins
with ``$ `` is a command, and the lines up to the next command are its expected output. Then, the
``python`` blocks run as one script. Its expected output is in the ``text`` blocks. In expected
output, ``…`` stands for any text, and a line that consists of ``…`` stands for any number of lines.
``provhouse`` commands run on a Spark that is already running, and the script runs in the process of
the tests. Blocks without a mark do not run: ``make`` and ``git`` are tested from a fresh clone
instead.
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
PAGES = ("README.md", "docs/first-lineage.md")
WORDS = 900
"""The largest number of words of the README."""


def blocks(page: str, kind: str) -> list[str]:
    """Return the contents of the fenced blocks in a page that are marked with ``kind``."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(page: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each console command with the lines of its expected output."""
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *shown = part.splitlines()
            yield command, [line for line in shown if line.strip()]


def missing(output: str, wanted: list[str]) -> str:
    """Return the first wanted line that is missing in the output, or '' if none is missing.

    The lines must be in the wanted order.
    """
    lines = iter([line.strip() for line in output.splitlines()])
    for line in wanted:
        if not line.strip(" …"):
            continue
        pattern = re.compile(".*".join(map(re.escape, line.strip().split("…"))))
        if not any(pattern.fullmatch(found) for found in lines):
            return line
    return ""


def test_the_first_missing_line_is_found() -> None:
    output = "one\n  two 2.3 s, there\nthree\n"
    assert missing(output, ["one", "…", "three"]) == ""
    assert missing(output, ["two … s, …"]) == ""
    assert missing(output, ["three", "one"]) == "one"
    assert missing(output, ["two"]) == "two"


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= WORDS


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest) -> str:
    """Return a page whose examples run."""
    return str(request.param)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, page: str) -> Path:
    """Return the folder that all examples of a page share."""
    made = tmp_path_factory.mktemp("readme")
    (made / "examples").symlink_to(ROOT / "examples")
    return made


@pytest.fixture
def environment(graph_home: Path) -> dict[str, str]:
    """Return an environment in which commands use the tests' Neo4j and the default warehouse."""
    given = {
        **os.environ,
        "PROVHOUSE_NEO4J_HOME": str(graph_home),
        "PROVHOUSE_SPARK_MEMORY": "1g",
        "COLUMNS": "110",
    }
    given.pop("PROVHOUSE_WAREHOUSE", None)
    return given


def test_commands_print_what_is_shown(
    page: str, environment: dict[str, str], folder: Path, warm: Warm
) -> None:
    found = list(commands(page))
    assert found
    for command, wanted in found:
        if command.startswith("provhouse "):
            child = warm.start(environment, *shlex.split(command)[1:], folder=folder).awaits()
            assert child.status == 0, child.done
            shown = child.done.out
        else:
            shown = subprocess.check_output(command, shell=True, cwd=folder, encoding="utf-8")
        assert not missing(shown, wanted), f"{command}\n{shown}"


@pytest.mark.usefixtures("spark")  # otherwise Spark's workers would start in the example's folder
def test_python_prints_what_is_shown(
    page: str,
    environment: dict[str, str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    script = "\n".join(blocks(page, "python"))
    wanted = [line for block in blocks(page, "text") for line in block.splitlines()]
    assert script
    monkeypatch.chdir(folder)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    exec(compile(script, page, "exec"), {})
    shown = capsys.readouterr().out
    assert not missing(shown, wanted), shown
