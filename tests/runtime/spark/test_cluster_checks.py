"""Executors that cannot work on a warehouse are refused, and the error states the reason."""

import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from helpers.spark import occupied
from provhouse.model.errors import Unavailable
from provhouse.model.settings import Settings
from provhouse.runtime.spark import adopting, cluster


def test_executors_that_see_the_warehouse_are_accepted(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / cluster.IDENTITY).write_text("this one")
    cluster.check_cluster(spark.sparkContext, Settings(warehouse=tmp_path))


def test_executors_that_see_another_warehouse_are_refused(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the content of this file differs in every process
    monkeypatch.setattr(cluster, "IDENTITY", "status")
    with pytest.raises(Unavailable, match="does not see the warehouse /proc/self") as error:
        cluster.check_cluster(spark.sparkContext, Settings(warehouse=Path("/proc/self")))
    assert "another one" in error.value.found


@pytest.mark.long
def test_a_cluster_without_free_cores_is_an_error(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "START_SECONDS", 1)
    with (
        occupied(spark.sparkContext),
        pytest.raises(Unavailable, match="has run a task within 1 seconds"),
    ):
        cluster.check_cluster(spark.sparkContext, Settings(warehouse=tmp_path))


def test_executors_without_the_packages_are_refused(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    bare.chmod(0o755)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(bare))
    with pytest.raises(Unavailable, match="cannot run provhouse") as error:
        cluster.check_cluster(spark.sparkContext, Settings(warehouse=tmp_path))
    assert str(bare) in error.value.remedy


def test_another_version_on_the_executors_is_named(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = version("provhouse")
    monkeypatch.setattr(adopting, "version", lambda _: "9.9")
    with pytest.raises(Unavailable, match=f"They have {here}, and this program has 9.9"):
        adopting.check_usable(spark.sparkContext)


@pytest.mark.parametrize("named", [True, False])
def test_yarn_without_its_configuration_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    for name in cluster.YARN_FOLDERS:
        monkeypatch.delenv(name, raising=False)
    if named:
        monkeypatch.setenv("YARN_CONF_DIR", str(tmp_path))
    with pytest.raises(Unavailable, match="needs the configuration of YARN") as error:
        cluster.check_master("yarn")
    assert (str(tmp_path) if named else "HADOOP_CONF_DIR is not set") in error.value.found
    (tmp_path / "yarn-site.xml").write_text("<configuration/>")
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    cluster.check_master("yarn")
