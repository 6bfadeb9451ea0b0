"""Measure UPDATE, DELETE and MERGE of a Delta table with plain Spark and with capture.

python -m benchmarks.capture.changes [--rows 5000000] [--repeats 3]

Each statement changes one row in a hundred. These rows are spread over all files, so Delta must
copy all other rows to new files. Plain and captured runs alternate, each on a new copy of the
table. The last captured run of each statement is landed. The figures are printed.
"""

import argparse
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.capture.overhead import stored
from benchmarks.shared.costs import Clock, Cost, adopt, middle
from provhouse.capturing.jvm_rules import CaptureReports, capturing
from provhouse.cypher.access import down, process_id, up
from provhouse.ingest.landing.land import land_block
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.runtime.spark import session
from provhouse.store.warehouse.captured_blocks import begin_block
from provhouse.store.warehouse.layout import Layout, bytes_below

STATEMENTS = {
    "UPDATE": "UPDATE {} SET v = v + 1 WHERE k % 100 = 7",
    "DELETE": "DELETE FROM {} WHERE k % 100 = 7",
    "MERGE": "MERGE INTO {} t USING news s ON t.k = s.k WHEN MATCHED THEN UPDATE SET * "
    "WHEN NOT MATCHED THEN INSERT *",
}
KEYS = {"balance": ("k",), "news": ("k",)}
FILES = 8


@dataclass
class Bench:
    """A session, a table, and a warehouse."""

    spark: SparkSession
    folder: Path
    settings: Settings
    runs: int = 0
    captured: int = 0
    """The number of the last captured run."""

    @classmethod
    def prepared(cls, folder: Path, rows: int) -> "Bench":
        """Return a new session with a table of ``rows`` rows, and the changes of one night."""
        settings = Settings.load({"warehouse": folder / "warehouse", "idle_minutes": 30})
        spark = session.spark(settings, folder / "logs")
        table = spark.range(0, rows, 1, FILES).selectExpr(
            "id AS k", "id * 0.5 AS v", "concat('customer ', id % 1000) AS name"
        )
        table.write.format("delta").save(str(folder / "table"))
        news = table.where("k % 100 = 7").selectExpr("k + int(k % 1000 = 7) AS k", "v", "name")
        news.write.parquet(str(folder / "news"))
        spark.read.parquet(str(folder / "news")).createOrReplaceTempView("news")
        return cls(spark, folder, settings)

    def measure(self, name: str, repeats: int) -> str:
        """Return a line of output with the costs of a statement."""
        plain, captured = list[Cost](), list[Cost]()
        for turn in range(repeats):
            for within in (turn % 2 == 0, turn % 2 == 1):
                (captured if within else plain).append(self.run(name, within=within))
        with_capture, without = middle(captured), middle(plain)
        ratio = with_capture["cpu_seconds"] / without["cpu_seconds"]
        wall = with_capture["seconds"] / without["seconds"]
        block = Layout(self.settings.warehouse).captured / str(self.captured)
        size, before = bytes_below(block), stored(Layout(self.settings.warehouse))
        begun = Clock.now(self.spark, process_id(self.settings))
        landed = land_block(block, self.settings, Silent())
        cost = begun.cost(self.spark)
        return (
            f"{name}: {without['cpu_seconds']:.1f} s of processor time, {ratio:.2f} times with "
            f"capture (wall {wall:.2f}); {size:,} bytes of association files; landing "
            f"{cost['cpu_seconds']:.1f} s, {stored(Layout(self.settings.warehouse)) - before:,} "
            f"bytes, {sum(each.associations for each in landed.writes):,} associations"
        )

    def run(self, name: str, *, within: bool) -> Cost:
        """Run a statement on a new copy of the table; return what it cost."""
        self.runs += 1
        table = self.folder / str(self.runs) / "balance"
        shutil.copytree(self.folder / "table", table)
        text = STATEMENTS[name].format(f"delta.`{table}`")
        if not within:
            begun = Clock.now(self.spark, process_id(self.settings))
            self.spark.sql(text)
            return begun.cost(self.spark)
        block = Layout(self.settings.warehouse).captured / str(self.runs)
        begin_block(block, KEYS, "")
        self.captured = self.runs
        begun = Clock.now(self.spark, process_id(self.settings))
        with capturing(self.spark, block, CaptureReports(), KEYS):
            self.spark.sql(text)
        return begun.cost(self.spark)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure captured changes of a Delta table.")
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    adopt()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as name:
        bench = Bench.prepared(Path(name), given.rows)
        try:
            up(bench.settings, Silent())
            bench.run("MERGE", within=True)  # compiles, and starts workers
            for statement in STATEMENTS:
                print(bench.measure(statement, given.repeats), flush=True)
        finally:
            down(bench.settings, Silent())


if __name__ == "__main__":
    main()
