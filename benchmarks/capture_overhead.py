"""Measure what capture costs: the 22 queries of TPC-H, each written with plain Spark and captured.

python benchmarks/capture_overhead.py [--scale 1] [--repeats 3] [--queries q01 q18]

Plain and captured runs alternate. Each query is landed once, without keys, in a warehouse that all
queries share. Processor time is that of this process and its children, Spark's JVM and Python
workers, and of Neo4j. Results go to `results/capture.json` after each query, so that a run that was
stopped is continued with ``--queries``.
"""

import argparse
import ctypes
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

import psutil
import pyarrow.parquet as pq
from capture_overhead_form import RESULTS, Cost, Landing, Query, Results
from machine import mean_load, packages
from machine import run as recorded
from memory import status
from peer_spark import plain
from pyspark.sql import DataFrame, SparkSession
from tpch_data import ROOT, tables

from provhouse.capturing.session import Captured, capturing
from provhouse.cypher.access import down, process_id, up
from provhouse.ingest.captured.description import CapturedWrite
from provhouse.ingest.captured.finished import captured_writes
from provhouse.ingest.captured.land import land_block
from provhouse.ingest.steps.order import CUT
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.runtime.memory import sampling
from provhouse.store.warehouse.blocks import begin_block
from provhouse.store.warehouse.layout import Layout, bytes_below

Run = Callable[[], DataFrame]
"""A function that returns a new frame of the same query."""
QUERIES = ROOT / "tests" / "capturing" / "tpch"
WARM = "q19"
"""The query that is landed before all others; of the rows that they name, it names very few."""
EVERY = 0.02
"""Seconds between two measurements of memory."""


def main() -> None:
    """Run from the command line."""
    names = sorted(path.stem for path in QUERIES.glob("*.sql"))
    parser = argparse.ArgumentParser(description="Measure what capture costs.")
    parser.add_argument("--scale", default="1", help="the scale factor of TPC-H, such as 0.1")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--queries", nargs="+", choices=names, default=names)
    parser.add_argument("--folder", type=Path, help="a folder on a large disk")
    given = parser.parse_args()
    adopt()
    load = mean_load()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-", dir=given.folder) as name:
        folder = Path(name)
        made_by = tables(folder / "tpch", given.scale)
        bench = Bench.prepared(folder, folder / "tpch")
        try:
            up(bench.settings, Silent())  # so that it is not started for each landing
            bench.measure(WARM, 1)  # compiles, and starts workers and Neo4j
            for query in given.queries:
                store(
                    given.scale, load, made_by, given.repeats, bench.measure(query, given.repeats)
                )
        finally:
            down(bench.settings, Silent())


def store(scale: str, load: float, made_by: str, repeats: int, query: Query) -> None:
    """Add a query to the stored results of its scale factor, and print it."""
    found = RESULTS.read({})
    before = {each["query"]: each for each in found[scale]["queries"]} if scale in found else {}
    queries = {**before, query["query"]: query}
    results: Results = {
        **recorded(load, packages("pyspark", "pyarrow", "numba", "provhouse")),
        "data": made_by,
        "repeats": repeats,
        "queries": [queries[name] for name in sorted(queries)],
    }
    RESULTS.write({**found, scale: results})
    ratio = query["captured"]["seconds"] / query["plain"]["seconds"]
    rate = query["landing"]["entries"] / query["landing"]["numbered_seconds"]
    print(f"{query['query']}: {ratio:.2f} times, {rate:,.0f} associations/s landed", flush=True)


@dataclass
class Bench:
    """A session of plain Spark with the tables as views, and a warehouse."""

    spark: SparkSession
    folder: Path
    settings: Settings
    runs: int = 0

    @classmethod
    def prepared(cls, folder: Path, tables: Path) -> "Bench":
        """Return a new session with tables, and the settings of an empty warehouse."""
        spark = plain()
        for path in sorted(each for each in tables.iterdir() if each.is_dir()):
            spark.read.parquet(str(path)).createOrReplaceTempView(path.name)
        settings = Settings.load({"warehouse": folder / "warehouse", "idle_minutes": 30})
        return cls(spark, folder, settings)

    def measure(self, name: str, repeats: int) -> Query:
        """Return the costs of a query with and without capture, and of its landing."""
        sql = (QUERIES / f"{name}.sql").read_text(encoding="utf-8")
        run = partial(self.spark.sql, sql)
        plan = run()._jdf.queryExecution().optimizedPlan()
        without, within = list[Cost](), list[tuple[Cost, Path]]()
        for turn in range(repeats):
            if turn % 2 == 0:
                without.append(self.write_plain(name, run))
            within.append(self.write_captured(name, run))
            if turn % 2:
                without.append(self.write_plain(name, run))
        blocks = [block for _, block in within]
        (write,) = captured_writes(blocks[-1])
        rewriting = median(captured_writes(block)[0].rewriting for block in blocks)
        for block in blocks[:-1]:
            shutil.rmtree(block)
        return {
            "query": name,
            "nodes": len(plan.toString().splitlines()),
            "plain": middle(without),
            "captured": middle([cost for cost, _ in within]),
            "rewriting_seconds": round(rewriting, 3),
            "landing": self.land(blocks[-1], write),
        }

    def out(self, name: str) -> Path:
        """Return the folder that a query was last written to."""
        return self.folder / "out" / str(self.runs) / name

    def write(self, name: str, run: Run) -> None:
        """Write a query to a new folder."""
        self.runs += 1
        run().write.parquet(str(self.out(name)))

    def write_plain(self, name: str, run: Run) -> Cost:
        """Write a query with plain Spark, and return what it cost."""
        begun = Clock.now(self.spark, process_id(self.settings))
        self.write(name, run)
        return begun.cost(self.spark)

    def write_captured(self, name: str, run: Run) -> tuple[Cost, Path]:
        """Write a query with capture; return what it cost, and the folder of the block."""
        block = Layout(self.settings.warehouse).captured / str(self.runs)
        begin_block(block, {}, "")
        begun = Clock.now(self.spark, process_id(self.settings))
        with capturing(self.spark, block, Captured(), {}):
            self.write(name, run)
        return begun.cost(self.spark), block

    def land(self, block: Path, write: CapturedWrite) -> Landing:
        """Ingest a block, and return what that cost."""
        layout = Layout(self.settings.warehouse)
        entries, before = count(write), stored(layout)
        held = bytes_below(block)
        watch, peak = Steps(), Peak()
        begun = Clock.now(self.spark, process_id(self.settings))
        with sampling(peak.sample, EVERY):
            landed = land_block(block, self.settings, watch)
        cost = begun.cost(self.spark)
        return {
            "entries": entries,
            "associations": sum(each.associations for each in landed.writes),
            "file_bytes": held,
            "warehouse_bytes": stored(layout) - before,
            "seconds": cost["seconds"],
            "cpu_seconds": cost["cpu_seconds"],
            "numbered_seconds": round(watch.numbered(), 3),
            "peak_mb": peak.most,
        }


def count(write: CapturedWrite) -> int:
    """Return the number of slots in the association files of a write."""
    found = list(_slots(write.folder / "rows", len(write.slots)))
    for number, tap in enumerate(write.taps):
        found += _slots(write.folder / str(number), len(tap.slots))
    return sum(found)


def _slots(folder: Path, slots: int) -> Iterator[int]:
    for path in folder.glob("[0-9]*.parquet"):
        yield slots * pq.read_metadata(path).num_rows


def stored(layout: Layout) -> int:
    """Return the size of a warehouse in bytes, without logs and what waits to be ingested."""
    aside = (layout.captured, layout.logs)
    return bytes_below(layout.root) - sum(bytes_below(folder) for folder in aside)


def middle(costs: list[Cost]) -> Cost:
    """Return the median of each figure."""
    return {
        "seconds": median(cost["seconds"] for cost in costs),
        "cpu_seconds": median(cost["cpu_seconds"] for cost in costs),
        "shuffle_bytes": round(median(cost["shuffle_bytes"] for cost in costs)),
    }


@dataclass(frozen=True)
class Clock:
    """A moment: the time, the processor time used so far, and the bytes shuffled so far."""

    seconds: float
    cpu: float
    shuffled: int
    server: int | None
    """The process of Neo4j."""

    @classmethod
    def now(cls, spark: SparkSession, server: int | None) -> "Clock":
        """Return this moment."""
        context = spark._jsc.sc()
        context.listenerBus().waitUntilEmpty(60_000)
        shuffled = context.statusStore().executorSummary("driver").totalShuffleWrite()
        return cls(perf_counter(), cpu_seconds(server), shuffled, server)

    def cost(self, spark: SparkSession) -> Cost:
        """Return what was used since this moment."""
        seconds = perf_counter() - self.seconds
        end = Clock.now(spark, self.server)
        return {
            "seconds": round(seconds, 3),
            "cpu_seconds": round(end.cpu - self.cpu, 2),
            "shuffle_bytes": end.shuffled - self.shuffled,
        }


def cpu_seconds(server: int | None) -> float:
    """Return the processor time of this process, of all its children, and of a server."""
    me = psutil.Process()
    numbers = {each.pid for each in me.children(recursive=True)} | {me.pid}
    total = 0.0
    for number in numbers | ({server} if server else set()):
        with suppress(psutil.Error):
            total += sum(psutil.Process(number).cpu_times()[:4])
    return total


def adopt() -> None:
    """Become the parent of processes whose parent ends, on Linux.

    Their processor time would otherwise be missing once they are no descendants of this process.
    """
    adopt_orphans = 36  # PR_SET_CHILD_SUBREAPER, in linux/prctl.h
    ctypes.CDLL(None).prctl(adopt_orphans, 1, 0, 0, 0)


class Steps(Silent):
    """The beginning of each step of a landing."""

    def __init__(self) -> None:
        self._begun = [("Resolve the associations", perf_counter())]

    def begin(self, step: str) -> None:
        """Note when a step begins."""
        self._begun.append((step, perf_counter()))

    def numbered(self) -> float:
        """Return the seconds up to the end of the numbering, without starts of programs."""
        self.begin("End")
        total = 0.0
        for (step, begun), (_, ended) in zip(self._begun, self._begun[1:], strict=False):
            if step == CUT.title:
                break
            if not step.startswith(("Start", "Wait")):
                total += ended - begun
        return total


class Peak:
    """The largest anonymous memory of this process, in megabytes."""

    def __init__(self) -> None:
        self.most = 0
        self._me = psutil.Process()

    def sample(self) -> None:
        """Measure the memory now."""
        self.most = max(self.most, status("RssAnon", self._me))


if __name__ == "__main__":
    main()
