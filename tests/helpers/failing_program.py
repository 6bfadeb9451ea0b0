"""A program with capture on a cluster where tasks fail, are repeated, or run twice at once.

A process can have only one context of PySpark, so the tests run this file as a separate process. It
fails with a traceback if the lineage is not exactly the lineage of the written rows.

The program uses no Python functions in Spark: ``reflect`` calls Java inside an executor. A property
of the executor's JVM distinguishes the first attempt from later ones. An environment variable
identifies the host.
"""

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import provhouse
from benchmarks.cluster.task_places import Attempt, attempts
from provhouse.model.settings import Settings
from provhouse.store.warehouse.commits import current
from provhouse.store.warehouse.layout import Layout

FILES, ROWS, GROUPS = 4, 5_000, 40
"""The number of source files, the number of rows in each file, and the number of groups of rows."""
SECONDS = 120
KEYS = {"orders": "id", "copy": "id", "totals": "g"}
CONF = {
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
}
SPECULATION = {
    "spark.speculation": "true",
    "spark.speculation.interval": "20ms",
    "spark.speculation.quantile": "0.25",
    "spark.speculation.multiplier": "1.5",
}


class Program:
    """A Spark session, the source, and the warehouse."""

    def __init__(self, folder: Path, home: Path, master: str, conf: Mapping[str, str]) -> None:
        self.folder, self.home = folder, home
        builder = SparkSession.builder.master(master)
        for name, value in conf.items():
            builder = builder.config(name, value)
        self.session = builder.getOrCreate()
        (folder / "orders").mkdir()
        for number in range(FILES):
            ids = range(number * ROWS, (number + 1) * ROWS)
            table = pa.table({"id": ids, "g": [each % GROUPS for each in ids]})
            pq.write_table(table, folder / "orders" / f"{number}.parquet")

    @property
    def orders(self) -> DataFrame:
        """The rows of the source."""
        return self.session.read.parquet(self.place("orders"))

    def place(self, name: str) -> str:
        """Return the address of a table, also for a cluster with HDFS as its file system."""
        return f"file:{self.folder / name}"

    def totals(self, above: str = "true", below: str = "true") -> DataFrame:
        """Return the sums of all groups.

        ``below`` is a condition on the source rows, and ``above`` is a condition on the groups.
        """
        sums = self.orders.where(below).groupBy("g").sum("id").toDF("g", "total")
        return sums.where(above)

    @contextmanager
    def captured(self) -> Iterator[provhouse.Capture]:
        """Capture the writes in a block."""
        warehouse = self.folder / "warehouse"
        with provhouse.capture(self.session, warehouse, keys=KEYS, neo4j_home=self.home) as run:
            yield run

    def write(self, frame: DataFrame, name: str) -> None:
        """Write a data frame as a table, which overwrites any earlier table with this name."""
        frame.write.mode("overwrite").parquet(self.place(name))

    def triples(self) -> int:
        """Return the number of triples in the warehouse."""
        found = current(Layout(self.folder / "warehouse"))
        return found.totals.triples if found else 0

    def open(self) -> provhouse.Warehouse:
        """Open the warehouse."""
        warehouse, settings = self.folder / "warehouse", Settings(neo4j_home=self.home)
        return provhouse.open(warehouse, neo4j_home=settings.neo4j_home)

    def check(self, run: provhouse.Capture, table: str, before: int) -> None:
        """Fail unless a block made one write, of ``table``, and exactly its lineage is stored."""
        assert run.report
        (write,) = run.report.writes
        assert write.table == table
        every = range(FILES * ROWS)
        keys = range(GROUPS) if table == "totals" else every[::997]
        rows = self.session.read.parquet(self.place(table))
        assert rows.count() == (GROUPS if table == "totals" else len(every))
        with self.open() as warehouse:
            for key in keys:
                found = warehouse.lineage(f"{table}/{key}@{write.version}", depth=1).triples
                sources = [triple.src for triple in found]
                right = every[key::GROUPS] if table == "totals" else [key]
                assert sorted(sources) == sorted(f"orders/{each}" for each in right)
        assert self.triples() == before + len(every)  # no triple was added beyond those

    def run(self, name: str, frame: DataFrame, what: str) -> list[Attempt]:
        """Capture a write, check its lineage, and return the number of attempts at its tasks."""
        before, last = self.triples(), attempts(self.session.sparkContext)
        with self.captured() as run:
            self.write(frame, name)
        self.check(run, name, before)
        made = attempts(self.session.sparkContext)[len(last) :]
        print(f"{what}: {len(made)} attempts at {len({each.task for each in made})} tasks")
        return made


def first(name: str, at: str) -> str:
    """Return a true condition that fails when an executor first evaluates it at the row ``at``.

    ``at`` is a condition that is true for one row.
    """
    once = f"reflect('java.lang.System', 'setProperty', '{name}', 'x')"
    return f"if({at} AND coalesce({once}, 'null') = 'null', raise_error('{name}'), true)"


def slow(at: str, host: str) -> str:
    """Return a condition that is always true, but is slow at the row ``at`` on one host."""
    here = f"reflect('java.lang.System', 'getenv', 'SPARK_LOCAL_IP') = '{host}'"
    return f"if({at} AND {here}, {sleep(6_000)}, true)"


def sleep(milliseconds: int) -> str:
    """Return a condition that is always true and takes ``milliseconds`` milliseconds."""
    slept = f"reflect('java.lang.Thread', 'sleep', {milliseconds}L)"
    return f"coalesce({slept}, 'null') = 'null'"


def failing_tasks(program: Program) -> None:
    """Let tasks fail in the first attempt of each executor, after the attempt has written rows."""
    late = first("copy", "id % 5000 = 4500")
    below, above = first("below", "id % 5000 = 4500"), first("above", "g = 17")
    for name, frame, what in (
        ("copy", program.orders.where(late), "a task that writes fails"),
        ("totals", program.totals(below=below), "a task before a shuffle fails"),
        ("totals", program.totals(above=above), "a task after a shuffle fails"),
    ):
        made = program.run(name, frame, what)
        failed = [each.task for each in made if each.status == "FAILED"]
        assert failed
        assert set(failed) <= {each.task for each in made if each.status == "SUCCESS"}


def failing_jobs(program: Program) -> None:
    """Let a job fail and run it again in the same block; then let a job that overwrites it fail."""
    broken = program.orders.where("if(id = 17000, raise_error('broken'), true)")
    before = program.triples()
    with program.captured() as run:
        with pytest.raises(PySparkException, match="broken"):
            program.write(broken, "copy")
        program.write(program.orders, "copy")
    program.check(run, "copy", before)
    assert run.report
    version, before = run.report.writes[0].version, program.triples()
    with pytest.raises(PySparkException, match="broken"), program.captured() as run:
        program.write(broken, "copy")
    assert run.report
    assert not run.report.writes
    assert program.triples() == before
    with program.open() as warehouse:
        (triple,) = warehouse.lineage("copy/5").triples
    assert triple.dst == f"copy/5@{version}"


def lost_executors(program: Program) -> None:
    """Kill an executor that has the output of tasks before a shuffle, while other tasks read it."""
    for adaptive in ("true", "false"):
        program.session.conf.set("spark.sql.adaptive.enabled", adaptive)
        killer = Thread(target=kill_reader, args=(program,))
        killer.start()
        made = program.run("totals", program.totals(above=sleep(250)), f"adaptive {adaptive}")
        killer.join()
        assert {"FAILED"} <= {each.status for each in made}
        assert len({each.task[0] for each in made}) > 2 or any(each.retry for each in made)


def kill_reader(program: Program) -> None:
    """Kill an executor that runs a task after a shuffle, as soon as two such tasks are running."""
    context = program.session.sparkContext
    before, late = len(attempts(context)), time.monotonic() + SECONDS
    while time.monotonic() < late:
        made = attempts(context)[before:]
        reading = [each for each in made if each.last and each.status == "RUNNING"]
        if len(reading) == 2:
            kill_executor(context.applicationId, reading[0].executor)
            return
        time.sleep(0.1)


def kill_executor(application: str, executor: str) -> None:
    """Kill one executor of an application. The executor runs on this machine."""
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if application in words and words[words.index("--executor-id") + 1] == executor:
            process.kill()
            process.wait(SECONDS)


def second_attempts(program: Program, host: str) -> None:
    """Make tasks slow on one host, so that Spark also runs them on the other host."""
    late, last = slow("id % 5000 = 4500", host), slow("g % 4 = 1", host)
    for name, frame, what in (
        ("copy", program.orders.where(late), "a second attempt writes"),
        ("totals", program.totals(below=late), "a second attempt before a shuffle"),
        ("totals", program.totals(above=last), "a second attempt after a shuffle"),
    ):
        made = program.run(name, frame, what)
        assert any(each.second and each.status == "SUCCESS" for each in made)


def main(what: str, folder: Path, home: Path, master: str, host: str) -> None:
    """Run all programs of the kind ``what``."""
    conf = CONF | (SPECULATION if what == "speculation" else {})
    program = Program(folder, home, master, conf)
    if what == "speculation":
        second_attempts(program, host)
    elif what == "failures":
        failing_tasks(program)
        failing_jobs(program)
    else:
        lost_executors(program)


if __name__ == "__main__":
    kind, place, home, *rest = sys.argv[1:]
    main(kind, Path(place), Path(home), *rest)
