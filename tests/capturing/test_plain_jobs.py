"""Jobs can be captured in an environment with Spark and our jar, but without Python's provhouse.

``make jars-all`` installs the versions of Spark and compiles their jars.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest
from jars_all import package

from helpers.plain_jobs import CONNECT, PYTHON, SQL, compiled, spark_run, write_orders
from helpers.witnesses import found_of
from provhouse.capturing.reading.finished import captured_writes
from provhouse.capturing.spark_settings import submit_options
from provhouse.capturing.spark_versions import VERSIONS, SparkVersion, named
from provhouse.model.progress import Silent
from provhouse.runtime.jar_lock import Group
from provhouse.runtime.jars import fetch, jar_folder

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
WITH_SHELL = [version for version in VERSIONS if str(version) != "3.5_2.13"]
"""The versions with a SQL shell. ``jars-all`` installs the others without Hive."""
WITH_CONNECT = [version for version in VERSIONS if version.spark >= "4.0"]
"""The versions whose PySpark contains the server of Spark Connect."""
WITH_DELTA = [version for version in VERSIONS if version.spark < "4.3"]
LINEAGE = {"ann": {0, 2}, "bob": {1, 3}}
"""The positions of each customer's orders."""


def options(version: SparkVersion, landing: Path) -> list[str]:
    """Return the options that ``provhouse run-spark --print-conf --landing`` prints."""
    return submit_options({"spark.provhouse.landing": str(landing)}, str(version))


def delta(version: SparkVersion) -> str:
    """Return the locked Delta jars for a version of Spark."""
    group = cast("Group", "delta" if version.spark == "4.2" else f"delta-{version}")
    fetch(Silent(), (group,))
    return ",".join(map(str, sorted(jar_folder(group).glob("*.jar"))))


def lineage(landing: Path) -> dict[str, set[int]]:
    """Return the positions of the source rows of each total that the only application wrote."""
    (folder,) = landing.iterdir()
    (write,) = captured_writes(folder)
    found = found_of(write)
    return {
        str(row[0]): set().union(*found.witnesses(number)["orders"].values())
        for number, row in enumerate(found.rows)
    }


@pytest.mark.parametrize("version", WITH_DELTA, ids=str)
def test_a_job_in_python_with_its_own_extensions_writes_delta(
    version: SparkVersion, tmp_path: Path
) -> None:
    (tmp_path / "job.py").write_text(PYTHON)
    jars, ours, *conf = options(version, tmp_path / "landing")
    given = [jars, f"{ours},{delta(version)}", *conf]
    job = [tmp_path / "job.py", write_orders(tmp_path), tmp_path / "totals", "delta"]
    done = spark_run(version, "spark-submit", given, job, tmp_path)
    assert done.returncode == 0, done.stderr
    assert lineage(tmp_path / "landing") == LINEAGE


@pytest.mark.parametrize("version", WITH_SHELL, ids=str)
def test_a_job_in_sql_is_captured(version: SparkVersion, tmp_path: Path) -> None:
    text = SQL.format(orders=write_orders(tmp_path), totals=tmp_path / "totals")
    (tmp_path / "job.sql").write_text(text)
    given = options(version, tmp_path / "landing")
    done = spark_run(version, "spark-sql", given, ["-f", tmp_path / "job.sql"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert lineage(tmp_path / "landing") == LINEAGE


@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_a_job_in_scala_is_captured(version: SparkVersion, tmp_path: Path) -> None:
    jar = compiled(version, tmp_path)
    given = [*options(version, tmp_path / "landing"), "--class", "Totals"]
    job = [jar, write_orders(tmp_path), tmp_path / "totals"]
    done = spark_run(version, "spark-submit", given, job, tmp_path)
    assert done.returncode == 0, done.stderr
    assert lineage(tmp_path / "landing") == LINEAGE


@pytest.mark.parametrize("version", WITH_CONNECT, ids=str)
def test_a_job_on_spark_connect_is_captured(
    version: SparkVersion, connect_packages: Path, tmp_path: Path
) -> None:
    """The client needs pandas and pyarrow, so it runs in the environment of the tests."""
    _, ours, *conf = options(version, tmp_path / "landing")
    settings = [f"spark.jars={ours}", *conf[1::2]]
    done = subprocess.run(
        [sys.executable, "-c", CONNECT, write_orders(tmp_path), tmp_path / "totals", *settings],
        env={**os.environ, "PYTHONPATH": f"{package(version).parent}:{connect_packages}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert lineage(tmp_path / "landing") == LINEAGE


def test_a_job_whose_spark_has_not_loaded_the_extension_is_refused(tmp_path: Path) -> None:
    version = named("3.5")
    (tmp_path / "job.py").write_text(PYTHON)
    jars, ours, *conf = options(version, tmp_path / "landing")
    listener = next(each for each in conf if each.startswith("spark.extraListeners="))
    at = conf.index(listener)
    given = [jars, f"{ours},{delta(version)}", *conf[: at - 1], *conf[at + 1 :]]
    job = [tmp_path / "job.py", write_orders(tmp_path), tmp_path / "totals", "parquet"]
    done = spark_run(version, "spark-submit", given, job, tmp_path)
    assert done.returncode
    assert "Spark has not loaded provhouse" in done.stderr
    assert not (tmp_path / "totals").exists()
