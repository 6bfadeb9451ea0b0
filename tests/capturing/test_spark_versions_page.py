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
from helpers.s3 import USER, s3
from helpers.storages import s3_jars
from provhouse.capturing.spark_versions import SparkVersion, named

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
TRIED = [named("3.5"), named("4.0")]
TYPED = "PLACE=hdfs://namenode:8020/shop"
ON_S3 = "PLACE=s3a://shop"
SERVER = "http://storage:8333"
PACKAGE = "--packages org.apache.hadoop:hadoop-aws:3.3.4"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running HDFS."""
    with hdfs(tmp_path_factory.mktemp("hdfs") / "cluster") as address:
        yield address


def script(version: SparkVersion, place: str) -> str:
    """Return the commands of the page for a version of Spark, with other commands for its place."""
    found = "".join(each for each in blocks() if ON_S3 not in each)
    assert found.count(TYPED) == found.count("--spark 3.5") == 1
    found = found.replace(TYPED, place)
    return found.replace("--spark 3.5", f"--spark {version.spark}")


def blocks() -> list[str]:
    """Return the blocks of commands on the page."""
    return re.findall(r"^```sh\n(.*?)^```$", page(), re.MULTILINE | re.DOTALL)


def page() -> str:
    """Return the text of the page."""
    return (DOCS / "spark-versions.md").read_text(encoding="utf-8")


def commands_on_s3(version: SparkVersion, endpoint: str) -> str:
    """Return the commands of the page that choose S3, for another server.

    Spark does not download ``hadoop-aws`` and its dependencies (280 MB or more). The locked jars,
    which have the same version, are already on its class path.
    """
    (found,) = (each for each in blocks() if ON_S3 in each)
    jars = s3_jars(version)
    (number,) = re.findall(r"hadoop-aws-([\d.]+)\.jar", jars)
    rows = re.findall(r"^\| ([\d., ]+) \| ([\d.]+) \|$", page(), re.MULTILINE)
    assert [each for sparks, each in rows if version.spark in sparks.split(", ")] == [number]
    assert found.count(SERVER) == found.count(PACKAGE) == 1
    assert all(value in found for value in USER.values())
    path = f"--driver-class-path {jars.replace(',', ':')}"
    return found.replace(SERVER, endpoint).replace(PACKAGE, path)


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


def check(version: SparkVersion, commands: str, graph_home: Path, at: Path) -> None:
    """Run commands of the page, and check the answer to the question at their end."""
    path = f"{programs(version, at / 'bin')}:{os.environ['PATH']}"
    given = {"PROVHOUSE_NEO4J_HOME": str(graph_home), "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        ["sh", "-ec", commands],
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
    check(version, script(version, f"PLACE={cluster}/{version}"), graph_home, tmp_path)


@pytest.mark.parametrize("version", TRIED, ids=str)
def test_the_commands_of_the_page_on_s3(
    version: SparkVersion, graph_home: Path, tmp_path: Path
) -> None:
    with s3(tmp_path / "server") as endpoint:
        commands = script(version, commands_on_s3(version, endpoint))
        check(version, commands, graph_home, tmp_path)


@pytest.mark.parametrize("version", TRIED, ids=str)
def test_the_commands_of_the_page_in_a_folder(
    version: SparkVersion, graph_home: Path, tmp_path: Path
) -> None:
    check(version, script(version, f"PLACE={tmp_path / 'mounted'}"), graph_home, tmp_path)
