"""The commands ``ingest`` and ``generations`` do the same as their Python functions."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from helpers.warehouse import House
from provhouse.cli.app import run


def test_commands_and_python_agree(
    houses: Callable[..., House], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    house = houses()
    settings = house.settings
    options = ["--warehouse", str(settings.warehouse), "--set", f"neo4j_home={settings.graph_home}"]
    first, second = tmp_path / "first.data", tmp_path / "second.data"
    first.write_text("from;dst;day\na;b;1\nb;c;1\n".replace(";", "\t"))
    second.write_text("from;dst;day\na;b;1\na;b;2\n".replace(";", "\t"))
    assert not run(
        [*options, "ingest", str(first), "--input", "tsv", "--map", "src=from", "--scope", "day",
         "--run", "daily", "--theta", "9", "--format", "json"]
    )  # fmt: skip
    assert json.loads(capsys.readouterr().out)["triples"] == 2
    with house.open() as warehouse:
        summary = warehouse.ingest(
            second, input_format="tsv", columns={"src": "from"}, scope="day", run="daily"
        )
        assert (summary.new_triples, summary.ended) == (1, 1)
        assert [item.item for item in warehouse.impact("2/a").items] == ["2/b"]
        listed = [asdict(one) for one in warehouse.generations()]
    assert not run([*options, "generations", "--format", "json"])
    shown = json.loads(capsys.readouterr().out)
    names = shown[0].keys() & listed[0].keys()
    assert len(names) > 10
    assert [{name: one[name] for name in names} for one in shown] == [
        {name: one[name] for name in names} for one in listed
    ]


def test_a_wrong_map_writes_nothing(houses: Callable[..., House]) -> None:
    house = houses()
    assert run(["--warehouse", str(house.settings.warehouse), "ingest", "x", "--map", "x=y"]) == 2
    assert not house.settings.warehouse.exists()
