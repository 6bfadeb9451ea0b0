"""What all tests share: outside systems that are started once."""

import os
import secrets
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from pyspark.sql import SparkSession
from xdist.scheduler import LoadScopeScheduling

from helpers.warehouse import House
from helpers.warm import Warm
from provhouse.cypher import process, server
from provhouse.cypher.graph import Graph
from provhouse.cypher.server_record import Address, ServerRecord
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.spark import session as store
from provhouse.store.warehouse.layout import Layout

# A shell that starts tests in the background lets them ignore Ctrl-C or its own end, and so would
# every command.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Servers and the demo's pipeline live for a minute here: what Java would save by compiling with
# more care is less than that takes.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")

# The first example of a kernel may be the one that compiles it.
hypothesis.settings.register_profile("provhouse", deadline=None)
hypothesis.settings.load_profile("provhouse")


WARM = (
    "e2e/test_input.py",
    "e2e/test_keeping.py",
    "e2e/test_machine.py",
    "e2e/test_results.py",
    "e2e/test_server.py",
    "test_readme.py",
)
"""Files beside ``fire`` that use ``warm``."""


class Files(LoadScopeScheduling):  # type: ignore[misc]  # untyped
    """Tests of one file share a process, and so do those that share what is slow to start."""

    def _split_scope(self, nodeid: str) -> str:
        """All of the demo, which is run once, and whatever runs commands on a warm Spark."""
        file = nodeid.split("::")[0]
        if "/examples/" in file:
            return "examples"
        return "warm" if "/fire/" in file or file.endswith(WARM) else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Files:
    """How `make test` shares the tests between two processes."""
    return Files(config, log)


@pytest.fixture(scope="session")
def graph_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home of a managed Neo4j that stays up for all tests; its name is an awkward one."""
    home = tmp_path_factory.mktemp("neo4j hömé")
    server.up(home, "512m", Silent())
    yield home
    state = ServerRecord.read(home)
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
        # Queries of other tests that read all warehouses would take minutes with these sets.
        opened.remove("sets_pruned", 0, 1 << 62)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    """The Spark session of all tests, started as a command starts it; it ends with the process."""
    folder = tmp_path_factory.mktemp("spark")
    return store.spark(Settings(master="local[2]", spark_memory="1g"), Layout(folder).logs)


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warm]:
    """Commands on a Spark that is up, another one than ``spark``."""
    with Warm(tmp_path_factory.mktemp("warm")) as started:
        yield started


@pytest.fixture(scope="session")
def houses(
    tmp_path_factory: pytest.TempPathFactory,
    graph_home: Path,
    spark: SparkSession,
) -> Callable[..., House]:
    """Makes empty warehouses with the settings that are named, all on one Spark and one Neo4j."""

    def make(**settings: Any) -> House:
        folder = tmp_path_factory.mktemp("house") / "warehouse"
        given = {"warehouse": folder, "neo4j_home": graph_home, **settings}
        return House(Settings(**given), spark)

    return make
