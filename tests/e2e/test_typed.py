"""A server that a command started ends with its warehouse, or when idle for some time."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import psutil
import pytest

from helpers.command import Command
from helpers.warm import Warm

SERVER = "provhouse.serve"


@pytest.fixture
def house(tmp_path: Path, first_file: Path, warm: Warm) -> Iterator[Command]:
    """A warehouse with a Neo4j of its own. Questions about the warehouse may start a server."""
    typed = {"PROVHOUSE_IDLE_MINUTES": "15", "CI": ""}
    command = Command(tmp_path / "warehouse", settings=typed)
    replace(command, by=warm)("ingest", first_file)
    yield command
    command.end_all()


def all_gone(processes: list[psutil.Process], seconds: float) -> bool:
    """Wait at most ``seconds`` for all processes to end; return whether they have ended."""
    until = monotonic() + seconds
    while monotonic() < until:
        if not any(one.is_running() and one.status() != "zombie" for one in processes):
            return True
        sleep(0.1)
    return False


@pytest.mark.long
def test_a_server_ends_with_its_warehouse(house: Command) -> None:
    house.kept = True
    house.on_terminal("lineage", "report").ended(0)
    left = house.running()
    assert {SERVER in " ".join(one.cmdline()) for one in left} == {True, False}
    shutil.rmtree(house.warehouse, ignore_errors=True)
    assert all_gone(left, 60), house.running()
    assert not house.warehouse.exists()


@pytest.mark.long
def test_an_idle_server_ends(house: Command) -> None:
    house.kept = True
    house.settings["PROVHOUSE_IDLE_MINUTES"] = "1"
    house.on_terminal("lineage", "report").ended(0)
    assert all_gone(house.running(), 120)
