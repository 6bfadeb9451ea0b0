"""What all tests share: outside systems that are started once."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from provhouse.cypher import process, server
from provhouse.cypher.address import Address
from provhouse.cypher.graph import Graph
from provhouse.cypher.state import State
from provhouse.model.progress import Silent


@pytest.fixture(scope="session")
def graph_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home of a managed Neo4j that stays up for all tests; its name is an awkward one."""
    home = tmp_path_factory.mktemp("neo4j hömé")
    server.up(home, "512m", Silent())
    yield home
    state = State.read(home)
    process.stop(state.pid if state else None, home)


@pytest.fixture(scope="session")
def address(graph_home: Path) -> Address:
    """Where that Neo4j is."""
    found = server.running(graph_home)
    assert found
    return found


@pytest.fixture
def graph(address: Address) -> Iterator[Graph]:
    """A warehouse of its own in that Neo4j."""
    with Graph(address, secrets.token_hex(8)) as opened:
        opened.prepare()
        yield opened
