"""Commands as users type them, with real Neo4j, Spark and Java.

If only the result of commands matters, they are forked from a process in which Spark is running
(``stored``, ``fresh``). If their start, end or interruption matters, they run as separate processes
(``alone``, ``test_server.py``, ``test_life.py``, ``test_machine.py``).
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from release import release

from helpers.command import Command
from helpers.installed import ROOT, Environment, make, wheels_of
from helpers.warehouse import House
from helpers.warm import Warm
from provhouse.model.progress import Silent
from provhouse.serve import server_process

FIRST = """\
src,dst,op,src_table,dst_table,by
raw/1,clean/1,trim,raw,clean,nightly
raw/2,clean/2,trim,raw,clean,nightly
clean/1,report,sum,clean,report,
clean/2,report,sum,clean,report,
clean/2,report,sum,clean,report,
,report,sum,,report,
"""


@pytest.fixture(scope="session")
def first_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a file with four triples of five items, a duplicate row, and a row without src."""
    file = tmp_path_factory.mktemp("first") / "first.csv"
    file.write_text(FIRST)
    return file


@pytest.fixture(scope="session")
def stored(
    tmp_path_factory: pytest.TempPathFactory, graph_home: Path, first_file: Path, warm: Warm
) -> Iterator[Command]:
    """A warehouse with one ingest, whose last item is ``report``.

    Tests do not change the warehouse.
    """
    command = Command(tmp_path_factory.mktemp("stored") / "warehouse", graph_home, by=warm)
    command("ingest", first_file)
    yield command
    command.end_all()


@pytest.fixture
def fresh(tmp_path: Path, graph_home: Path, warm: Warm) -> Iterator[Command]:
    """Commands on a warehouse that does not exist yet."""
    command = Command(tmp_path / "warehouse", graph_home, by=warm)
    yield command
    command.end_all()


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Command]:
    """Commands on a warehouse that does not exist yet and has its own Neo4j."""
    command = Command(tmp_path / "warehouse")
    yield command
    command.end_all()


@pytest.fixture
def unchanged(stored: Command) -> Callable[[], None]:
    """Return a function that fails if ``stored`` has changed since the test began."""
    before = state(stored)

    def check() -> None:
        assert state(stored) == before

    return check


def state(command: Command) -> dict[str, Any]:
    """Return the commit records of a warehouse, and the names of all files in the bases."""
    root = command.warehouse
    kept = [f for f in root.glob("base-*/**/*") if f.is_file()]
    files = sorted(str(f.relative_to(root)) for f in kept)
    return {"files": files, "commits": sorted(f.read_text() for f in root.glob("commits/*"))}


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a release."""
    target = tmp_path_factory.mktemp("release") / "dist"
    release(target)
    return target


@pytest.fixture(scope="session")
def environment(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """A function that installs a lock, the wheels and other packages for a version of Python."""

    def made(lock: str, *others: str, python: str = sys.executable) -> Path:
        folder = tmp_path_factory.mktemp("environment")
        return make(folder, wheels_of(dist), lock, *others, python=python)

    return made


@pytest.fixture(scope="session")
def base(environment: Environment) -> Path:
    """An environment with the base only."""
    return environment("locks/base.lock")


@pytest.fixture
def served(houses: Callable[..., House]) -> Iterator[House]:
    """A warehouse whose server runs in the environment of the tests."""
    house = houses(spark_memory="1g")
    house.ingest_files(ROOT / "examples" / "first" / "orders.csv")
    server_process.up(house.settings, Silent(), wait=True)
    yield house
    server_process.down(house.settings.warehouse, Silent())
