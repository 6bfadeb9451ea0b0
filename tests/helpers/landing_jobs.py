"""A job on any version of Spark that leaves its lineage at an address, and may be interrupted."""

from pathlib import Path

import pyarrow.parquet as pq

from provhouse.capturing.reading.finished import captured_writes
from provhouse.capturing.spark_settings import submit_options
from provhouse.capturing.spark_versions import SparkVersion

from .plain_jobs import spark_run, write_orders
from .storages import Storage
from .witnesses import Witnesses, found_of

JOB = """
import os, sys, time
from threading import Thread
from pyspark import TaskContext
from pyspark.sql import SparkSession, functions as F

raw, out, end = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
process = spark._jvm.java.lang.ProcessHandle.current().pid()

def kill_when_one_task_is_left():
    tracker = spark.sparkContext.statusTracker()
    while True:
        stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        if any(each and (each.numTasks, each.numCompletedTasks) == (4, 3) for each in stages):
            os.kill(process, 9)
        time.sleep(0.05)

@F.udf("int")
def checked(price):
    if price == 50 and end == "torn":
        time.sleep(600)  # until the driver is killed, which is also the executor
    if price == 50 and TaskContext.get().attemptNumber() == 0:
        raise ValueError("the first attempt fails")
    return price

orders = spark.read.parquet(raw)
parts = orders.repartition(4, "id").withColumn("price", checked("price"))
(parts if end == "retried" else orders).where("price > 10").write.parquet(f"{out}/cleaned")
totals = spark.read.parquet(f"{out}/cleaned").groupBy("customer").agg(F.sum("price").alias("total"))
totals.write.parquet(f"{out}/totals")
if end == "torn":
    Thread(target=kill_when_one_task_is_left, daemon=True).start()
    parts.write.parquet(f"{out}/torn")
if end == "lost":
    spark._jsc.sc().listenerBus().waitUntilEmpty()
    spark._jvm.java.lang.Runtime.getRuntime().halt(1)
spark.stop()
"""
KEYS = {"orders": "id", "cleaned": "id", "totals": "customer", "torn": "id"}
LINEAGE = {"cleaned": {1: {1}, 3: {3}, 4: {4}}, "totals": {"ann": {1, 3}, "bob": {4}}}
"""The ids of the orders, or of the cleaned orders, of each written row."""


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
    assert bool(done.returncode) == (end in {"lost", "torn"}), done.stdout + done.stderr
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
