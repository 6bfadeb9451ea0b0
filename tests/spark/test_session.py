"""Spark starts again in the same process, whenever it was ended before."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent.parent / "helpers" / "interrupted_start.py"


@pytest.mark.long
def test_a_start_that_is_interrupted_fails_and_the_next_succeeds(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, PROGRAM, tmp_path], capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
