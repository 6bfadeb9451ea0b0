"""Spark starts again in the same process, regardless of when it was stopped before."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from provhouse.runtime.spark import session

PROGRAM = Path(__file__).parent.parent.parent / "helpers" / "interrupted_start.py"


@pytest.mark.long
def test_a_start_that_is_interrupted_fails_and_the_next_succeeds(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, PROGRAM, tmp_path], capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kept", [True, False])
def test_only_its_owner_reads_the_log_of_spark(tmp_path: Path, kept: bool) -> None:
    """If an earlier version made a log readable for everyone, the log is made private, too."""
    log = tmp_path / "spark.log"
    if kept:
        log.write_text("an earlier start\n")
        log.chmod(0o644)
    before = os.umask(0)
    try:
        os.close(session._opened(log))
    finally:
        os.umask(before)
    assert log.stat().st_mode & 0o777 == 0o600
