"""The commands of docs/revisions.md work as described on the page."""

import re
from pathlib import Path

import duckdb
import pytest

from helpers.flow import write
from provhouse import interactive
from provhouse.cli.app import run

PAGE = Path(__file__).parents[2] / "docs" / "revisions.md"
ORDERS = "select i::integer id, 'S' || i % 5 as state, (i % 30)::integer amount from range(99) t(i)"
NOT_FOUND = 3
STATUS = {"provhouse reuse sales@r3": NOT_FOUND}
"""The exit statuses of the page's commands whose status is not 0."""


def steps() -> list[tuple[str, str]]:
    """Return the page's commands, each with the lines after it."""
    blocks = re.findall(r"```\n(\$.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)]
    found = [tuple(part.partition("\n")[::2]) for part in parts if part]
    return [(command, after) for command, after in found]


def test_the_example_of_the_page_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(ORDERS, tmp_path / "orders.parquet")
    newest = ""
    for command, after in steps():
        words = command.split()
        if words[0] == "cat":
            Path(words[1]).write_text(after)
            newest = words[1] if words[1] != "tables.sql" else newest
            continue
        if words[1:3] == ["revisions", "run"]:
            con = duckdb.connect()
            con.execute("create view orders as from 'orders.parquet'")
            write(Path(newest).read_text(), tmp_path / "out.parquet", con)
        assert run([*words[1:], "--format", "json"]) == STATUS.get(command, 0), command
    shown = capsys.readouterr().out
    assert '"by":"key"' in shown
    assert '"operator":"filter, operator 2 of 4"' in shown
    assert '"cause":"code"' in shown


@pytest.mark.long
def test_the_edits_of_the_page_are_found_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(ORDERS, tmp_path / "orders.parquet")
    text = PAGE.read_text(encoding="utf-8")
    asked = re.findall(r'^edits\.sql\("(.*)"\)\.by  # (\w+)', text, re.MULTILINE)
    edits = interactive.connect("orders.parquet").edits()
    assert len(asked) == 5
    assert [edits.sql(query).by for query, _ in asked] == [by for _, by in asked]
