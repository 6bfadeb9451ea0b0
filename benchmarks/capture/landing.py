"""Compare the landing of captured lineage with an ingest of the same triples from CSV files.

python -m benchmarks.capture.landing [--scale 1]

Each job is landed in a new warehouse, whose triples are then exported, written as CSV files with
names, and ingested into another one. Both commit the same number of triples; the CSV files have no
derivations. Neo4j and Spark run already. Results go to `results/capture_landing.json`.
"""

import argparse
import json
import shutil
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow.csv as csv
import pyarrow.parquet as pq

from benchmarks.capture.landing_form import RESULTS, Job, Results, Taken
from benchmarks.capture.overhead import QUERIES, Bench, Clock
from benchmarks.capture.tpch_data import tables
from benchmarks.shared.machine import mean_load, packages
from benchmarks.shared.machine import run as recorded
from provhouse.cypher.access import down, process_id, up
from provhouse.ingest.captured.land import land_block
from provhouse.ingest.ingest import ingest
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.query.export import export_warehouse
from provhouse.store.warehouse.commits import Commit, current
from provhouse.store.warehouse.layout import Layout, bytes_below

ONE_TO_ONE = "copy of orders"
COLUMNS = ["src", "dst", "op"]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Compare landings with ingests of CSV files.")
    parser.add_argument("--scale", default="1", help="the scale factor of TPC-H, such as 0.1")
    given = parser.parse_args()
    load = mean_load()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as name:
        made_by = tables(Path(name) / "tpch", given.scale)
        bench = Bench.prepared(Path(name), Path(name) / "tpch")
        settings = replace(bench.settings, neo4j_home=Path(name) / "neo4j")
        jobs = {
            **{
                name: (QUERIES / f"{name}.sql").read_text(encoding="utf-8")
                for name in ("q01", "q18")
            },
            ONE_TO_ONE: "SELECT * FROM orders",
        }
        try:
            up(settings, Silent())
            measured(bench, settings, "q06", (QUERIES / "q06.sql").read_text())  # compiles
            found = [measured(bench, settings, name, sql) for name, sql in jobs.items()]
        finally:
            down(settings, Silent())
    results: Results = {
        **recorded(load, packages("pyspark", "pyarrow", "provhouse")),
        "scale": given.scale,
        "data": made_by,
        "jobs": found,
    }
    RESULTS.write(results)
    print(json.dumps(results, indent=1))


def measured(bench: Bench, settings: Settings, job: str, sql: str) -> Job:
    """Land a job, and ingest what it has landed from CSV files.

    Exits if the numbers of triples differ.
    """
    aside = bench.folder / "aside"
    first = replace(settings, warehouse=aside / "landed")
    second = replace(settings, warehouse=aside / "ingested")
    bench.settings = first
    _, block = bench.write_captured(job, partial(bench.spark.sql, sql))
    size, begun = bytes_below(block), Clock.now(bench.spark, process_id(settings))
    land_block(block, first, Silent())
    landed = taken(begun, bench, first, size)
    files = exported(Layout(first.warehouse), aside)
    size, begun = bytes_below(files), Clock.now(bench.spark, process_id(settings))
    ingest([files], second, progress=Silent())
    plain = taken(begun, bench, second, size)
    if committed(first).triples != committed(second).triples:
        raise SystemExit(f"{job}: {committed(first)} and {committed(second)} differ")
    shutil.rmtree(aside)
    return {"job": job, "landed": landed, "csv": plain}


def exported(layout: Layout, aside: Path) -> Path:
    """Write the triples of a warehouse as CSV files; return their folder."""
    export_warehouse(layout, aside / "export", Silent())
    files = aside / "csv"
    files.mkdir()
    for number, path in enumerate(sorted((aside / "export").rglob("*.parquet"))):
        table = pq.ParquetFile(path)
        if set(COLUMNS) <= set(table.schema_arrow.names):
            csv.write_csv(table.read(COLUMNS), files / f"{number}.csv")
    return files


def taken(begun: Clock, bench: Bench, settings: Settings, size: int) -> Taken:
    """Return the triples that were ingested since a moment, and the costs."""
    cost = begun.cost(bench.spark)
    return {
        "triples": committed(settings).triples,
        "bytes": size,
        "seconds": cost["seconds"],
        "cpu_seconds": cost["cpu_seconds"],
    }


def committed(settings: Settings) -> Commit:
    """Return the commit record of a warehouse."""
    found = current(Layout(settings.warehouse))
    assert found
    return found


if __name__ == "__main__":
    main()
