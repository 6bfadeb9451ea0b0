"""Jobs can leave their lineage on HDFS or S3 if they share no folder with the warehouse.

The servers are real, and run on this machine. S3 is skipped if Go, which builds it, is missing.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from helpers.plain_jobs import spark_run, write_orders
from helpers.s3 import USER
from helpers.storages import Storage, storage_of
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
import os, sys, time
from pyspark import TaskContext
from pyspark.sql import SparkSession, functions as F

raw, out, end = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
process = spark._jvm.java.lang.ProcessHandle.current().pid()

@F.udf("int")
def checked(price):
    if price == 50 and end == "torn":
        time.sleep(20)  # until the other tasks have ended
        os.kill(process, 9)
    if price == 50 and TaskContext.get().attemptNumber() == 0:
        raise ValueError("the first attempt fails")
    return price

orders = spark.read.parquet(raw)
parts = orders.repartition(4, "id").withColumn("price", checked("price"))
(parts if end == "retried" else orders).where("price > 10").write.parquet(f"{out}/cleaned")
totals = spark.read.parquet(f"{out}/cleaned").groupBy("customer").agg(F.sum("price").alias("total"))
totals.write.parquet(f"{out}/totals")
if end == "torn":
    parts.write.parquet(f"{out}/torn")
if end == "lost":
    spark._jsc.sc().listenerBus().waitUntilEmpty()
    spark._jvm.java.lang.Runtime.getRuntime().halt(1)
spark.stop()
"""
KEYS = {"orders": "id", "cleaned": "id", "totals": "customer", "torn": "id"}
LINEAGE = {"cleaned": {1: {1}, 3: {3}, 4: {4}}, "totals": {"ann": {1, 3}, "bob": {4}}}
"""The ids of the orders, or of the cleaned orders, of each written row."""


@pytest.fixture(scope="module", params=["hdfs", "s3"])
def storage(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Storage]:
    """A running storage, which provhouse reaches from this process, too."""
    folder = tmp_path_factory.mktemp(request.param)
    with storage_of(request.param, folder) as found, pytest.MonkeyPatch.context() as patch:
        for name, value in found.environment.items():
            patch.setenv(name, value)
        yield found


def run(version: SparkVersion, storage: Storage, at: Path, *, end: str = "") -> str:
    """Run the job on the data in a storage, and return the landing address.

    The job ends as ``end`` says: some tasks are ``retried``, the driver is ``lost`` between two
    writes, or it is killed in the middle of one, which is then ``torn``.
    """
    (at / "job.py").write_text(JOB)
    address = storage.address
    settings = {"spark.provhouse.landing": f"{address}/landing/{at.name}"}
    settings |= {f"spark.provhouse.keys.{table}": key for table, key in KEYS.items()}
    options = [*submit_options(settings, str(version)), "--master", "local[2,4]"]
    given = storage.with_jars(options, version)
    arguments = [at / "job.py", write_orders(at).as_uri(), f"{address}/out of {at.name}", end]
    done = spark_run(version, "spark-submit", given, arguments, at, **storage.environment)
    assert bool(done.returncode) == (end in {"lost", "torn"}), done.stderr
    return settings["spark.provhouse.landing"]


def lineage(folder: Path) -> dict[str, dict[object, set[int]]]:
    """Return, by table and by the first value of each written row, the ids of its source rows.

    Only finished writes are returned.
    """
    finished = [write for write in captured_writes(folder) if write.state == "finished"]
    found = {write.table: found_of(write) for write in finished}
    assert all(len({row[0] for row in each.rows}) == len(each.rows) for each in found.values())
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
@pytest.mark.parametrize("end", ["", "retried"])
def test_lineage_is_fetched_with_the_files_of_its_tables(
    version: SparkVersion, end: str, storage: Storage, tmp_path: Path
) -> None:
    layout = Layout(tmp_path / "house")
    landing = run(version, storage, tmp_path, end=end)
    (folder,) = fetch(landing, layout)
    localise(folder, layout)
    assert lineage(folder) == LINEAGE
    assert applications(landing) == {}
    left = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    assert not any(USER["AWS_SECRET_ACCESS_KEY"].encode() in each for each in left)


def test_lineage_lands(storage: Storage, houses: Callable[..., House], tmp_path: Path) -> None:
    house = houses()
    landing = run(own_version(), storage, tmp_path)
    with house.open() as warehouse:
        landed = warehouse.ingest_captured(landing)
        assert {write.table: write.rows for write in landed.writes} == {"cleaned": 3, "totals": 2}
        found = {each.item.partition("@")[0] for each in warehouse.lineage("totals/ann").items}
        assert found == {"cleaned/1", "cleaned/3", "orders/1", "orders/3"}
        with pytest.raises(BadInput, match="no captured application"):
            warehouse.ingest_captured(landing)


@pytest.mark.parametrize("end", ["lost", "torn"])
def test_the_finished_writes_of_a_lost_driver_are_fetched_by_the_address_of_their_folder(
    end: str, storage: Storage, tmp_path: Path
) -> None:
    layout = Layout(tmp_path / "house")
    landing = run(own_version(), storage, tmp_path, end=end)
    ((address, has_ended),) = applications(landing).items()
    assert not has_ended
    with pytest.raises(Busy, match="drivers were lost"):
        fetch(landing, layout)
    (folder,) = fetch(address, layout)
    localise(folder, layout)
    assert lineage(folder) == LINEAGE
    is_torn = [write.state == "unknown" for write in captured_writes(folder)]
    assert is_torn == [False, False] + [True] * (end == "torn")
    assert bool(list(folder.glob("2/**/*.parquet"))) == (end == "torn")
