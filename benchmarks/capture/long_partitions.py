"""Measure the lineage of windows over one long partition.

python -m benchmarks.capture.long_partitions [--rows 1000000]

Each window is captured and landed in a warehouse of its own. ``whole`` derives each row from the
whole partition, as one shared derivation; the other windows derive it from its frame. Each question
is a command of its own, without a server. The figures are printed.
"""

import argparse
import tempfile
from pathlib import Path
from time import perf_counter

from pyspark.sql import SparkSession

from benchmarks.capture.overhead import stored
from benchmarks.shared.costs import Clock, adopt
from benchmarks.shared.measured_command import Command
from benchmarks.shared.spark import plain
from provhouse.capturing.jvm_rules import CaptureReports, capturing
from provhouse.cypher.access import down, process_id, up
from provhouse.ingest.landing.land import land_block
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.store.warehouse.captured_blocks import begin_block
from provhouse.store.warehouse.commits import current
from provhouse.store.warehouse.layout import Layout, bytes_below

WINDOWS = {
    "whole": "sum(v) OVER ()",
    "running": "sum(v) OVER (ORDER BY id)",
    "100 rows": "sum(v) OVER (ORDER BY id ROWS BETWEEN 99 PRECEDING AND CURRENT ROW)",
}
KEYS = {"events": ("id",), "totals": ("id",)}


def measured(name: str, spark: SparkSession, folder: Path, rows: int) -> str:
    """Capture, land and question a window; return a line of output."""
    settings = Settings.load({"warehouse": folder / "warehouse", "idle_minutes": 30})
    layout = Layout(settings.warehouse)
    up(settings, Silent())
    try:
        block = layout.captured / "1"
        begin_block(block, KEYS, "")
        begun = perf_counter()
        with capturing(spark, block, CaptureReports(), KEYS):
            frame = spark.sql(f"SELECT id, {WINDOWS[name]} AS x FROM events")
            frame.write.parquet(str(folder / "totals"))
        wrote, size, before = perf_counter() - begun, bytes_below(block), stored(layout)
        clock = Clock.now(spark, process_id(settings))
        land_block(block, settings, Silent())
        cost, commit = clock.cost(spark), current(layout)
        assert commit
        triples = commit.triples - commit.beyond.total
        text = (
            f"{name}: write {wrote:.1f} s, {size:,} bytes of association files; landing "
            f"{cost['seconds']:.1f} s, {cost['cpu_seconds']:.1f} s of processor time, "
            f"{stored(layout) - before:,} bytes, {triples / rows:.1f} triples a row"
        )
        command = Command(settings.warehouse)
        for question, item in (("lineage", f"totals/{rows // 2}"), ("impact", "events/0")):
            begun = perf_counter()
            lines = command.run(question, item, "--format", "csv").count(b"\n")
            text += f"; {question} {item} {perf_counter() - begun:.1f} s, {lines - 1:,} items"
        return text
    finally:
        down(settings, Silent())


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure windows over one long partition.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    adopt()
    spark = plain()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as folder:
        spark.range(0, given.rows, 1, 4).selectExpr("id", "id % 7 AS v").write.parquet(
            f"{folder}/events"
        )
        spark.read.parquet(f"{folder}/events").createOrReplaceTempView("events")
        for name in WINDOWS:
            print(measured(name, spark, Path(folder) / name.replace(" ", "-"), given.rows))


if __name__ == "__main__":
    main()
