"""The examples of the README and of the first-lineage page run as typed and print the shown output.

All examples of a page run in one new folder, which also contains the repository's ``examples``.
First, the fenced blocks marked ``console`` run in order. In these blocks, each line that begins
with ``$ `` is a command, and the lines up to the next command are its expected output. Then, the
``python`` blocks run as one script. Its expected output is in the ``text`` blocks. In expected
output, ``…`` stands for any text, and a line that consists of ``…`` stands for any number of lines.
``provhouse`` commands and the script run in the process of the tests, on the Spark of all tests.
Blocks without a mark do not run: ``make`` and ``git`` are tested from a fresh clone instead.
"""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from provhouse.cli.app import run

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/first-lineage.md")
WORDS = 900
"""The maximum number of words of the README."""


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
def _environment(
    graph_home: Path, spark: SparkSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make commands run in ``folder``, and use the tests' Neo4j and the default warehouse.

    Spark must be running before, or its workers would start in ``folder``.
    """
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PROVHOUSE_NEO4J_HOME", str(graph_home))
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.delenv("PROVHOUSE_WAREHOUSE", raising=False)


@pytest.mark.usefixtures("_environment")
def test_commands_print_what_is_shown(
    page: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = list(commands(page))
    assert found
    for command, wanted in found:
        if command.startswith("provhouse "):
            assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err
            shown = capsys.readouterr().out
        else:
            shown = subprocess.check_output(command, shell=True, cwd=folder, encoding="utf-8")
        assert not missing(shown, wanted), f"{command}\n{shown}"


@pytest.mark.usefixtures("_environment")
def test_python_prints_what_is_shown(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    script = "\n".join(blocks(page, "python"))
    wanted = [line for block in blocks(page, "text") for line in block.splitlines()]
    assert script
    exec(compile(script, page, "exec"), {})
    shown = capsys.readouterr().out
    assert not missing(shown, wanted), shown
