"""A question that is typed on a terminal starts a server for the next ones."""

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import psutil
import pytest

from helpers.command import Command
from helpers.warm import Warm

STARTED = re.compile(r"Started a server for the next questions \(process (\d+)\)")
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
    """Wait until the processes have ended; return whether they have."""
    until = monotonic() + seconds
    while monotonic() < until:
        if not any(one.is_running() and one.status() != "zombie" for one in processes):
            return True
        sleep(0.1)
    return False


def test_two_typed_questions_start_one_server(house: Command) -> None:
    house.on_terminal("--no-server", "lineage", "unknown").ended(3)
    house.on_terminal("find", "raw").ended(0)
    house("lineage", "unknown", status=3)  # here, standard output is a pipe
    replace(house, settings={"CI": "true"}).on_terminal("lineage", "unknown").ended(3)
    assert not house.running()
    house.kept = True  # from here on, a server may run
    terminals = [house.on_terminal("lineage", "report"), house.on_terminal("impact", "raw/1")]
    for terminal in terminals:
        terminal.process.wait(300)  # ``ended`` fails while the other command runs
    shown = [terminal.ended(0) for terminal in terminals]
    assert "raw/2" in shown[0]
    assert "clean/1" in shown[1]
    (server,) = house.running(SERVER)
    assert STARTED.findall("".join(shown)) == [str(server.pid)]
    assert "or with `provhouse down`" in " ".join("".join(shown).split())
    again = house.on_terminal("lineage", "clean/1").ended(0)
    assert "Started" not in again
    assert json.loads(house("lineage", "report").out)["generation"] == 1
    assert house("down").out == "The server is stopped.\nNeo4j is stopped.\n"
    assert not house.running()


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
