"""Commands as users type them, on Neo4j, Spark and Java as they are.

Where only the result counts they are forked from a process in which Spark is up (``held``,
``fresh``); how they start, end and are cut off is tried with processes of their own (``alone``,
``test_server.py``, ``test_life.py``, ``test_machine.py``).
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.command import Command
from helpers.warm import Warm

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
    """Four triples of five items, a duplicate, and a row without src."""
    file = tmp_path_factory.mktemp("first") / "first.csv"
    file.write_text(FIRST)
    return file


@pytest.fixture(scope="session")
def held(
    tmp_path_factory: pytest.TempPathFactory, graph_home: Path, first_file: Path, warm: Warm
) -> Iterator[Command]:
    """A warehouse with one ingest, only to be read or to fail on; ``report`` is its last item."""
    command = Command(tmp_path_factory.mktemp("held") / "warehouse", graph_home, by=warm)
    command("ingest", first_file)
    yield command
    command.end_all()


@pytest.fixture
def fresh(tmp_path: Path, graph_home: Path, warm: Warm) -> Iterator[Command]:
    """A warehouse that is not there yet."""
    command = Command(tmp_path / "warehouse", graph_home, by=warm)
    yield command
    command.end_all()


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Command]:
    """A warehouse that is not there yet, with a Neo4j of its own."""
    command = Command(tmp_path / "warehouse")
    yield command
    command.end_all()


@pytest.fixture
def unchanged(held: Command) -> Callable[[], None]:
    """Asserts that a command which failed left the held warehouse as it was."""
    before = state(held)

    def check() -> None:
        assert state(held) == before

    return check


def state(command: Command) -> dict[str, Any]:
    """What counts of a warehouse: its records and all files of its bases."""
    root = command.warehouse
    kept = [f for f in root.glob("base-*/**/*") if f.is_file()]
    files = sorted(str(f.relative_to(root)) for f in kept)
    return {"files": files, "commits": sorted(f.read_text() for f in root.glob("commits/*"))}
