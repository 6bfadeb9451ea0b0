"""Measure tracing: lineage walks in the session and the warehouse, joins, replays, and faults.

python -m benchmarks.tracing.tracing [--scale 1] [--repeats 5] [--sizes 0.05 1] [--rows 1000000]

The tables are those of TPC-H; five of its queries are captured and landed. The programs are those
of `traced_programs.py`, which are captured but not landed. Times are medians; compared runs
alternate. Each measurement is stored in `results/tracing.json` at once, keyed by scale factor. A
stopped run with the same settings and code can be continued.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal, get_args

from pyspark.sql import DataFrame, SparkSession

import provhouse
from benchmarks.capture.overhead import QUERIES
from benchmarks.capture.tpch_data import tables as tpch_tables
from benchmarks.server.serve import served
from benchmarks.shared.costs import EVERY, Peak
from benchmarks.shared.markup import bars, cores, duration, grid
from benchmarks.shared.results_file import code, continued, mean_load, packages
from benchmarks.shared.results_file import run as recorded
from benchmarks.shared.spark import plain
from benchmarks.tracing.planted_faults import Store, planted
from benchmarks.tracing.traced_programs import rerun_programs, through_programs
from benchmarks.tracing.walks import (
    RESULTS,
    Again,
    Results,
    Through,
    Walk,
    compared,
    first,
    one,
    timed,
    walked,
)
from provhouse.captured_block import Capture
from provhouse.capturing.walks.cursor import Cursor
from provhouse.cypher.access import down
from provhouse.model.associations import ROW_BITS
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.runtime.memory_sizes import sampling

WALKS = ("query", "witnesses", "cold", "back", "1,000 back", "forth", "1,000 forth", "show",
         "warehouse", "memory, MB")  # fmt: skip
Step = Literal["back", "back_1000", "forth", "forth_1000", "show"]
STEPS: tuple[Step, ...] = get_args(Step)
THROUGH = ("program", "interface", "GB", "witnesses", "back", "1,000 back", "forth", "1,000 forth",
           "show", "memory, MB")  # fmt: skip
AGAIN = ("query", "replay", "reduced table", "ratio", "equal")
FAULTS = ("program", "operators", "fault", "lineage", "smallest", "replays", "time", "1-minimal")


def tables(results: dict[str, Results]) -> str:
    """Return the tables of all scale factors."""
    return "\n\n".join(part for each in results.values() for part in _parts(each))


def _parts(results: Results) -> Iterator[str]:
    yield (
        f"Scale factor {results['scale']}, tables by {results['data']}, median of"
        f" {results['repeats']} runs, {cores(results['machine'])},"
        f" system load before the run: {results['load']}."
    )
    yield grid(WALKS, (tuple(_walk(each)) for each in results["walks"]))
    yield "A replay without one record, and a run on a table without it:"
    yield grid(AGAIN, (tuple(_again(each)) for each in results["replays"]))
    if results["programs"]:
        yield (
            "Walks through grep, word count and PigMix on texts of several sizes; nothing is"
            " landed. *Memory* is the growth of the driver's Python during the walks:"
        )
        every = sorted(results["programs"], key=lambda each: (each["program"], each["interface"]))
        yield grid(THROUGH, (tuple(_through(each)) for each in every), left=(0, 1))
    yield f"The smallest failing input of planted faults, on {results['fault_rows']:,} rows:"
    yield grid(
        FAULTS,
        (
            (e["program"], str(e["operators"]), e["fault"], f"{e['lineage']:,}", str(e["found"]),
             str(e["replays"]), duration(e["seconds"]), "yes" if e["minimal"] else "**no**")
            for e in results["faults"]
        ),
        left=(0, 2),
    )  # fmt: skip
    yield "Targets at this scale:"
    yield bars(dict(_bars(results)))


def _walk(each: Walk) -> Iterator[str]:
    yield each["query"]
    yield f"{each['witnesses']:,}"
    yield duration(each["cold"])
    yield from (duration(each[name]) for name in STEPS)
    yield duration(each["warehouse"])
    yield str(each["memory_mb"])


def _through(each: Through) -> Iterator[str]:
    yield each["program"]
    yield each["interface"]
    yield f"{each['size']:g}"
    yield f"{each['witnesses']:,}"
    yield from (duration(each[name]) for name in STEPS)
    yield str(each["memory_mb"])


def _again(each: Again) -> Iterator[str]:
    yield each["query"]
    yield duration(each["replay"])
    yield duration(each["reduced"])
    yield f"{each['replay'] / each['reduced']:.2f}"
    yield "yes" if each["equal"] else "**no**"


def _bars(results: Results) -> Iterator[tuple[str, bool]]:
    walks, small = results["walks"], [e for e in results["walks"] if e["witnesses"] <= 1000]
    yield "one row back in the session, cold, within 1 s", all(e["cold"] <= 1 for e in walks)
    if small:
        within = all(e["warehouse"] <= 0.05 for e in small)
        yield "up to 1,000 witnesses from the warehouse within 50 ms", within
    texts = [each for each in results["programs"] if each["size"] <= 1]
    for name in STEPS:
        within = all(each[name] <= 1 for each in (*walks, *texts))
        yield f"{name.replace('_', ' ')} within 1 s, on up to 1 GB", within
    yield (
        "a replay takes at most 1.2 times the run on the reduced table",
        all(e["replay"] <= 1.2 * e["reduced"] and e["equal"] for e in results["replays"]),
    )
    if faults := results["faults"]:
        replays = median(e["replays"] for e in faults)
        yield f"at most 40 replays at the median ({replays:g})", replays <= 40
        yield "each smallest input is 1-minimal", all(e["minimal"] for e in faults)


WALKED = ("q03", "q05", "q10", "q12", "q18")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure tracing.")
    parser.add_argument("--scale", default="1", help="the scale factor of TPC-H, such as 0.1")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--sizes", type=float, nargs="*", default=[1.0], metavar="SIZE",
                        help="gigabytes of texts")  # fmt: skip
    parser.add_argument("--rows", type=int, default=1_000_000, help="the rows of planted faults")
    parser.add_argument("--faults", type=int, default=20)
    parser.add_argument("--output", type=Path, help="store the results elsewhere")
    given = parser.parse_args()
    path = given.output or RESULTS.path
    every: dict[str, Results] = json.loads(path.read_text()) if path.exists() else {}

    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as name:
        made_by = tpch_tables(Path(name) / "tpch", given.scale)
        results = every[given.scale] = begun(every.get(given.scale), given, made_by)
        bench = Bench.prepared(Path(name), given.repeats)

        def store(part: list[Any], found: Any) -> None:
            part.append(found)
            print(found, flush=True)
            RESULTS.write(every, path)

        try:
            bench.measure(results, store)
        finally:
            down(bench.settings, Silent())
        for size in given.sizes:
            programs = results["programs"]
            through_programs(bench.spark, Path(name), size, given.repeats, programs, store)
        rerun_programs(bench.spark, Path(name), given.repeats, results["replays"], store)
        planted(bench.spark, Path(name), given.rows, given.faults, results["faults"], store)


def begun(before: Results | None, given: argparse.Namespace, made_by: str) -> Results:
    """Return an earlier run's results with the same settings and code, or empty results."""
    new: Results = {
        **recorded(mean_load(), packages("pyspark", "pyarrow", "provhouse")),
        "code": code("capturing", "ingest/landing"),
        "data": made_by,
        "scale": given.scale,
        "repeats": given.repeats,
        "fault_rows": given.rows,
        "walks": [],
        "replays": [],
        "programs": [],
        "faults": [],
    }
    return continued(before, new)


@dataclass(frozen=True)
class Bench:
    """A session of plain Spark with the tables as views, and a warehouse."""

    spark: SparkSession
    folder: Path
    repeats: int

    @classmethod
    def prepared(cls, folder: Path, repeats: int) -> "Bench":
        """Return a new session with the tables below ``folder``."""
        spark = plain()
        for path in sorted((folder / "tpch").iterdir()):
            spark.read.parquet(str(path)).createOrReplaceTempView(path.name)
        return cls(spark, folder, repeats)

    def measure(self, results: Results, store: Store) -> None:
        """Measure the walks and replays that the results lack."""
        for query in missing(WALKED, results["walks"]):
            if not results["walks"]:
                self.walk("q19")  # compiles
            store(results["walks"], self.walk(query))
        for query in missing(WALKED, results["replays"]):
            store(results["replays"], self.again(query))

    @property
    def settings(self) -> Settings:
        """The settings of the warehouse."""
        return Settings.load({"warehouse": self.folder / "warehouse", "idle_minutes": 30})

    def query(self, name: str) -> DataFrame:
        """Return a query of TPC-H."""
        return self.spark.sql((QUERIES / f"{name}.sql").read_text(encoding="utf-8"))

    def captured(self, name: str, frame: DataFrame) -> Capture:
        """Write a frame with capture, and return the capture."""
        with provhouse.capture(self.spark, self.settings.warehouse) as run:
            frame.write.parquet(str(self.folder / "out" / name))
        return run

    def walk(self, name: str) -> Walk:
        """Return the times of walks from rows of a query."""
        run = self.captured(name, self.query(name))
        cold = timed(lambda: one(run.trace(name)).go_back_all().count())
        every = run.trace(name)
        sources = one(every).go_back_all()
        peak = Peak()
        peak.sample()
        before = peak.most
        with sampling(peak.sample, EVERY):
            every.go_back_all().count()
        found: Walk = {
            "query": name,
            "witnesses": sources.count(),
            "cold": cold,
            **walked(every, self.repeats),
            "warehouse": self._asked(name, every),
            "memory_mb": peak.most - before,
        }
        run.close()
        return found

    def _median(self, work: Callable[[], object]) -> float:
        return round(median(timed(work) for _ in range(self.repeats)), 4)

    def _asked(self, name: str, every: Cursor) -> float:
        """Return the time of asking the running server for the lineage of the first row."""
        with provhouse.open(self.settings.warehouse) as opened, served(self.settings):
            file = next(each for each in every.flow.numbers.files if each.table == name)
            (number,) = opened.number_files(str(file.path))
            item = f"{name}/{number << ROW_BITS}"
            opened.lineage(item)
            return self._median(lambda: opened.lineage(item))

    def again(self, name: str) -> Again:
        """Return the times of a query without one record: by a replay, and on a copied table."""
        folder = self.folder / "again"
        frame = self.query(name)
        run = self.captured(f"{name}_again", frame)
        row = first(first(run.trace(f"{name}_again"), 1).go_back_all().of("lineitem"), 1)
        (place,) = row.ids().collect()
        whole = self.spark.read.parquet(str(self.folder / "tpch" / "lineitem"))
        less = whole.where(f"NOT (_metadata.file_path LIKE '%{Path(place['file']).name}' "
                           f"AND _metadata.row_index = {place['row']})")  # fmt: skip
        less.coalesce(1).write.mode("overwrite").parquet(str(folder))
        replay, reduced = compared(
            lambda: noop(run.replay(frame, without=row)),
            lambda: noop(self._reduced(name, folder)),
            self.repeats,
        )
        equal = same(run.replay(frame, without=row), self._reduced(name, folder))
        run.close()
        return {"query": name, "replay": replay, "reduced": reduced, "equal": equal}

    def _reduced(self, name: str, folder: Path) -> DataFrame:
        whole = self.spark.read.parquet(str(self.folder / "tpch" / "lineitem"))
        self.spark.read.parquet(str(folder)).createOrReplaceTempView("lineitem")
        try:
            return self.query(name)
        finally:
            whole.createOrReplaceTempView("lineitem")


def missing(queries: Sequence[str], found: Sequence[Walk | Again]) -> list[str]:
    """Return the queries that were not measured yet."""
    return [query for query in queries if query not in {each["query"] for each in found}]


def noop(frame: DataFrame) -> None:
    """Compute a frame, and discard its rows."""
    frame.write.format("noop").mode("overwrite").save()


def same(one: DataFrame, other: DataFrame) -> bool:
    """Return whether two frames have the same rows; sums may differ in the last digits."""
    return rounded(one) == rounded(other)


def rounded(frame: DataFrame) -> list[str]:
    """Return the rows of a frame as sorted strings, in which floats have nine digits."""
    return sorted(
        repr([f"{each:.9g}" if isinstance(each, float) else each for each in row])
        for row in frame.collect()
    )


if __name__ == "__main__":
    main()
