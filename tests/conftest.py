"""Fixtures that all tests share: one Neo4j, one Spark, and warehouses that use them."""

import os
import re
import secrets
import signal
from collections.abc import Callable, Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from pyspark.sql import SparkSession

from helpers.distribution import SLOW, Groups, group, place
from helpers.kernels import compile_once
from helpers.warehouse import House
from helpers.warm import Warm
from provhouse.commit.erasing import erase
from provhouse.cypher import neo4j_process as process
from provhouse.cypher import server
from provhouse.cypher.access import connected
from provhouse.cypher.address import Address
from provhouse.cypher.graph import Graph
from provhouse.cypher.server_record import ServerRecord
from provhouse.cypher.view_mark import clear_mark
from provhouse.cypher.wiping import wipe as wipe_all
from provhouse.model.progress import Progress, Silent
from provhouse.model.settings import Settings
from provhouse.runtime.spark import session as store
from provhouse.store.warehouse.layout import Layout

# A shell that starts tests in the background makes them ignore Ctrl-C or SIGHUP. Commands that the
# tests start would inherit this.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# In tests, servers and the demo's pipeline run for only a minute. In so short a time, Java's
# optimizing compiler would take longer than it saves.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")

# The first example that calls a compiled kernel may have to compile it, which takes longer than
# Hypothesis allows. `make test-long` uses the profile ``deep``.
hypothesis.settings.register_profile("provhouse", deadline=None, max_examples=10)
hypothesis.settings.register_profile("deep", deadline=None, max_examples=500)
hypothesis.settings.load_profile("provhouse")

if "PYTEST_XDIST_WORKER" in os.environ:
    compile_once()

pytest_plugins = ["helpers.results"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites golden files."""
    parser.addoption("--golden", action="store_true", help="rewrite the golden files")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """A function that compares a string, byte for byte, with a file in the test's ``golden/``.

    With ``pytest --golden FOLDER``, the function rewrites the golden files of FOLDER instead.
    """

    def compare(name: str, text: str) -> None:
        file = request.path.parent / "golden" / name
        if request.config.getoption("--golden"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        held = file.read_bytes().decode() if file.exists() else ""
        if text != held:
            lines = unified_diff(_parts(held), _parts(text), f"golden/{name}", "now", lineterm="")
            pytest.fail("\n".join(lines), pytrace=False)

    return compare


def _parts(text: str) -> list[str]:
    """Return the lines of a string. Long lines are split after each comma, for a readable diff."""
    return [
        repr(part) if "\r" in part or "\x1b" in part else part
        for line in text.split("\n")
        for part in (re.split("(?<=,)", line) if len(line) > 200 else [line])
    ]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests that take long first, as described in `helpers.distribution`."""
    using = (item for item in items if SLOW & {*getattr(item, "fixturenames", ())})
    slow = {group(item.nodeid) for item in using}
    items.sort(key=lambda item: place(item.nodeid, slow))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Groups:
    """Return the scheduler that divides the tests between the processes of `make test`."""
    return Groups(config, log)


@pytest.fixture(scope="session")
def graph_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home of a managed Neo4j that runs during all tests.

    Its path contains unusual characters.
    """
    home = tmp_path_factory.mktemp("neo4j hömé")
    server.up(home, "512m", Silent())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(erase, "wipe", _wipe_of_one(home))
        yield home
    state = ServerRecord.read(home)
    process.stop(state.pid if state else None, home)


def _wipe_of_one(home: Path) -> Callable[[str, Settings, Progress], None]:
    """Return a substitute for the function by which erasures wipe Neo4j.

    In the shared home, the substitute deletes one warehouse only, because a start of Neo4j takes as
    long as fifty small erasures. `tests/fire` and `tests/care/test_forget_killed.py` have their own
    servers, which erasures really wipe.
    """

    def wipe(warehouse: str, settings: Settings, progress: Progress) -> None:
        if settings.neo4j_uri or settings.graph_home != home:
            wipe_all(warehouse, settings, progress)
            return
        with connected(settings, progress) as address, Graph(address, warehouse) as shared:
            shared.delete_all()
        clear_mark(home)

    return wipe


@pytest.fixture(scope="session")
def address(graph_home: Path) -> Address:
    """The address of the shared Neo4j."""
    found = server.running(graph_home)
    assert found
    return found


@pytest.fixture
def graph(address: Address) -> Iterator[Graph]:
    """The ``Graph`` of a new warehouse in the shared Neo4j."""
    with Graph(address, secrets.token_hex(8)) as opened:
        opened.prepare()
        yield opened
        # Otherwise, queries of other tests that read all warehouses would take minutes with these
        # sets.
        opened.remove("sets_pruned", 0, 1 << 62)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    """The Spark session of all tests, started as commands start one.

    It ends after the last test.
    """
    folder = tmp_path_factory.mktemp("spark")
    return store.spark(Settings(master="local[2]", spark_memory="1g"), Layout(folder).logs)


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warm]:
    """A ``Warm``, which starts commands on its own Spark and not on the Spark of all tests."""
    with Warm(tmp_path_factory.mktemp("warm")) as started:
        yield started


@pytest.fixture(scope="session")
def houses(
    tmp_path_factory: pytest.TempPathFactory,
    graph_home: Path,
    spark: SparkSession,
) -> Callable[..., House]:
    """A function that creates empty warehouses with given settings, on one Spark and one Neo4j."""

    def make(**settings: Any) -> House:
        folder = tmp_path_factory.mktemp("house") / "a wärehouse"
        given = {"warehouse": folder, "neo4j_home": graph_home, **settings}
        return House(Settings(**given), spark)

    return make


@pytest.fixture
def page_folder(
    tmp_path: Path, graph_home: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A new current folder for the commands of a docs page, with the default warehouse.

    Spark must be running before, or its workers would start in this folder.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROVHOUSE_NEO4J_HOME", str(graph_home))
    monkeypatch.setenv("PROVHOUSE_SPARK_MEMORY", "1g")
    monkeypatch.delenv("PROVHOUSE_WAREHOUSE", raising=False)
    return tmp_path
