"""Measure how the costs of appends and questions grow over nightly runs on a star schema.

python -m benchmarks.capture.nights [--nights 200] [--facts 20000]

Each night joins its sales with four dimensions of 25 to 10,000 rows. It appends a report whose
groups have thousands of rows, and writes a balance for each store from the balance of the night
before. Results go to `results/capture_nights.json`.
"""

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Literal, TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import provhouse
from benchmarks.capture.overhead import count
from benchmarks.shared.markup import bars, cores, duration, grid
from benchmarks.shared.results_file import ResultsFile, SeededRun, mean_load, packages
from benchmarks.shared.results_file import run as recorded
from benchmarks.shared.spark import plain
from provhouse.capturing.jvm_rules import CaptureReports, capturing
from provhouse.capturing.reading.finished import captured_writes
from provhouse.cypher.access import down, up
from provhouse.ingest.landing.land import land_block
from provhouse.model.arrays import I64
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.store.warehouse.captured_blocks import begin_block
from provhouse.store.warehouse.layout import Layout


class Night(TypedDict):
    """The figures of one night: its job with capture, and its landing.

    ``entries`` is the number of slots in the association files.
    """

    entries: int
    job_seconds: float
    landing_seconds: float


class Question(TypedDict):
    """The medians for lineage questions about rows of one table, asked after the last night."""

    table: str
    asked: int
    items: int
    read_per_item: float
    """The number of triples read, divided by the number of items in the answer."""
    seconds: float


class Results(SeededRun):
    """All nights. ``facts`` is the number of sales of each night."""

    facts: int
    nights: list[Night]
    questions: list[Question]


RESULTS: ResultsFile[Results] = ResultsFile("capture_nights.json")


AROUND = 3
"""The seconds shown for a night are a median over it and this many nights before and after."""


def table(results: Results) -> str:
    """Return the tables of appends and questions, and the targets."""
    nights = results["nights"]
    note = (
        f"{len(nights)} nights of {results['facts']:,} sales, {cores(results['machine'])},"
        f" system load before the run: {results['load']}."
        f" Seconds are medians of {2 * AROUND + 1} nights."
    )
    shown = sorted({2, *(len(nights) * part // 4 for part in range(1, 5))})
    appends = grid(
        ("night", "associations", "job, s", "landing, s"),
        [
            (
                str(number),
                f"{nights[number - 1]['entries']:,}",
                f"{_seconds(nights, number, 'job_seconds'):.2f}",
                f"{_seconds(nights, number, 'landing_seconds'):.2f}",
            )
            for number in shown
        ],
    )
    questions = grid(
        ("rows of", "items found", "triples read for each", "time"),
        [
            (
                each["table"],
                f"{each['items']:,}",
                f"{each['read_per_item']:,.1f}",
                duration(each["seconds"]),
            )
            for each in results["questions"]
        ],
    )
    return "\n\n".join([note, appends, questions, bars(targets(results))])


def targets(results: Results) -> dict[str, bool]:
    """Return the targets with the measured values, and whether each was met."""
    nights = results["nights"]
    first, last = (_seconds(nights, each, "landing_seconds") for each in (2, len(nights)))
    report = next(each for each in results["questions"] if each["table"] == "report")
    read = report["read_per_item"]
    return {
        f"at most 5 triples read for each item of a report's lineage ({read:.1f})": read <= 5,
        f"the last landing at most 1.5 times the second ({last / first:.2f})": last <= 1.5 * first,
    }


def _seconds(
    nights: Sequence[Night],
    number: int,
    what: Literal["job_seconds", "landing_seconds"],
) -> float:
    return median(night[what] for night in nights[max(number - 1 - AROUND, 1) : number + AROUND])


SEED = 11
DIMENSIONS = {"nation": 25, "store": 200, "product": 1_000, "customer": 10_000}
KEYS = {
    **{name: (name,) for name in DIMENSIONS},
    "sales": ("sale",),
    "report": ("night", "nation", "sort"),
    "balance": ("store",),
}
ASKED = 20
"""The number of items to ask about in each table."""
REPORT = """\
SELECT CAST({night} AS INT) AS night, nation, sort, sum(amount) AS amount, count(*) AS sales
FROM tonight JOIN customer USING (customer) JOIN product USING (product) JOIN store USING (store)
  JOIN nation USING (nation)
GROUP BY nation, sort"""
BALANCE = """\
SELECT store, sum(amount) AS amount
FROM (SELECT store, amount FROM tonight UNION ALL SELECT store, amount FROM yesterday)
GROUP BY store"""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure nightly runs of a star schema.")
    parser.add_argument("--nights", type=int, default=200)
    parser.add_argument("--facts", type=int, default=20_000, help="sales of a night")
    given = parser.parse_args()
    load = mean_load()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as name:
        job = Job(plain(), Path(name), given.facts)
        job.dimensions()
        up(job.settings, Silent())  # so that it is not started for each landing
        try:
            nights = [job.night(number) for number in range(1, given.nights + 1)]
            results: Results = {
                **recorded(load, packages("pyspark", "provhouse")),
                "seed": SEED,
                "facts": given.facts,
                "nights": nights,
                "questions": job.questions(given.nights),
            }
        finally:
            down(job.settings, Silent())
    RESULTS.write(results)
    print(json.dumps(results["questions"], indent=1))


@dataclass
class Job:
    """A nightly job with its tables and its warehouse."""

    spark: SparkSession
    folder: Path
    facts: int
    draw: np.random.Generator = field(default_factory=lambda: np.random.default_rng(SEED))

    def __post_init__(self) -> None:
        self.settings = Settings.load({"warehouse": self.folder / "warehouse", "idle_minutes": 0})

    def dimensions(self) -> None:
        """Write the dimensions, and declare them as views."""
        for name, rows in DIMENSIONS.items():
            columns = {name: np.arange(rows)}
            if name == "customer":
                columns["nation"] = self.draw.integers(0, 5, rows)
            if name == "product":
                columns["sort"] = self.draw.integers(0, 2, rows)
            self._store(self.folder / name, columns)
            self.spark.read.parquet(str(self.folder / name)).createOrReplaceTempView(name)

    def night(self, number: int) -> Night:
        """Run one night's job with capture, and return the seconds of the job and its landing."""
        self._store(self.folder / "sales" / f"night={number}", self._sales(number))
        block = Layout(self.settings.warehouse).captured / str(number)
        begin_block(block, KEYS, "nightly")
        begun = perf_counter()
        with capturing(self.spark, block, CaptureReports(), KEYS):
            self._write(number)
        ran = perf_counter()
        entries = sum(map(count, captured_writes(block)))
        begun_landing = perf_counter()
        land_block(block, self.settings, Silent())
        ended = perf_counter()
        return {
            "entries": entries,
            "job_seconds": round(ran - begun, 3),
            "landing_seconds": round(ended - begun_landing, 3),
        }

    def questions(self, night: int) -> list[Question]:
        """Ask for rows of the last night, and return the medians by table."""
        report = [f"{night}/{nation}/{sort}" for nation in range(5) for sort in range(2)]
        stores = self.draw.choice(DIMENSIONS["store"], ASKED, replace=False).tolist()
        with provhouse.open(self.settings.warehouse) as warehouse:
            warehouse.lineage(f"report/{report[0]}")  # starts Spark's workers
            return [
                self._asked(warehouse, "report", report),
                self._asked(warehouse, "balance", [str(store) for store in stores]),
            ]

    def _asked(self, warehouse: provhouse.Warehouse, table: str, keys: list[str]) -> Question:
        read, items, ours = list[int](), list[int](), list[float]()
        for key in keys:
            begun = perf_counter()
            answer = warehouse.lineage(f"{table}/{key}")
            ours.append(perf_counter() - begun)
            read.append(answer.read.triples)
            items.append(len(answer.items))
        return {
            "table": table,
            "asked": len(keys),
            "items": round(median(items)),
            "read_per_item": round(median(np.divide(read, items)), 2),
            "seconds": round(median(ours), 4),
        }

    def _sales(self, night: int) -> dict[str, I64]:
        """Return the sales of a night. Their numbers continue after those of the previous night."""
        columns = {name: self.draw.integers(0, DIMENSIONS[name], self.facts)
                   for name in ("store", "product", "customer")}  # fmt: skip
        sales = np.arange(self.facts) + night * self.facts
        return {"sale": sales, "amount": self.draw.integers(1, 100, self.facts), **columns}

    def _write(self, number: int) -> None:
        sales = self.spark.read.parquet(str(self.folder / "sales"))
        sales.where(f"night = {number}").drop("night").createOrReplaceTempView("tonight")
        report = self.spark.sql(REPORT.format(night=number)).coalesce(1)
        report.write.mode("append").parquet(str(self.folder / "report"))
        before = self.spark.sql("SELECT store, CAST(0 AS BIGINT) AS amount FROM store")
        if number > 1:
            before = self.spark.read.parquet(self._balance(number - 1))
        before.createOrReplaceTempView("yesterday")
        self.spark.sql(BALANCE).coalesce(1).write.parquet(self._balance(number))

    def _balance(self, night: int) -> str:
        return str(self.folder / "nights" / str(night) / "balance")

    @staticmethod
    def _store(folder: Path, columns: dict[str, I64]) -> None:
        folder.mkdir(parents=True)
        pq.write_table(pa.table(columns), folder / "part-0.parquet")


if __name__ == "__main__":
    main()
