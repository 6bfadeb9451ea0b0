"""Nothing is lost if a Neo4j that provhouse does not run is killed in the middle of a command."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import psutil
import pytest

from helpers.graphs import graph as random_graph
from helpers.oracle import Oracle, Triple
from helpers.warehouse import House, content
from provhouse.care.forget import forget
from provhouse.cypher import driver, graph, server, wiping
from provhouse.cypher.config import password_file
from provhouse.model.errors import Unavailable
from provhouse.model.progress import Silent

pytestmark = pytest.mark.long
TRIPLES = [triple for seed in (11, 12, 13) for triple in random_graph(seed).triples]


class Killer:
    """A callback that kills the server at a given fault point call, and can restart the server."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._left, self._point, self._back = 0, "", False
        self._restart = Thread()

    def arm(self, point: str, call: int, *, back: bool) -> None:
        """Kill the server at call number ``call`` of ``point``; if ``back``, restart it then."""
        self._left, self._point, self._back = call, point, back

    def reach(self, point: str) -> None:
        """Kill the server if this call of ``point`` is the armed one."""
        self._left -= point == self._point
        if point != self._point or self._left:
            return
        number = server.process_id(self.home)
        assert number
        killed = psutil.Process(number)
        killed.kill()
        killed.wait()  # otherwise, the process might still count as running
        if self._back:
            self._restart = Thread(target=self.start)
            self._restart.start()

    def start(self) -> None:
        """Start the server."""
        server.up(self.home, "512m", Silent())

    def done(self) -> None:
        """Wait until the server is up."""
        if self._restart.ident:
            self._restart.join()
        self.start()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home of the server that is killed."""
    folder = tmp_path_factory.mktemp("theirs")
    server.up(folder, "512m", Silent())
    yield folder
    server.down(folder, Silent())


@pytest.fixture(params=[True, False], ids=["many", "one"])
def killer(home: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Killer:
    """A ``Killer``. A load needs many small batches, from several writers, or one transaction."""
    made = Killer(home)
    if request.param:
        monkeypatch.setattr(graph, "BATCH", 3)
    for module in (graph, wiping):
        monkeypatch.setattr(module, "reach", made.reach)
    return made


@pytest.fixture
def house(houses: Callable[..., House], home: Path) -> House:
    """A warehouse on the server that is killed."""
    address = server.running(home)
    assert address
    theirs = {"neo4j_uri": address.bolt, "neo4j_password_file": password_file(home)}
    made = houses(theta=4, pack=0, partition_triples=10, neo4j_home=None, **theirs)
    made.ingest(TRIPLES[:20])
    return made


def assert_answers(house: House, triples: list[Triple]) -> None:
    """Fail if the lineage or impact of any tested item differs from the answer of networkx."""
    oracle = Oracle.of(triples)
    with house.asker() as asker:
        for item in sorted({triple.dst for triple in triples[::7]}):
            for direction in ("upstream", "downstream"):
                found = content(asker.ask(item, direction))
                assert found.items == oracle.ask(item, direction).items


@pytest.mark.parametrize(
    ("point", "call"),
    [
        ("batch written", 5),
        *(
            pytest.param(point, call, marks=pytest.mark.long)
            for point in ("batch unwritten", "batch written")
            for call in (1, 5, 6)
            if (point, call) != ("batch written", 5)
        ),
    ],
)
def test_a_restart_during_a_load_goes_unnoticed(
    house: House, killer: Killer, point: str, call: int
) -> None:
    killer.arm(point, call, back=True)
    house.ingest(TRIPLES[20:])
    killer.done()
    house.check_deep()
    assert_answers(house, TRIPLES)


@pytest.mark.parametrize("call", [5, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 6))])
def test_a_server_that_stays_down_leaves_the_last_generation(
    house: House, killer: Killer, call: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(driver.RETRY_SECONDS, False, 2)
    killer.arm("batch written", call, back=False)
    with pytest.raises(Unavailable, match="does not answer"):
        house.ingest(TRIPLES[20:])
    assert house.commit.generation == 1
    killer.done()
    house.check_deep()
    assert_answers(house, TRIPLES[:20])
    house.ingest(TRIPLES[20:])
    house.check_deep()
    assert_answers(house, TRIPLES)


def test_an_erasure_is_completed_by_the_next_writer(
    house: House, killer: Killer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(driver.RETRY_SECONDS, False, 2)
    killer.arm("Neo4j wiped", 1, back=False)
    with pytest.raises(Unavailable, match="does not answer"):
        forget([TRIPLES[0].src], house.settings, Silent())
    assert house.layout.erasure.exists()
    killer.done()
    house.ingest(TRIPLES[20:])
    assert not house.layout.erasure.exists()
    house.check_deep()
