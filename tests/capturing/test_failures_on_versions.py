"""On every version of Spark, tasks that fail or run twice, and lost processes, leave only the
lineage of the rows that were written.

Spark's event log shows that each failure has happened.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from jars_all import package

from benchmarks.cluster.spark_cluster import Cluster
from helpers.landing_jobs import LINEAGE, lineage, run
from helpers.plain_jobs import spark_run
from helpers.scoreboard import ROOT
from helpers.storages import Storage
from helpers.witnesses import Found, found_of
from provhouse.capturing.reading.finished import captured_writes
from provhouse.capturing.spark_settings import submit_options
from provhouse.capturing.spark_versions import VERSIONS, SparkVersion
from provhouse.store.warehouse.captured_blocks import blocks_below

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
FILES, ROWS, GROUPS = 4, 500, 10
"""The number of source files, the number of rows in each file, and the number of groups of rows."""
EVERY = range(FILES * ROWS)
JOB = """
import os, sys, time
from pyspark.sql import SparkSession, functions as F

orders, out, marks = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()

def fail():
    raise ValueError("a task fails")

def sleep():
    time.sleep(600)  # until a second attempt has ended, and Spark kills this one

def kill():
    with open(f"/proc/{os.getppid()}/stat") as stat:  # the parent of all workers in Python
        executor = stat.read().rpartition(")")[2].split()[1]
    os.kill(int(executor), 9)

def once(name, at, fault):
    @F.udf("boolean")
    def kept(value):
        if value == at:
            try:
                open(f"{marks}/{name}", "x").close()
            except FileExistsError:
                return True
            fault()
        return True
    return kept

def await_executors():
    while len(spark._jsc.sc().statusTracker().getExecutorInfos()) < 3:  # one is the driver
        time.sleep(0.1)

read = spark.read.parquet(orders)
for name, fault in [("failed", fail), ("repeated", sleep), ("lost", kill)]:
    await_executors()
    read.where(once(name, 940, fault)("id")).write.parquet(f"{out}/{name}")
await_executors()
sums = read.groupBy("g").agg(F.sum("id").alias("total"))
sums.where(once("totals", sum(range(7, 2000, 10)), kill)("total")).write.parquet(f"{out}/totals")
spark.stop()
"""
"""A fault happens once, at a row before which its task has already written rows."""
CONF = {
    "spark.cores.max": "2",
    "spark.executor.memory": "512m",
    "spark.sql.files.minPartitionNum": str(FILES),
    "spark.speculation": "true",
    "spark.speculation.interval": "50ms",
    "spark.speculation.quantile": "0.5",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false",
}


@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_tasks_fail_run_twice_and_lose_their_executor(
    version: SparkVersion, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    for name in ("orders", "events", "marks"):
        (shared / name).mkdir(parents=True)
    for number in range(FILES):
        ids = EVERY[number * ROWS : (number + 1) * ROWS]
        table = pa.table({"id": ids, "g": [each % GROUPS for each in ids]})
        pq.write_table(table, shared / "orders" / f"{number}.parquet")
    (tmp_path / "job.py").write_text(JOB)
    settings = {"spark.provhouse.landing": str(shared / "landing"), **CONF}
    settings["spark.eventLog.dir"] = (shared / "events").as_uri()
    job = [tmp_path / "job.py", shared / "orders", shared / "out", shared / "marks"]
    with Cluster(tmp_path / "cluster", [shared, ROOT], spark=package(version)) as cluster:
        given = [*submit_options(settings, str(version)), "--master", cluster.master]
        done = spark_run(
            version, "spark-submit", given, job, tmp_path, SPARK_LOCAL_IP=cluster.driver
        )
    assert done.returncode == 0, done.stdout + done.stderr
    check_events(list(events(shared / "events")))
    (folder,) = (shared / "landing").iterdir()
    found = {write.table: found_of(write) for write in captured_writes(folder)}
    totals = {group: set(EVERY[group::GROUPS]) for group in range(GROUPS)}
    copy = {each: {each} for each in EVERY}
    assert set(found) == {"failed", "repeated", "lost", "totals"}
    for table, each in found.items():
        assert sources(each) == (totals if table == "totals" else copy), table


def events(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of the only application."""
    (log,) = folder.iterdir()
    for line in log.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def check_events(found: list[dict[str, Any]]) -> None:
    """Fail unless a task failed, a second attempt replaced a task, two executors were lost, and a
    stage ran again.
    """
    tasks = [each for each in found if each["Event"] == "SparkListenerTaskEnd"]
    ends = [(each["Task End Reason"]["Reason"], each["Task Info"]) for each in tasks]
    assert any(reason == "ExceptionFailure" for reason, _ in ends)
    assert any(reason == "Success" and task["Speculative"] for reason, task in ends)
    lost = {task["Executor ID"] for reason, task in ends if reason == "ExecutorLostFailure"}
    assert len(lost) >= 2
    stages = [each for each in found if each["Event"] == "SparkListenerStageSubmitted"]
    assert any(each["Stage Info"]["Stage Attempt ID"] for each in stages)


def sources(found: Found) -> dict[object, set[int]]:
    """Return, by the first value of each written row, the ids of its source rows."""
    assert len({row[0] for row in found.rows}) == len(found.rows)
    return {
        row[0]: {
            int(path.stem) * ROWS + position
            for path, positions in found.witnesses(number)["orders"].items()
            for position in positions
        }
        for number, row in enumerate(found.rows)
    }


@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_a_driver_is_killed_in_the_middle_of_a_write(version: SparkVersion, tmp_path: Path) -> None:
    landing = run(version, Storage(str(tmp_path / "mounted")), tmp_path, end="torn")
    (folder,) = blocks_below(Path(landing))
    assert lineage(folder) == LINEAGE
    assert [write.state for write in captured_writes(folder)][2:] == ["unknown"]
    assert list(folder.glob("2/rows/*.parquet"))
