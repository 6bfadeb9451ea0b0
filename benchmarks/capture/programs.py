"""Measure the cost of capture for grep, word count and 8 PigMix queries (RDDs and data frames).

python -m benchmarks.capture.programs [--size 1] [--repeats 5] [--programs grep L2]

Runs with plain Spark and with capture alternate in one session of Spark; each run writes to a new
folder. All programs first run on a small text, to warm up. The results of the first two runs, plain
and captured, are compared. Landing is not measured here. Results go to `results/programs.json`
after each program and interface, and a run of the same code continues where it was stopped.
"""

import argparse
import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TypedDict

import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from benchmarks.capture import programs_rdds
from benchmarks.capture.programs_data import generate
from benchmarks.capture.programs_rdds import NOON, TERM, Inputs
from benchmarks.capture.programs_rdds import PROGRAMS as RDDS
from benchmarks.shared.costs import Clock, Cost, middle
from benchmarks.shared.markup import cores, grid
from benchmarks.shared.results_file import ResultsFile, Run, code, continued, mean_load, packages
from benchmarks.shared.results_file import run as recorded
from benchmarks.shared.spark import plain
from provhouse.capturing.jvm_rules import CaptureReports, capturing
from provhouse.capturing.rdds.context import LineageContext
from provhouse.store.warehouse.layout import bytes_below


class Way(TypedDict):
    """The median costs of a program with or without capture, and the bytes of lineage written."""

    cost: Cost
    bytes: int
    repeats: int


class Program(TypedDict):
    """A program and its costs, by interface (``RDD`` or ``data frame``), plain or with capture."""

    program: str
    ways: dict[str, dict[str, Way]]


class Results(Run):
    """The results of all programs at one size in gigabytes."""

    code: str
    """A digest of the code that was measured."""
    programs: list[Program]


RESULTS: ResultsFile[dict[str, Results]] = ResultsFile("programs.json")
"""Results by size in gigabytes."""


FRAMES = {
    "grep": f"SELECT line FROM words WHERE contains(line, '{TERM}')",
    "word count": """SELECT word, count(*) AS n
        FROM (SELECT explode(split(line, ' ')) AS word FROM words) GROUP BY word""",
    "L1": """SELECT user, count(nullif(if(action = 1, info, link), '')) AS n
        FROM (SELECT user, action, info, explode(split(links, '[|]')) AS link FROM views)
        GROUP BY user""",
    "L2": "SELECT user, revenue FROM views JOIN power_users ON user = name",
    "L3": """SELECT user, sum(revenue) AS revenue FROM views JOIN users ON user = name
        GROUP BY user""",
    "L4": "SELECT user, count(DISTINCT action) AS n FROM views GROUP BY user",
    "L5": "SELECT DISTINCT user FROM views LEFT ANTI JOIN users ON user = name",
    "L6": """SELECT user, term, ip, time, sum(timespent) AS spent FROM views
        GROUP BY user, term, ip, time""",
    "L7": f"""SELECT user, count_if(time < {NOON}) AS early, count_if(time >= {NOON}) AS late
        FROM views GROUP BY user""",
    "L11": "SELECT DISTINCT user FROM views UNION SELECT DISTINCT name FROM wide",
}


HEAD = ("program", "interface", "repeats", "plain, s", "time", "CPU", "shuffled",
        "lineage, MB")  # fmt: skip
BARS = {"RDD": 1.3, "data frame": 1.15}


def table(results: dict[str, Results]) -> str:
    """Return a table of each size."""
    return "\n\n".join(_one(size, each) for size, each in sorted(results.items()))


def _one(size: str, results: Results) -> str:
    note = (
        f"{size} GB, medians, {cores(results['machine'])},"
        f" system load before the run: {results['load']}."
    )
    rows = (row for program in results["programs"] for row in _rows(program))
    return "\n\n".join([note, grid(HEAD, rows, left=(0, 1))])


def _rows(program: Program) -> Iterator[tuple[str, ...]]:
    for interface, ways in program["ways"].items():
        plain = ways["plain"]["cost"]
        way = ways["capture"]
        cost = way["cost"]
        ratio = cost["seconds"] / plain["seconds"]
        yield (
            program["program"],
            interface,
            str(way["repeats"]),
            f"{plain['seconds']:.1f}",
            f"**{ratio:.2f}**" if ratio > BARS[interface] else f"{ratio:.2f}",
            f"{cost['cpu_seconds'] / plain['cpu_seconds']:.2f}",
            f"{cost['shuffle_bytes'] / max(1, plain['shuffle_bytes']):.2f}",
            f"{way['bytes'] / 1e6:.1f}",
        )


WAYS = ("plain", "capture")
SPLIT = 32 << 20
"""The size in bytes of a partition of the input, as Spark cuts local files."""
WARM = 0.02
"""The size in gigabytes of the text on which programs warm up."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure what capture costs programs.")
    parser.add_argument("--size", type=float, default=1, help="gigabytes of each text")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--programs", nargs="+", choices=[*RDDS], default=[*RDDS])
    parser.add_argument("--folder", type=Path, help="a folder on a large disk")
    parser.add_argument("--output", type=Path, help="store the results elsewhere")
    given = parser.parse_args()
    path = given.output or RESULTS.path
    every: dict[str, Results] = json.loads(path.read_text()) if path.exists() else {}
    results = every[f"{given.size:g}"] = begun(every.get(f"{given.size:g}"))
    missing = [
        (program, interface)
        for program in given.programs
        for interface in ("RDD", "data frame")
        if not measured(results, program, interface, given.repeats)
    ]
    if not missing:
        return
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-", dir=given.folder) as name:
        spark = session()
        small, bench = (
            Bench.prepared(spark, Path(name) / f"{size:g}", size) for size in (WARM, given.size)
        )
        for program, interface in missing:
            small.measure(program, interface, 1)
            add(results, program, interface,
                bench.measure(program, interface, given.repeats))  # fmt: skip
            RESULTS.write(every, path)


def begun(before: Results | None) -> Results:
    """Return the results of an earlier run of the same code, or new, empty results."""
    new: Results = {
        **recorded(mean_load(), packages("pyspark", "pyarrow", "numpy", "provhouse")),
        "code": code("capturing"),
        "programs": [],
    }
    return continued(before, new)


def measured(results: Results, program: str, interface: str, repeats: int) -> bool:
    """Return whether a program was measured at least ``repeats`` times plain and with capture."""
    found = next((each["ways"].get(interface, {}) for each in results["programs"]
                  if each["program"] == program), {})  # fmt: skip
    return all(way in found and found[way]["repeats"] >= repeats for way in WAYS)


def add(results: Results, program: str, interface: str, ways: dict[str, Way]) -> None:
    """Add the measured costs of a program to the results, and print them."""
    by_name: dict[str, Program] = {each["program"]: each for each in results["programs"]}
    by_name.setdefault(program, {"program": program, "ways": {}})["ways"][interface] = ways
    results["programs"] = [by_name[name] for name in RDDS if name in by_name]
    plain_cost = ways["plain"]["cost"]
    for way, each in ways.items():
        ratio = each["cost"]["seconds"] / plain_cost["seconds"]
        cpu = each["cost"]["cpu_seconds"] / plain_cost["cpu_seconds"]
        print(f"{program} {interface} {way}: {plain_cost['seconds']:.1f} s, "
              f"{ratio:.2f} times, CPU {cpu:.2f} times", flush=True)  # fmt: skip


def session() -> SparkSession:
    """Return a new session of plain Spark, whose workers get the modules of the benchmark."""
    cloudpickle.register_pickle_by_value(programs_rdds)  # type: ignore[no-untyped-call]
    return plain()


@dataclass
class Bench:
    """The programs with input data of one size."""

    spark: SparkSession
    folder: Path
    partitions: int
    runs: int = 0
    first: dict[str, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def prepared(cls, spark: SparkSession, folder: Path, size: float) -> "Bench":
        """Return a bench with new data of ``size`` gigabytes."""
        generate(folder / "data", size)
        partitions = max(2, bytes_below(folder / "data" / "words.txt") // SPLIT)
        return cls(spark, folder, partitions)

    def measure(self, program: str, interface: str, repeats: int) -> dict[str, Way]:
        """Return the costs of a program, plain and with capture; these runs alternate."""
        for path in sorted(each for each in (self.folder / "data").iterdir() if not each.suffix):
            self.spark.read.parquet(str(path)).createOrReplaceTempView(path.name)
        costs: dict[str, list[Cost]] = {way: [] for way in WAYS}
        sizes: dict[str, list[int]] = {way: [] for way in costs}
        for turn in range(repeats):
            for way in sorted(costs, reverse=bool(turn % 2)):
                cost, size = self.run(program, interface, way, first=turn == 0)
                costs[way].append(cost)
                sizes[way].append(size)
        base = median(sizes["plain"])
        return {
            way: {
                "cost": middle(found),
                "bytes": round(median(sizes[way]) - base),
                "repeats": len(found),
            }
            for way, found in costs.items()
        }

    def run(self, program: str, interface: str, way: str, *, first: bool) -> tuple[Cost, int]:
        """Run a program once; return its cost, and the bytes of its result and lineage."""
        self.runs += 1
        out, taps = self.folder / f"out{self.runs}", self.folder / f"taps{self.runs}"
        begun = Clock.now(self.spark, None)
        if interface == "RDD":
            self.run_rdd(program, way, out, taps)
        else:
            self.run_frame(program, way, out, taps)
        cost = begun.cost(self.spark)
        if first:
            self.compare(program, out, way)
        size = bytes_below(out) + (bytes_below(taps) if taps.exists() else 0)
        for path in (out, taps):
            shutil.rmtree(path, ignore_errors=True)
        return cost, size

    def run_rdd(self, program: str, way: str, out: Path, taps: Path) -> None:
        """Run a program on RDDs."""
        context, data = self.spark.sparkContext, self.folder / "data"
        if way == "capture":
            captured = CaptureReports()
            with capturing(self.spark, taps, captured, {}):
                lineage = LineageContext(context, captured, taps, {})
                read = Inputs(lineage, data, self.partitions)
                RDDS[program](read).saveAsTextFile(str(out))
            return
        RDDS[program](Inputs(context, data, self.partitions)).saveAsTextFile(str(out))

    def run_frame(self, program: str, way: str, out: Path, taps: Path) -> None:
        """Run a program on data frames."""
        if way == "capture":
            with capturing(self.spark, taps, CaptureReports(), {}):
                self.spark.sql(FRAMES[program]).write.parquet(str(out))
        else:
            self.spark.sql(FRAMES[program]).write.parquet(str(out))

    def compare(self, program: str, out: Path, way: str) -> None:
        """Fail unless a result equals the first result of the same program."""
        found = digest(lines(out))
        right = self.first.setdefault(program, found)
        assert found == right, f"{program}: the result of {way} differs"


def lines(out: Path) -> Iterator[str]:
    """Yield the rows of a result as lines."""
    for path in out.glob("part-*"):
        if path.suffix == ".parquet":
            for batch in pq.ParquetFile(path).iter_batches():
                columns = [column.cast("string") for column in batch.columns]
                yield from pc.binary_join_element_wise(*columns, "\t").to_pylist()
            continue
        yield from path.read_text(encoding="utf-8").splitlines()


def digest(rows: Iterator[str]) -> tuple[int, int]:
    """Return the number of rows, and a sum of their hashes."""
    count = total = 0
    for row in rows:
        count += 1
        total += hash(row)
    return count, total & ((1 << 64) - 1)


if __name__ == "__main__":
    main()
