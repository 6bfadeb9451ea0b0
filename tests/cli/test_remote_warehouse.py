"""Commands check their settings before they use a warehouse at an address."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from helpers.memory_objects import MemoryObjects
from provhouse.cli.app import app
from provhouse.cli.remote_warehouse import NOT_REMOTE, WRITING, used
from provhouse.commit import graph_of_remote
from provhouse.model.command import COMMAND
from provhouse.model.errors import UsageError
from provhouse.store.warehouse import at_address

ADDRESS = "s3://bucket/house"


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each call would keep Neo4j up."""
    found = list[bool]()

    @contextmanager
    def brought(*_: object, keep_graph: bool, whole: bool) -> Iterator[None]:
        found.append(keep_graph)
        yield

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(at_address, "objects_at", lambda _: MemoryObjects())
    monkeypatch.setattr(graph_of_remote, "brought_up_to_date", brought)
    return found


def commands_that_wait() -> set[str]:
    """Return the commands that wait for other writers, so they write themselves."""
    group: Any = get_command(app)
    commands = group.commands.items()
    return {name for name, each in commands if any("--wait" in p.opts for p in each.params)}


def test_all_commands_that_write_are_known() -> None:
    assert len(commands_that_wait()) > 5
    assert commands_that_wait() - NOT_REMOTE.keys() <= {*WRITING}


@pytest.mark.parametrize(("command", "keeps"), [("lineage", True), ("ingest", False)])
def test_only_a_command_that_reads_keeps_neo4j_up(
    command: str, keeps: bool, kept: list[bool]
) -> None:
    before = COMMAND.set(command)
    try:
        with used(ADDRESS, {}):
            assert kept == [keeps]
    finally:
        COMMAND.reset(before)


@pytest.mark.parametrize("minutes", [None, 0])
def test_no_server_is_started(minutes: int | None) -> None:
    with used(ADDRESS, {"idle_minutes": minutes}) as settings:
        assert settings.idle_minutes == 0


def test_a_time_for_a_server_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROVHOUSE_IDLE_MINUTES", "30")
    with pytest.raises(UsageError, match="idle_minutes does not suit"), used(ADDRESS, {}):
        pass
