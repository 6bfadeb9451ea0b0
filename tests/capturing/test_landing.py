"""Jobs can leave their lineage on HDFS if they share no folder with the warehouse."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from helpers.hdfs import hdfs
from helpers.plain_jobs import spark_run, write_orders
from helpers.warehouse import House
from helpers.witnesses import Witnesses, found_of
from provhouse.capturing.jar import own_version
from provhouse.capturing.reading.finished import captured_writes
from provhouse.capturing.spark_settings import submit_options
from provhouse.capturing.spark_versions import VERSIONS, SparkVersion
from provhouse.ingest.landing.fetched_folders import fetch, localise
from provhouse.ingest.landing.hadoop_files import applications
from provhouse.model.errors import BadInput, Busy
from provhouse.store.warehouse.layout import Layout

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
    """The address of a running HDFS."""
    with hdfs(tmp_path_factory.mktemp("hdfs") / "cluster") as address:
        yield address


def run(version: SparkVersion, address: str, at: Path, *, end: str = "") -> str:
    """Run the job on data in HDFS, and return the landing address and what the job prints."""
    (at / "job.py").write_text(JOB)
    settings = {"spark.provhouse.landing": f"{address}/landing/{at.name}"}
    settings |= {f"spark.provhouse.keys.{table}": key for table, key in KEYS.items()}
    arguments = [at / "job.py", write_orders(at).as_uri(), f"{address}/out of {at.name}", end]
    done = spark_run(version, "spark-submit", submit_options(settings, str(version)), arguments, at)
    assert bool(done.returncode) == bool(end), done.stderr
    return settings["spark.provhouse.landing"]


def lineage(folder: Path) -> dict[str, dict[object, set[int]]]:
    """Return, by table and by the first value of each written row, the ids of its source rows."""
    found = {write.table: found_of(write) for write in captured_writes(folder)}
    return {
        table: {row[0]: ids_of(each.witnesses(number)) for number, row in enumerate(each.rows)}
        for table, each in found.items()
    }


def ids_of(witnesses: Witnesses) -> set[int]:
    """Return the ids of source rows, read from the copies of their files."""
    return {
        pq.read_table(path)["id"][row].as_py()
        for files in witnesses.values()
        for path, rows in files.items()
        for row in rows
    }


@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_lineage_on_hdfs_is_fetched_with_the_files_of_its_tables(
    version: SparkVersion, cluster: str, tmp_path: Path
) -> None:
    layout = Layout(tmp_path / "house")
    landing = run(version, cluster, tmp_path)
    (folder,) = fetch(landing, layout)
    localise(folder, layout)
    assert lineage(folder) == {
        "cleaned": {1: {1}, 3: {3}, 4: {4}},
        "totals": {"ann": {1, 3}, "bob": {4}},
    }
    assert applications(landing) == {}


def test_lineage_on_hdfs_lands(cluster: str, houses: Callable[..., House], tmp_path: Path) -> None:
    house = houses()
    landing = run(own_version(), cluster, tmp_path)
    with house.open() as warehouse:
        landed = warehouse.ingest_captured(landing)
        assert {write.table: write.rows for write in landed.writes} == {"cleaned": 3, "totals": 2}
        found = {each.item.partition("@")[0] for each in warehouse.lineage("totals/ann").items}
        assert found == {"cleaned/1", "cleaned/3", "orders/1", "orders/3"}
        with pytest.raises(BadInput, match="no captured application"):
            warehouse.ingest_captured(landing)


def test_the_finished_writes_of_a_lost_driver_are_fetched_by_the_address_of_their_folder(
    cluster: str, tmp_path: Path
) -> None:
    layout = Layout(tmp_path / "house")
    landing = run(own_version(), cluster, tmp_path, end="lost")
    ((address, has_ended),) = applications(landing).items()
    assert not has_ended
    with pytest.raises(Busy, match="drivers were lost"):
        fetch(landing, layout)
    (folder,) = fetch(address, layout)
    localise(folder, layout)
    assert lineage(folder)["totals"] == {"ann": {1, 3}, "bob": {4}}
