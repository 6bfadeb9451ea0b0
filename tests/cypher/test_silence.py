"""No command waits long for a server that is stopped or on a network that loses data."""

import gc
import secrets
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import psutil
import pytest

from provhouse.cypher import driver, server, silence
from provhouse.cypher import neo4j_process as process
from provhouse.cypher.address import Address
from provhouse.cypher.graph import Graph
from provhouse.cypher.server import process_id
from provhouse.model.arrays import SetId
from provhouse.model.errors import TooSlow, Unavailable
from provhouse.model.progress import Silent, Stopwatch

USES: dict[str, Callable[[Graph], object]] = {
    "walk": lambda graph: graph.closure(SetId(1), "upstream"),
    "read": lambda graph: graph.read("RETURN 1", {}),
    "has load": lambda graph: graph.has_load("c"),
    "write": lambda graph: graph.write(
        "dependencies", [{"set": 5, "derives_from": 6, "triples": 1, "ops": []}]
    ),
    "prepare": lambda graph: graph.prepare(),
    "view": lambda graph: graph.write_view("v", "2000-01-01", [], []),
}


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Collect, after each test, the sessions that were still open when their connections closed.

    Neo4j's driver cannot close such a session, and warns when Python collects it.
    """
    yield
    for thread in threading.enumerate():
        if thread.name == "neo4j":
            thread.join(20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@contextmanager
def soon() -> Iterator[None]:
    """Shorten the time after which a server counts as silent, during the block.

    The other time limits stay, because the machine may be busy.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(silence, "SILENT_SECONDS", 0.2)
        patch.setattr(driver, "PROBE_SECONDS", 0.3)
        patch.setattr(process, "ANSWER_SECONDS", 0.5)
        yield


@contextmanager
def stopped(home: Path) -> Iterator[None]:
    """Suspend the server's process during the block."""
    neo4j = psutil.Process(process_id(home))
    neo4j.suspend()
    try:
        yield
    finally:
        neo4j.resume()


@contextmanager
def within(seconds: float) -> Iterator[None]:
    began = monotonic()
    yield
    assert monotonic() - began < seconds


def depends(graph: Graph) -> Graph:
    graph.write("dependencies", [{"set": 1, "derives_from": 2, "triples": 1, "ops": []}])
    assert sorted(graph.closure(SetId(1), "upstream")) == [1, 2]
    return graph


@pytest.mark.long
def test_a_stopped_server_is_noticed(address: Address, graph: Graph, graph_home: Path) -> None:
    """Each kind of use has a separate connection, which was used before the server stopped."""
    with ExitStack() as stack:
        graphs = {use: stack.enter_context(Graph(address, graph.warehouse)) for use in USES}
        for each in graphs.values():
            depends(each)
        with stopped(graph_home), soon():
            for use, each in graphs.items():
                with within(20), pytest.raises(Unavailable, match="does not answer"):
                    USES[use](each)
        for use, each in graphs.items():
            with within(20):
                USES[use](each)
                assert sorted(each.closure(SetId(1), "upstream")) == [1, 2]


@pytest.mark.parametrize("fresh", [pytest.param(False, marks=pytest.mark.long), True])
def test_a_question_ends_at_its_own_limit(
    address: Address, graph: Graph, graph_home: Path, fresh: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silence, "SILENT_SECONDS", 60)
    depends(graph)
    with Graph(address, graph.warehouse) as opened:
        asked = opened if fresh else graph
        with stopped(graph_home), within(10), pytest.raises(TooSlow) as caught:
            asked.closure(SetId(1), "upstream", Stopwatch(0.5))
        assert f"Neo4j at {address.bolt}" in caught.value.found
        assert sorted(asked.closure(SetId(1), "upstream", Stopwatch(20))) == [1, 2]


@pytest.mark.long
def test_a_client_that_leaves_ends_the_wait(graph: Graph, graph_home: Path) -> None:
    gone = threading.Event()
    threading.Timer(0.3, gone.set).start()
    with stopped(graph_home), within(10), pytest.raises(TooSlow, match="was cancelled"):
        graph.closure(SetId(1), "upstream", Stopwatch(gone=gone))


@pytest.mark.long
def test_a_busy_server_is_awaited(graph: Graph) -> None:
    """The statement takes several times as long as a server is allowed to be silent."""
    count = graph.read("UNWIND range(1, 40000000) AS n RETURN sum(n % 7)", {})
    assert count.rows == [(120000000,)]


@pytest.mark.long
def test_a_stopped_server_is_not_asked_for_minutes(
    graph_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_age", lambda pid: 1000)
    with (
        stopped(graph_home),
        soon(),
        within(20),
        pytest.raises(Unavailable, match="did not answer"),
    ):
        server.up(graph_home, "512m", Silent())
    with within(20):
        server.up(graph_home, "512m", Silent())


class Network:
    """A proxy that passes bytes between clients and a port, until its ``loses`` is set."""

    def __init__(self, port: int) -> None:
        self._port, self._listening = port, socket.create_server(("127.0.0.1", 0))
        self._open = [self._listening]
        self.port = int(self._listening.getsockname()[1])
        self.loses = False
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        for each in self._open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                one = self._listening.accept()[0]
                other = socket.create_connection(("127.0.0.1", self._port))
                self._open += [one, other]
                for ends in ((one, other), (other, one)):
                    threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if not self.loses:
                    target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


@pytest.mark.long
@pytest.mark.parametrize("managed", [pytest.param(True, marks=pytest.mark.long), False])
def test_a_network_that_loses_everything_is_noticed(
    address: Address, graph: Graph, managed: bool
) -> None:
    network = Network(int(address.bolt.rpartition(":")[2]))
    beyond = replace(address, bolt=f"bolt://127.0.0.1:{network.port}", managed=managed)
    with closing(network), Graph(beyond, graph.warehouse) as far:
        depends(far)
        network.loses = True
        with soon():
            with within(20), pytest.raises(Unavailable, match="does not answer"):
                far.closure(SetId(1), "upstream")
            assert not far.answers()
        network.loses = False
        assert sorted(far.closure(SetId(1), "upstream")) == [1, 2]


@pytest.mark.long
def test_closing_does_not_wait_for_a_stopped_server(address: Address, graph_home: Path) -> None:
    graph: Any = Graph(address, secrets.token_hex(8))
    depends(graph)
    with stopped(graph_home), soon(), within(10):
        graph.close()
