"""The demo and its pipeline, each run once for all tests, on the data of three days."""

import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

FLIGHTS = Path(__file__).parents[2] / "examples" / "flights"
RUN = FLIGHTS / "run.py"
DAYS = date(2013, 2, 11), date(2013, 2, 13)
SLICE = ("--first", str(DAYS[0]), "--last", str(DAYS[1]))
SET_BY_PIPELINE = ("spark.sql.session.timeZone", "spark.sql.shuffle.partitions")

Module = Callable[[str], Any]
Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Demo:
    """The demo's folder, the result of its first run, and a function that runs it again."""

    folder: Path
    first: Done
    again: Callable[[], Done]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory, graph_home: Path, spark: SparkSession) -> Path:
    """The folder of a pipeline that has run on the Spark of all tests.

    Its folder ``data`` has the tables, and its folder ``warehouse`` their lineage. The demo itself
    would start two more Spark sessions.
    """
    folder = tmp_path_factory.mktemp("pipeline")
    with _modules(graph_home, spark) as module:
        module("pipeline").run(folder / "data", folder / "warehouse", DAYS)
    return folder


@pytest.fixture
def module(graph_home: Path, spark: SparkSession) -> Iterator[Module]:
    """A function that imports a module of the demo."""
    with _modules(graph_home, spark) as found:
        yield found


@contextmanager
def _modules(graph_home: Path, spark: SparkSession) -> Iterator[Module]:
    """Yield a function that imports modules; they use the Neo4j and Spark of the tests."""
    before = {name: spark.conf.get(name) for name in SET_BY_PIPELINE}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROVHOUSE_NEO4J_HOME", str(graph_home))
        patch.syspath_prepend(FLIGHTS)
        yield importlib.import_module
    for name, value in before.items():
        spark.conf.set(name, str(value))


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory, graph_home: Path) -> Demo:
    """The demo after its first run, without a terminal."""
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
