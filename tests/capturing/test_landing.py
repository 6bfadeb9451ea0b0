"""Lineage that jobs leave on HDFS, whose warehouse shares no folder with them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers.hdfs import hdfs
from helpers.plain_jobs import spark_run, write_orders
from helpers.warehouse import House
from provhouse.capturing.spark_settings import submit_options
from provhouse.capturing.spark_versions import VERSIONS, SparkVersion
from provhouse.ingest.landing.hadoop_files import applications
from provhouse.model.errors import BadInput, Busy

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
JOB = """
import sys, time
from pyspark.sql import SparkSession, functions as F

raw, out, end = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
spark.read.parquet(raw).where("price > 10").write.parquet(f"{out}/cleaned")
totals = spark.read.parquet(f"{out}/cleaned").groupBy("customer").agg(F.sum("price").alias("total"))
totals.write.parquet(f"{out}/totals")
if end == "lost":
    spark._jsc.sc().listenerBus().waitUntilEmpty()
    spark._jvm.java.lang.Runtime.getRuntime().halt(1)
spark.stop()
"""
KEYS = {"orders": "id", "cleaned": "id", "totals": "customer"}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an HDFS."""
    with hdfs(tmp_path_factory.mktemp("hdfs") / "cluster") as address:
        yield address


def run(version: SparkVersion, address: str, at: Path, *, end: str = "") -> str:
    """Run the job on data in HDFS, and return the landing address and what the job prints."""
    (at / "job.py").write_text(JOB)
    settings = {"spark.provhouse.landing": f"{address}/landing"}
    settings |= {f"spark.provhouse.keys.{table}": key for table, key in KEYS.items()}
    arguments = [at / "job.py", write_orders(at).as_uri(), f"{address}/out {version}{end}", end]
    done = spark_run(version, "spark-submit", submit_options(settings, str(version)), arguments, at)
    assert bool(done.returncode) == bool(end), done.stderr
    return settings["spark.provhouse.landing"]


@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_lineage_on_hdfs_is_fetched_and_lands(
    version: SparkVersion, cluster: str, houses: Callable[..., House], tmp_path: Path
) -> None:
    house = houses()
    landing = run(version, cluster, tmp_path)
    with house.open() as warehouse:
        landed = warehouse.ingest_captured(landing)
        assert {write.table: write.rows for write in landed.writes} == {"cleaned": 3, "totals": 2}
        lineage = {each.item.partition("@")[0] for each in warehouse.lineage("totals/ann").items}
        assert lineage == {"cleaned/1", "cleaned/3", "orders/1", "orders/3"}
        records = warehouse.records(warehouse.lineage("totals/ann"))
        assert "cleaned" in str(records)
        with pytest.raises(BadInput, match="no captured application"):
            warehouse.ingest_captured(landing)
    assert applications(landing) == {}


def test_an_application_that_has_not_ended_is_ingested_only_by_its_name(
    cluster: str, houses: Callable[..., House], tmp_path: Path
) -> None:
    house = houses()
    landing = run(VERSIONS[0], cluster, tmp_path, end="lost")
    ((folder, has_ended),) = applications(landing).items()
    assert not has_ended
    with house.open() as warehouse:
        with pytest.raises(Busy, match="drivers were lost"):
            warehouse.ingest_captured(landing)
        landed = warehouse.ingest_captured(folder)
    assert {write.table for write in landed.writes} == {"cleaned", "totals"}
