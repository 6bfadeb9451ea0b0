"""A small warehouse, opened from Python as the README does."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import provhouse
from helpers.warehouse import House
from provhouse.model.progress import Silent
from provhouse.serve import process, server_file

FIRST = Path(__file__).parents[2] / "examples" / "first" / "orders.csv"


@pytest.fixture(scope="session")
def first(houses: Callable[..., House]) -> House:
    """A warehouse with the README's first file; tests only read it."""
    house = houses()
    house.ingest_files(FIRST)
    return house


@pytest.fixture(scope="package")
def second(houses: Callable[..., House]) -> Iterator[House]:
    """A warehouse with the same contents as ``first``, whose server is running.

    The server ends with this folder's tests: erasure in later tests needs its Neo4j alone.
    """
    house = houses(spark_memory="1g")
    house.ingest_files(FIRST)
    process.up(house.settings, Silent(), wait=True)
    yield house
    process.down(house.settings.warehouse, Silent())


@pytest.fixture
def connection(second: House) -> provhouse.Connection:
    """A connection to the server of ``second``."""
    server = server_file.running(second.settings.warehouse)
    assert server
    return provhouse.connect(server.address, server_file.token(second.settings.warehouse))


@pytest.fixture
def warehouse(first: House) -> provhouse.Warehouse:
    """The warehouse ``first``, opened from Python."""
    return first.open()
