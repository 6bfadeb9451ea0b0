"""Time queries that start at stored results, and reruns that process only changed records.

`make bench-started` runs this benchmark: DuckDB executes the steps of the flights pipeline on the
flights of 2013, or on several years that repeat these flights. Each result is compared with the
result of a complete execution. Times are processor seconds. The table is printed, and results go to
`results/started.json`.
"""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import TypedDict

import duckdb

from benchmarks.shared.markup import bars, grid
from benchmarks.shared.results_file import ResultsFile, Run, mean_load, packages
from benchmarks.shared.results_file import run as recorded
from benchmarks.workflows.flights_steps import (
    EDITS,
    READ,
    STEPS,
    by_month,
    schema,
    tables_of,
    write_tables,
    years,
)
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.store.warehouse.layout import Layout
from provhouse.workflows.executions import add_execution
from provhouse.workflows.pinned_inputs import pinned
from provhouse.workflows.rerun import recomputed
from provhouse.workflows.reuse import reuse
from provhouse.workflows.revision_names import revision_name
from provhouse.workflows.revisions import add_revision

PARTIAL, RERUN = 2, 0.1
"""Targets: the speedup by stored results, and the share of the full time that a rerun takes."""
ROUNDS = 3
YEARS = 10
RERUN_STEPS = ("departures", "route_daily", "carrier_daily")
LATE = {
    "in four days": "date between '2013-06-01' and '2013-06-04'",
    "everywhere": "hash(date, carrier, flight, origin) % 100 = 0",
}
"""Two conditions, each selecting the flights whose delay changes: about 1 % of a year's flights."""


class Timed(TypedDict):
    """One query: the median seconds of complete executions (``whole``) and of reuse (``ours``)."""

    step: str
    change: str
    starts: list[str]
    whole: float
    ours: float
    same: bool


class StartedRun(Run):
    """One run of the benchmark."""

    years: int
    flights: int
    partial: list[Timed]
    reruns: list[Timed]


RESULTS = ResultsFile[StartedRun]("started.json")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Time queries that start at stored results.")
    parser.add_argument("--years", type=int, default=YEARS, help="the number of years of flights")
    number: int = parser.parse_args().years
    machine = recorded(mean_load(), packages("duckdb", "provhouse"))
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as folder:
        made = _Pipeline(Path(folder), number)
        partial = [made.partial(step) for step in EDITS]
        reruns = [made.rerun(step, change) for step in RERUN_STEPS for change in LATE]
        flights = made.flights
    found: StartedRun = {
        **machine, "years": number, "flights": flights, "partial": partial, "reruns": reruns,
    }  # fmt: skip
    RESULTS.write(found)
    print(tables(found))


class _Pipeline:
    """The flights pipeline in a separate warehouse, which stores the result of each step."""

    def __init__(self, folder: Path, number: int) -> None:
        self._folder = folder
        self._settings = Settings(warehouse=folder / "warehouse")
        write_tables(folder)
        years(folder, number)
        by_month(f"from '{folder}/flights.parquet'", folder / "flights")
        self._tables = {name: folder / f"{name}.parquet" for name in READ}
        self._tables["flights"] = folder / "flights"
        texts = {step: f"select * from {step}" for step in STEPS}
        name = self._add(texts, schema())
        for step in STEPS:
            done = folder / f"{step}.parquet"
            self._executed(STEPS[step], schema(step), self._tables, done)
            add_execution(revision_name(name), {step: done}, self._inputs(step), self._settings,
                          Silent())  # fmt: skip
        with duckdb.connect() as con:
            count = con.execute(f"select count(*) from {_rows(folder / 'flights')}").fetchone()
        self.flights = count[0] if count else 0

    def partial(self, step: str) -> Timed:
        """Time an edited step that reads the tables, and one that reads earlier steps' results."""
        text = STEPS[step].replace(*EDITS[step])
        name = self._add({step: text}, schema(step))
        found = reuse(Layout(self._settings.warehouse), name, step, inputs=self._inputs(step))
        assert found.decision == "partial", found
        whole, ours = self._folder / "whole.parquet", self._folder / "ours.parquet"
        seconds = _alternately(
            lambda: self._executed(text, schema(step), self._tables, whole),
            lambda: self._executed(found.sql, schema(step), self._tables, ours),
        )
        starts = [each.partition(" ")[2] for each in found.starts]
        return _timed(step, "edited", starts, seconds, _same(whole, ours))

    def rerun(self, step: str, change: str) -> Timed:
        """Time a step after flights have changed, on all rows and on the touched slices only."""
        tables = {**self._tables, "flights": self._folder / change}
        if not tables["flights"].exists():
            late = f"case when {LATE[change]} then dep_delay + 1 else dep_delay end as dep_delay"
            by_month(f"select * replace ({late}) from {_rows(self._tables['flights'])}",
                     tables["flights"])  # fmt: skip
        text = f"select * from {step}"
        pins = pinned({name: str(tables[name]) for name in tables_of(step)})
        whole, ours = self._folder / "whole.parquet", self._folder / "ours.parquet"
        name, layout = revision_name("flights@r1"), Layout(self._settings.warehouse)
        seconds = _alternately(
            lambda: self._executed(text, schema(), tables, whole),
            lambda: recomputed(layout, name, step, pins, ours),
        )
        return _timed(step, f"1% of the flights, {change}", [step], seconds, _same(whole, ours))

    def _add(self, texts: dict[str, str], ddl: str) -> str:
        return add_revision("flights", texts, "sql", ddl, self._settings, Silent()).revision

    def _inputs(self, step: str) -> dict[str, str]:
        return {name: str(self._tables[name]) for name in tables_of(step)}

    def _executed(self, text: str, ddl: str, tables: dict[str, Path], to: Path) -> None:
        """Execute a query in DuckDB, as a user would."""
        with duckdb.connect() as con:
            con.execute(ddl)
            for name, path in tables.items():
                con.execute(f"drop table {name}")
                con.execute(f"create view {name} as from {_rows(path)}")
            con.execute(f"copy ({text}) to '{to}' (format parquet)")


def _rows(place: Path) -> str:
    """Return SQL for the rows of a Parquet file, or of all files of a folder."""
    return f"'{place}/*.parquet'" if place.is_dir() else f"'{place}'"


def _alternately(whole: Callable[[], object], ours: Callable[[], object]) -> tuple[float, float]:
    """Return the medians of the processor seconds of two functions."""
    took: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for function, times in zip((whole, ours), took, strict=True):
            begun = process_time()
            function()
            times.append(process_time() - begun)
    return median(took[0]), median(took[1])


def _same(one: Path, other: Path) -> bool:
    with duckdb.connect() as con:
        differ = f"((from '{one}') except all (from '{other}')) union all " \
                 f"((from '{other}') except all (from '{one}'))"  # fmt: skip
        return con.execute(f"select 1 from ({differ}) limit 1").fetchone() is None


def _timed(
    step: str, change: str, starts: list[str], seconds: tuple[float, float], same: bool
) -> Timed:
    return {
        "step": step, "change": change, "starts": starts,
        "whole": seconds[0], "ours": seconds[1], "same": same,
    }  # fmt: skip


def tables(results: StartedRun) -> str:
    """Return the times, and whether the targets are met."""
    note = (
        f"Steps of the flights pipeline in DuckDB, in processor time, on {results['flights']:,} "
        f"flights ({results['years']} years that repeat 2013, a file for each month). Results are "
        "written to Parquet."
    )
    rows = [
        (each["step"], each["change"], ", ".join(each["starts"]), f"{1000 * each['whole']:.0f} ms",
         f"{1000 * each['ours']:.0f} ms", f"{each['ours'] / each['whole']:.2f}")
        for each in (*results["partial"], *results["reruns"])
    ]  # fmt: skip
    head = ("step", "change", "from results of", "whole", "provhouse", "part")
    partial = results["partial"]
    faster = sum(each["whole"] for each in partial) / sum(each["ours"] for each in partial)
    near = [each for each in results["reruns"] if "days" in each["change"]]
    part = sum(each["ours"] for each in near) / sum(each["whole"] for each in near)
    met = {
        f"edited steps at least {PARTIAL} times as fast ({faster:.1f})": faster >= PARTIAL,
        f"reruns after changes in four days at most {RERUN} ({part:.2f})": part <= RERUN,
        "all results are the same": all(e["same"] for e in (*partial, *results["reruns"])),
    }
    return "\n\n".join((note, grid(head, rows, left=(0, 1, 2)), bars(met)))


if __name__ == "__main__":
    main()
