"""Fixtures with a small warehouse, which is opened from Python as in the README."""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import provhouse
from helpers.certificate import Authority
from helpers.warehouse import House
from provhouse.model.progress import Silent
from provhouse.serve import server_file
from provhouse.serve import server_process as process

FIRST = Path(__file__).parents[2] / "examples" / "first" / "orders.csv"


@pytest.fixture(scope="session")
def first(houses: Callable[..., House]) -> House:
    """A warehouse with the README's first file. Tests only read this warehouse."""
    house = houses()
    house.ingest_files(FIRST)
    return house


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """The certificate authority that signs the certificate of ``second``."""
    return Authority.create(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="package")
def second(houses: Callable[..., House], authority: Authority) -> Iterator[House]:
    """A warehouse with the same contents as ``first``, and a running server that uses TLS.

    The server was started before the first ingest, and then loaded the ingested data. It ends with
    the tests of this folder, because erasures in later tests need exclusive use of its Neo4j.
    """
    certificate, key = authority.sign("server", "IP:127.0.0.2")
    with socket.create_server(("127.0.0.2", 0)) as free:
        port = free.getsockname()[1]
    house = houses(
        spark_memory="1g",
        server_address=f"127.0.0.2:{port}",
        server_certificate=certificate,
        server_key=key,
    )
    process.up(house.settings, Silent(), wait=True)
    summary = house.ingest_files(FIRST)
    process.await_generation(house.settings, summary.generation, Silent())
    process.up(house.settings, Silent(), wait=True)  # until the server's Spark is up
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
