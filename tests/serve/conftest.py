"""One server for all tests in this folder, on a warehouse that already contains triples."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psutil
import pytest
import requests

from helpers.graphs import graph
from helpers.oracle import Oracle, Triple
from helpers.warehouse import House
from provhouse.model.progress import Silent
from provhouse.serve import server_file
from provhouse.serve import server_process as process
from provhouse.serve.server_file import ServerInfo

SIZE = 300


@dataclass
class Served:
    """A warehouse and its running server."""

    house: House
    triples: list[Triple]

    @property
    def server(self) -> ServerInfo:
        """The address of the running server."""
        found = server_file.running(self.house.settings.warehouse)
        assert found
        return found

    @property
    def token(self) -> str:
        """The token that clients must send."""
        return server_file.token(self.house.settings.warehouse)

    @property
    def oracle(self) -> Oracle:
        """An oracle that gives the correct answers."""
        return Oracle.of(self.triples)

    @property
    def process(self) -> psutil.Process:
        """The server process."""
        return psutil.Process(self.server.pid)

    def spark(self) -> psutil.Process:
        """Return the process of the JVM in which the server runs Spark."""
        (jvm,) = (p for p in self.process.children() if "pyspark-shell" in p.cmdline())
        return jvm

    def request(self, method: str, path: str, **options: Any) -> requests.Response:
        """Send a request with the right token."""
        headers = {"Authorization": f"Bearer {self.token}", **options.pop("headers", {})}
        address = f"{self.server.address}{path}"
        return requests.request(method, address, headers=headers, timeout=120, **options)

    def get(self, path: str, **parameters: Any) -> requests.Response:
        """Send a GET request with parameters in the URL."""
        return self.request("GET", path, params=parameters)

    def ingest(self, triples: list[Triple]) -> None:
        """Ingest triples, and wait until the server's answers include the triples."""
        summary = self.house.ingest(triples)
        self.triples += triples
        process.await_generation(self.house.settings, summary.generation, Silent())


@pytest.fixture(scope="package")
def served(houses: Callable[..., House]) -> Iterator[Served]:
    """Start the server. Tests may ingest, and may kill the processes that the server started.

    The server ends with the tests of this folder, because erasures in later tests need to be the
    only user of its Neo4j.
    """
    with started(houses) as opened:
        yield opened


@contextmanager
def started(houses: Callable[..., House]) -> Iterator[Served]:
    """Start a server of a new warehouse for the length of the block."""
    house = houses(theta=50, partition_triples=64, spark_memory="1g", answer_seconds=120)
    triples = [
        Triple(f"t:{n}", f"t:{n + 1 + n % 7}", f"op {n % 3}", "t", "t") for n in range(SIZE)
    ] + [Triple('odd "name"\n<b>ü', "t:0", "", "", "t"), *graph(11).triples]
    house.ingest(triples)
    process.up(house.settings, Silent(), wait=True)
    yield Served(house, triples)
    process.down(house.settings.warehouse, Silent())
