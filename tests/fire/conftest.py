"""Fixtures for tests that kill commands: a warehouse, and a Neo4j that tests may kill."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.fire import Fire
from helpers.warm import Warm
from provhouse.cypher import server
from provhouse.model.progress import Silent


@pytest.fixture(scope="module")
def fire(tmp_path_factory: pytest.TempPathFactory, graph_home: Path, warm: Warm) -> Fire:
    """A warehouse whose commands are killed. It uses the Neo4j that all tests share."""
    return Fire(tmp_path_factory.mktemp("fire") / "warehouse", graph_home, warm, seed=1)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home of a separate Neo4j, which tests may kill and rebuild."""
    folder = tmp_path_factory.mktemp("neo4j")
    server.up(folder, "512m", Silent())
    yield folder
    server.down(folder, Silent())
