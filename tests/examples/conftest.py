"""The demo, run once for all its tests, without a terminal and with the data of three days."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

RUN = Path(__file__).parents[2] / "examples" / "flights" / "run.py"
SLICE = ("--first", "2013-02-11", "--last", "2013-02-13")

Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Demo:
    """The folder in which the demo ran, the result of its first run, and a function to rerun it."""

    folder: Path
    first: Done
    again: Callable[[], Done]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory, graph_home: Path) -> Demo:
    """The demo after its first run."""
    folder = tmp_path_factory.mktemp("demo")

    def run() -> Done:
        return subprocess.run(
            [sys.executable, RUN, "--warehouse", "warehouse", "--data", "data", *SLICE],
            cwd=folder,
            env={**os.environ, "PROVHOUSE_NEO4J_HOME": str(graph_home)},
            capture_output=True,
            text=True,
        )

    return Demo(folder, run(), run)
