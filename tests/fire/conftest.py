"""What is under fire: warehouses, and commands that can be stopped in the middle."""

from pathlib import Path

import pytest

from helpers.fire import Fire
from helpers.warm import Warm


@pytest.fixture(scope="module")
def fire(tmp_path_factory: pytest.TempPathFactory, graph_home: Path, warm: Warm) -> Fire:
    """A warehouse with some history, on the Neo4j of all tests."""
    return Fire(tmp_path_factory.mktemp("fire") / "warehouse", graph_home, warm, seed=1)
