"""A server ends when its warehouse is gone. An idle server also ends, unless it must stay."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import sleep

import pytest

from provhouse.serve.lifetime import Lifetime
from provhouse.serve.server_file import claim, claimed, keep, running

TICK = 0.2
"""The time, in seconds, after which a server without questions ends."""
PID = 1234


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    return tmp_path / "warehouse"


@pytest.fixture
def lock(warehouse: Path) -> Iterator[int]:
    """A handle of the lock file that makes this process the only server of the warehouse."""
    handle = claim(warehouse)
    assert handle is not None
    yield handle
    os.close(handle)


@pytest.fixture
def idle(warehouse: Path, lock: int) -> Lifetime:
    return Lifetime(warehouse, lock, PID, TICK / 60)


def test_an_idle_server_ends(idle: Lifetime) -> None:
    assert idle.over(0, 0) == ""
    sleep(TICK)
    assert idle.over(1, 0) == ""  # a question has arrived since the last call
    sleep(TICK)
    assert idle.over(1, 1) == ""  # the question is still being answered
    sleep(TICK)
    assert idle.over(1, 0).startswith("Nothing was asked for")


def test_a_kept_server_does_not_end(idle: Lifetime, warehouse: Path) -> None:
    keep(warehouse, PID + 1)  # this process id is that of a server that has ended
    sleep(TICK)
    assert idle.over(0, 0)
    keep(warehouse, PID)
    assert idle.over(0, 0) == ""


def test_a_server_without_a_limit_does_not_end(warehouse: Path, lock: int) -> None:
    endless = Lifetime(warehouse, lock, PID, 0)
    sleep(TICK)
    assert endless.over(0, 0) == ""


def test_a_server_ends_if_another_warehouse_is_in_the_place_of_its_own(
    idle: Lifetime, warehouse: Path
) -> None:
    shutil.rmtree(warehouse)
    assert idle.over(0, 1) == "The warehouse has been moved or deleted"
    assert not claimed(warehouse)
    other = claim(warehouse)
    assert other is not None
    assert claimed(warehouse)
    assert idle.over(0, 1)
    os.close(other)


@pytest.mark.long
def test_sigterm_ends_a_server_with_143(warehouse: Path) -> None:
    environment = {**os.environ, "PROVHOUSE_WAREHOUSE": str(warehouse)}
    command = [sys.executable, "-m", "provhouse.serve"]
    with subprocess.Popen(command, env=environment) as server:
        try:
            while not running(warehouse):
                assert server.poll() is None
                sleep(0.02)
            server.terminate()
            assert server.wait(60) == 143
        finally:
            server.kill()
    assert not claimed(warehouse)
