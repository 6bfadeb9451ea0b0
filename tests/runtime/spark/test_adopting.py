"""A warehouse works in a Spark session that another program created, and leaves it unchanged."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from provhouse.runtime.java import java

PROGRAM = Path(__file__).parent.parent.parent / "helpers" / "foreign_program.py"


@pytest.mark.long
def test_all_answers_are_right_in_a_session_of_another_program(
    tmp_path: Path, graph_home: Path
) -> None:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("SPARK_")
    }
    environment |= {
        "JAVA_HOME": str(java().parent.parent),
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(PROGRAM.parent.parent),
    }
    done = subprocess.run(
        [sys.executable, PROGRAM, tmp_path, graph_home],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
