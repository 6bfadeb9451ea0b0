"""The commands of the page on versions of Spark run as typed, from spark-submit to an answer."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jars_all import package

from helpers.hdfs import hdfs
from helpers.pages import DOCS
from provhouse.capturing.spark_versions import SparkVersion, named

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
TRIED = [named("3.5"), named("4.0")]
TYPED = "PLACE=hdfs://namenode:8020/shop"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running HDFS."""
    with hdfs(tmp_path_factory.mktemp("hdfs") / "cluster") as address:
        yield address


def script(version: SparkVersion, place: str) -> str:
    """Return the commands of the page for a version of Spark and another place."""
    text = (DOCS / "spark-versions.md").read_text(encoding="utf-8")
    found = "".join(re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    assert found.count(TYPED) == found.count("--spark 3.5") == 1
    return found.replace(TYPED, f"PLACE={place}").replace("--spark 3.5", f"--spark {version.spark}")


def programs(version: SparkVersion, folder: Path) -> Path:
    """Make a folder for ``PATH`` with provhouse and the programs of another Spark."""
    spark = package(version)
    python = f'PYSPARK_PYTHON="{sys.base_prefix}/bin/python3" SPARK_HOME="{spark}"'
    submit = f'exec bash "{spark}/bin/spark-submit" --master "local[2]" "$@"'
    folder.mkdir()
    for name, program in {
        "provhouse": f'exec "{sys.prefix}/bin/provhouse" "$@"',
        "spark-submit": f"export {python}\n{submit}",
    }.items():
        (folder / name).write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


def check(version: SparkVersion, place: str, graph_home: Path, at: Path) -> None:
    """Run the commands of the page, and check the answer to the question at their end."""
    path = f"{programs(version, at / 'bin')}:{os.environ['PATH']}"
    given = {"PROVHOUSE_NEO4J_HOME": str(graph_home), "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        ["sh", "-ec", script(version, place)],
        env={**os.environ, **given, "PATH": path, "PROVHOUSE_SPARK_MEMORY": "1g"},
        cwd=at,
        capture_output=True,
        text=True,
    )
    subprocess.run([f"{sys.prefix}/bin/provhouse", "down"], cwd=at, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    answer = done.stdout[done.stdout.index("--conf") :]
    assert "orders/1" in answer
    assert "orders/3" in answer
    assert "orders/4" not in answer


@pytest.mark.parametrize("version", TRIED, ids=str)
def test_the_commands_of_the_page_on_hdfs(
    version: SparkVersion, cluster: str, graph_home: Path, tmp_path: Path
) -> None:
    check(version, f"{cluster}/{version}", graph_home, tmp_path)


@pytest.mark.parametrize("version", TRIED, ids=str)
def test_the_commands_of_the_page_in_a_folder(
    version: SparkVersion, graph_home: Path, tmp_path: Path
) -> None:
    check(version, str(tmp_path / "mounted"), graph_home, tmp_path)
