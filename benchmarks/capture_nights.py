"""Measure nightly runs of a star schema: how appends and questions grow, beside DuckDB.

python benchmarks/capture_nights.py [--nights 200] [--facts 20000]

Each night joins its sales with four dimensions of 25 to 10,000 rows. It appends a report whose
groups have thousands of rows, and writes a balance for each store from the balance of the night
before. DuckDB gets the association files of the same runs, before their landing, and answers by a
recursive query. Items found must be equal. Results go to `results/capture_nights.json`.
"""

import argparse
import json
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from capture_nights_form import RESULTS, Night, Question, Results
from machine import mean_load, packages
from machine import run as recorded
from peer_spark import plain
from pyspark.sql import SparkSession

import provhouse
from provhouse.capturing.session import Captured, capturing
from provhouse.cypher.access import down, up
from provhouse.ingest.captured.description import CapturedWrite
from provhouse.ingest.captured.finished import captured_writes
from provhouse.ingest.captured.land import land_block
from provhouse.ingest.captured.output import output_of
from provhouse.ingest.captured.pairs import ROW_BITS
from provhouse.model.arrays import I64
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.store.warehouse.blocks import begin_block
from provhouse.store.warehouse.layout import Layout

SEED = 11
DIMENSIONS = {"nation": 25, "store": 200, "product": 1_000, "customer": 10_000}
KEYS = {
    **{name: (name,) for name in DIMENSIONS},
    "sales": ("sale",),
    "report": ("night", "nation", "sort"),
    "balance": ("store",),
}
ASKED = 20
"""The number of items that are asked for in each table."""
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
    parser.add_argument("--out", type=Path, help="write the results to another file")
    given = parser.parse_args()
    load = mean_load()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as name:
        job = Job(plain(), Path(name), given.facts)
        job.dimensions()
        up(job.settings, Silent())  # so that it is not started for each landing
        try:
            nights = [job.night(number) for number in range(1, given.nights + 1)]
            results: Results = {
                **recorded(load, packages("pyspark", "duckdb", "provhouse")),
                "seed": SEED,
                "facts": given.facts,
                "nights": nights,
                "questions": job.questions(given.nights),
            }
        finally:
            down(job.settings, Silent())
    RESULTS.write(results, given.out)
    print(json.dumps(results["questions"], indent=1))


@dataclass
class Job:
    """A nightly job with its tables, its warehouse, and the same lineage in DuckDB."""

    spark: SparkSession
    folder: Path
    facts: int
    draw: np.random.Generator = field(default_factory=lambda: np.random.default_rng(SEED))

    def __post_init__(self) -> None:
        self.settings = Settings.load({"warehouse": self.folder / "warehouse", "idle_minutes": 0})
        self.peer = Associations(duckdb.connect(str(self.folder / "peer.duckdb")))

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
        """Run the job of one night with capture, and return what it and the landing took."""
        self._store(self.folder / "sales" / f"night={number}", self._sales(number))
        block = Layout(self.settings.warehouse).captured / str(number)
        begin_block(block, KEYS, "nightly")
        begun = perf_counter()
        with capturing(self.spark, block, Captured(), KEYS):
            self._write(number)
        ran = perf_counter()
        entries = sum(self.peer.add(write) for write in captured_writes(block))
        peer = perf_counter()
        land_block(block, self.settings, Silent())
        ended = perf_counter()
        return {
            "entries": entries,
            "job_seconds": round(ran - begun, 3),
            "landing_seconds": round(ended - peer, 3),
            "duckdb_seconds": round(peer - ran, 3),
        }

    def questions(self, night: int) -> list[Question]:
        """Ask both for rows of the last night, and return the medians by table."""
        report = [f"{night}/{nation}/{sort}" for nation in range(5) for sort in range(2)]
        stores = self.draw.choice(DIMENSIONS["store"], ASKED, replace=False).tolist()
        with provhouse.open(self.settings.warehouse) as warehouse:
            warehouse.lineage(f"report/{report[0]}")  # starts Spark's workers
            return [
                self._asked(warehouse, "report", report),
                self._asked(warehouse, "balance", [str(store) for store in stores]),
            ]

    def _asked(self, warehouse: provhouse.Warehouse, table: str, keys: list[str]) -> Question:
        read, items, ours, theirs = list[int](), list[int](), list[float](), list[float]()
        for key in keys:
            begun = perf_counter()
            answer = warehouse.lineage(f"{table}/{key}")
            ours.append(perf_counter() - begun)
            begun = perf_counter()
            counts = self.peer.ask(table, key)
            theirs.append(perf_counter() - begun)
            found = Counter(item.table for item in answer.items)
            if found != counts:
                raise SystemExit(f"{table}/{key}: the answers differ: {found}, {counts}")
            read.append(answer.read.triples)
            items.append(len(answer.items))
        return {
            "table": table,
            "asked": len(keys),
            "items": round(median(items)),
            "read_per_item": round(median(np.divide(read, items)), 2),
            "seconds": round(median(ours), 4),
            "duckdb_seconds": round(median(theirs), 4),
        }

    def _sales(self, night: int) -> dict[str, I64]:
        """Return the sales of a night; their numbers continue those of the night before."""
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


@dataclass
class Associations:
    """The association files of all nights in DuckDB, without the names of rows."""

    connection: duckdb.DuckDBPyConnection
    files: dict[Path, int] = field(default_factory=dict)
    tables: dict[int, str] = field(default_factory=dict)
    newest: dict[str, tuple[int, Path]] = field(default_factory=dict)
    """For each written table, the number and the path of the file of the last write."""

    def __post_init__(self) -> None:
        self.connection.execute("CREATE TABLE written (file INT, row BIGINT, key BIGINT)")
        self.connection.execute(
            "CREATE TABLE associations (file INT, key BIGINT, src INT, src_row BIGINT)"
        )

    def add(self, write: CapturedWrite) -> int:
        """Insert the files of a write with one tap and one output file; return their slots."""
        (path,) = output_of(write).files
        (tap,) = write.taps
        file = self._number(path, write.table)
        self.newest[write.table] = (file, path)
        numbers = [
            (source.number, self._number(source.path, source.table)) for source in write.sources
        ]
        mapped = ", ".join(f"({number}, {known})" for number, known in numbers)
        self.connection.execute(
            "INSERT INTO written SELECT ?, row_number() OVER () - 1, c0"
            f" FROM read_parquet('{write.folder}/rows/[0-9]*.parquet')",
            [file],
        )
        for slot in range(len(tap.slots)):
            ids = f"c{slot + 1 + tap.checked}"
            self.connection.execute(
                f"INSERT INTO associations SELECT ?, c0, known, {ids} & {2**ROW_BITS - 1}"
                f" FROM read_parquet('{write.folder}/0/[0-9]*.parquet')"
                f" JOIN (VALUES {mapped}) AS numbers(number, known)"
                f" ON {ids} >> {ROW_BITS} = number",
                [file],
            )
        taps = (write.folder / "0").glob("[0-9]*.parquet")
        rows: int = sum(pq.read_metadata(each).num_rows for each in taps)
        return len(tap.slots) * rows

    def ask(self, table: str, key: str) -> Counter[str]:
        """Return the number of items in the lineage of the newest row of a key, by table."""
        file, path = self.newest[table]
        columns = pq.read_table(path, columns=list(KEYS[table])).to_pylist()
        row = ["/".join(map(str, each.values())) for each in columns].index(key)
        found = self.connection.execute(
            """
            WITH RECURSIVE up(file, row) AS (
                SELECT ?::INT, ?::BIGINT
                UNION
                SELECT a.src, a.src_row
                FROM up JOIN written w ON w.file = up.file AND w.row = up.row
                    JOIN associations a ON a.file = w.file AND a.key = w.key
            )
            SELECT file, count(*) FROM up GROUP BY file
            """,
            [file, row],
        ).fetchall()
        counts = Counter[str]()
        for number, rows in found:
            counts[self.tables[number]] += rows
        counts[table] -= 1  # the row itself
        return +counts

    def _number(self, path: Path, table: str) -> int:
        number = self.files.setdefault(path, len(self.files))
        self.tables[number] = table
        return number


if __name__ == "__main__":
    main()
