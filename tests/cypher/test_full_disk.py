"""If Neo4j's disk is full, commands immediately report a full disk."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from provhouse.cypher import neo4j_process as process
from provhouse.cypher import server
from provhouse.model.errors import Unavailable


@pytest.fixture
def silent_server(tmp_path: Path) -> Iterator[int]:
    """The ID of a process that looks like a home folder's server but never answers."""
    code = "import time; print(flush=True); time.sleep(60)"
    command = [sys.executable, "-c", code, f"--home-dir={tmp_path}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout
        child.stdout.readline()
        yield child.pid
        child.kill()


@pytest.mark.parametrize(
    "line", ["java.io.IOException: No space left on device", "\tDisk quota exceeded"]
)
def test_a_full_disk_is_not_waited_for(line: str, tmp_path: Path, silent_server: int) -> None:
    log = process.log_file(tmp_path)
    log.parent.mkdir()
    log.write_text(f"INFO Starting...\n{line}\n\tat java.base/java.io\n")
    began = monotonic()
    with pytest.raises(Unavailable) as error:
        process.await_ready(silent_server, tmp_path, lambda: False, 20)
    assert monotonic() - began < 10
    assert error.value.wanted == f"Neo4j cannot write to {tmp_path}"
    assert error.value.found.startswith("No space left on device")
    assert "Free some space" in error.value.remedy
    assert "overloaded" not in str(error.value)


def test_a_server_that_does_not_answer_for_another_reason_is_waited_for(
    tmp_path: Path, silent_server: int
) -> None:
    with pytest.raises(Unavailable, match="did not answer for 1 seconds"):
        process.await_ready(silent_server, tmp_path, lambda: False, 1)


def _write(path: Path) -> None:
    handle = os.open(path, os.O_WRONLY)
    try:
        os.write(handle, b"x")
    finally:
        os.close(handle)


def test_a_home_on_a_full_disk_is_no_question_of_permissions(tmp_path: Path) -> None:
    """The lock folder cannot be written: Linux has a device that is always full."""
    (tmp_path / "transition.lock").symlink_to("/dev/full")
    with pytest.raises(Unavailable) as error, server._accessible(tmp_path):
        _write(tmp_path / "transition.lock")
    assert "permissions" not in error.value.remedy
    assert isinstance(error.value.__cause__, OSError)
    assert error.value.__cause__.errno == errno.ENOSPC
