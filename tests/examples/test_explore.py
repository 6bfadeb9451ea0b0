"""The example with py2neo shows the same sets and dependencies as the warehouse's tables."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.oracle import Triple
from helpers.warehouse import House

SCRIPT = Path(__file__).parents[2] / "examples" / "explore" / "sets.py"


@pytest.mark.long
def test_py2neo_finds_the_sets_and_their_dependencies(
    houses: Callable[..., House],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("py2neo")
    house = houses(theta=4, pack=0)
    house.ingest([Triple(f"t:{n}", f"t:{n + 1}", "next", "t", "t") for n in range(20)])
    warehouse = house.layout.warehouse_id()
    monkeypatch.setenv("PROVHOUSE_NEO4J_HOME", str(house.settings.neo4j_home))
    example: dict[str, Any] = runpy.run_path(str(SCRIPT))
    graph = example["connect"](str(house.settings.warehouse))
    with house.asker() as asker:
        snapshot = asker.snapshot
        stored = map(snapshot.ids_of, snapshot.set_dependencies)
    frame = example["dependencies"](graph, warehouse)
    found = set(zip(frame["derived"], frame["source"], strict=True))
    assert found == set(zip(*(ends.tolist() for ends in stored), strict=True))
    assert len(found) > 1
    largest = example["largest_sets"](graph, warehouse, 100)
    sizes = [node["items"] for node in largest]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) == 21
    for node in largest:
        below = {(node["id"], source["id"]) for source in example["sources"](graph, node)}
        assert below == {pair for pair in found if pair[0] == node["id"]}
    example["main"](str(house.settings.warehouse))
    graph.service.connector.close()
    assert f"set {largest[0]['id']} has {sizes[0]} items of t" in capsys.readouterr().out
