"""Fixtures that the tests of the rules of capture share."""

import json
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from helpers.lineage_cases import Block, Done, written
from helpers.scoreboard import LONG, ROOT
from helpers.shop import write_shop
from helpers.warehouse import House
from provhouse.capturing.spark_versions import SparkVersion


@pytest.fixture(scope="module")
def block(
    request: pytest.FixtureRequest,
    houses: Callable[..., House],
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
) -> Block:
    """A function that writes, in one block, those ``CASES`` of the test file that are named."""

    def write(names: Iterable[str]) -> Done:
        folder = tmp_path_factory.mktemp("a shop, ünd")
        write_shop(folder)
        cases = {name: request.module.CASES[name] for name in names}
        return written(cases, folder, houses(), spark)

    return write


@pytest.fixture(scope="session")
def connect_packages() -> Path:
    """The folder with the packages of Spark Connect.

    No environment of provhouse has them, so they are installed below ``.long``.
    """
    uv = f"{ROOT}/.venv/bin/uv pip install --quiet --system-certs --python {sys.executable}".split()
    target = LONG / "connect"
    lock = f"--target {target} --require-hashes -r {ROOT}/locks/connect.lock".split()
    subprocess.run([*uv, *lock], check=True)
    return target


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Record the outcomes of long tests on versions of Spark, for the page about them."""
    report = yield
    params = dict(item.callspec.params) if hasattr(item, "callspec") else {}
    version = params.pop("version", None)
    is_outcome = report.failed or (report.passed and report.when == "call")
    if isinstance(version, SparkVersion) and item.get_closest_marker("long") and is_outcome:
        LONG.mkdir(exist_ok=True)
        line = {
            "test": item.originalname + _others(params),  # type: ignore[attr-defined]
            "version": str(version),
            "passed": report.passed,
            "date": datetime.now(UTC).date().isoformat(),
        }
        with (LONG / "spark-versions.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    return report


def _others(params: Mapping[str, object]) -> str:
    """Return the parameters of a test in brackets, or an empty string if all are empty."""
    found = ", ".join(str(params[name]) for name in sorted(params) if params[name])
    return f"[{found}]" if found else ""
