"""The commands and Python blocks of further pages run as typed, in a new folder.

In the blocks without a mark, `cat > FILE` makes a file, and the other lines are commands, which run
in the process of the tests.
"""

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from helpers.pages import DOCS
from helpers.pages import run as run_python
from provhouse.cli.app import run
from provhouse.model.settings import Settings

QUERIES = {
    "tables.sql": "create table sales(id int, price int);",
    "old.sql": "select id from sales where price > 1 and id > 2",
    "new.sql": "select s.id from sales s where s.id > 2 and s.price > 1",
}


def blocks(page: str, mark: str) -> list[str]:
    """Return the contents of a page's fenced blocks with a mark."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for marked, block in found if marked == mark]


def commands(page: str) -> list[str]:
    """Write the files that a page makes to the current folder, and return its other commands."""
    found = "".join(blocks(page, ""))
    made = re.compile(r"^cat > (\S+) <<'END'\n(.*?)^END\n", re.MULTILINE | re.DOTALL)
    for name, content in made.findall(found):
        Path(name).write_text(content, encoding="utf-8")
    return [line for line in made.sub("", found).splitlines() if line.startswith("provhouse ")]


def run_all(listed: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run commands in this process, and return what they print."""
    assert listed
    for command in listed:
        assert run(shlex.split(command)[1:]) == 0, command + capsys.readouterr().err
    return capsys.readouterr().out


def test_the_page_of_comparisons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in QUERIES.items():
        Path(name).write_text(text, encoding="utf-8")
    listed = [each for each in commands("compare.md") if "--engine" not in each]
    assert "equal" in run_all(listed, capsys)


@pytest.mark.long
def test_the_page_of_comparisons_on_spark(
    tmp_path: Path,
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in QUERIES.items():
        Path(name).write_text(text, encoding="utf-8")
    listed = [each for each in commands("compare.md") if "--engine" in each]
    assert "equal" in run_all(listed, capsys)
    (block,) = blocks("compare.md", "python")
    found: dict[str, Any] = {}
    exec(block, found)
    assert found["with_tax"].returnType.simpleString() == "double"


def test_the_settings_of_the_page_of_teams_exist() -> None:
    found = blocks("team.md", "toml")
    assert found
    for block in found:
        assert tomllib.loads(block).keys() <= vars(Settings()).keys()


@pytest.mark.long
@pytest.mark.parametrize("page", ["modules.md", "what-if.md"])
def test_the_pages_of_a_trace(
    page: str,
    tmp_path: Path,
    graph_home: Path,
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROVHOUSE_NEO4J_HOME", str(graph_home))
    monkeypatch.delenv("PROVHOUSE_WAREHOUSE", raising=False)
    run_all(commands(page), capsys)
    if page == "modules.md":
        assert "total/1" in run_python(page, tmp_path)
        assert "<svg" in (tmp_path / "total.html").read_text(encoding="utf-8")
        token = [each for each in commands("team.md") if each.startswith("provhouse token add")]
        assert len(run_all(token, capsys).split()[-1]) > 20
