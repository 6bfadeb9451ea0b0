"""Compare the time to find the difference of two stored results with that of a full join.

`make bench-result-diff` runs it. Each result has 2 million records with a key, a text and a number,
stored as `executions add` stores them. The full join is plain SQL over the same files. Times are
processor seconds. Results go to `results/result_diff.json`.
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
from provhouse.store.warehouse.layout import Layout
from provhouse.workflows.record_diff import compare_records, counts, shape_of
from provhouse.workflows.result_files import ResultFile, result_path, store_result

RECORDS = 2_000_000
CHANGED = {8: 0.15, 290: 0.4, 29_910: 1.2}
"""The largest ratio to a full join's time that meets the target, by number of changed records."""
ROUNDS = 3
ROWS = """
    select i as id, 'name of ' || (i * 7919 % 100003) as name,
        (i * 31 % 1000)::double / 8 as amount, i % 17 as kind from range({records}) t(i)"""


class Difference(TypedDict):
    """The processor seconds for one pair of results, each the median of several rounds."""

    changed: int
    found: int
    ours: float
    join: float
    buckets: int
    unequal: int


class DiffRun(Run):
    """One run of the benchmark."""

    records: int
    stored: float
    """The processor seconds to store a result with its digests."""
    differences: list[Difference]


RESULTS = ResultsFile[DiffRun]("result_diff.json")


def tables(results: DiffRun) -> str:
    """Return the table of differences, and the targets."""
    rows = [
        (
            f"{each['changed']:,}",
            f"{each['unequal']:,} of {each['buckets']:,}",
            f"{1000 * each['ours']:.0f} ms",
            f"{1000 * each['join']:.0f} ms",
            f"{each['ours'] / each['join']:.2f}",
        )
        for each in results["differences"]
    ]
    listed = grid(("changed", "buckets that differ", "provhouse", "full join", "part"), rows)
    note = (
        f"The difference of two results of {results['records']:,} records, in processor time. "
        f"Storing a result takes {results['stored']:.1f} s."
    )
    return "\n\n".join((note, listed, bars(targets(results))))


def targets(results: DiffRun) -> dict[str, bool]:
    """Return each target, and whether it was met."""
    found = {}
    for each in results["differences"]:
        changed, bar = each["changed"], CHANGED[each["changed"]]
        met = each["ours"] <= bar * each["join"]
        found[f"{changed:,} changed: at most {bar} of a full join"] = met
    same = all(each["found"] == each["changed"] for each in results["differences"])
    return {**found, "the records that differ are found": same}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Time the difference of two stored results.")
    parser.add_argument("--records", type=int, default=RECORDS, help="the records of a result")
    records: int = parser.parse_args().records
    run = recorded(mean_load(), packages("duckdb", "provhouse"))
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as folder:
        stored, differences = measured(Path(folder), records)
    RESULTS.write({**run, "records": records, "stored": stored, "differences": differences})


def measured(folder: Path, records: int) -> tuple[float, list[Difference]]:
    """Return the time to store a result, and the times to find differences from it."""
    layout = Layout(folder / "warehouse")
    before, seconds = _stored(layout, folder, records, 0)
    found = []
    for changed in CHANGED:
        after, _ = _stored(layout, folder, records, changed)
        found.append(_compared(layout, (before, after), changed))
    return seconds, found


def _stored(layout: Layout, folder: Path, records: int, changed: int) -> tuple[ResultFile, float]:
    """Store a result in which ``changed`` evenly spread records have different amounts."""
    path = folder / f"{changed}.parquet"
    rows = ROWS.format(records=records)
    every = records // max(changed, 1)
    differ = f"id % {every} = {every // 2} and id // {every} < {changed}" if changed else "false"
    with duckdb.connect() as con:
        con.execute(
            f"copy (select * replace (case when {differ} then -1.0 else amount end as amount) "
            f"from ({rows})) to '{path}' (format parquet)"
        )
        names = [row[0] for row in con.execute(f"describe from '{path}'").fetchall()]
    begun = process_time()
    result = store_result(layout, [path], names, ("id",), {}, ordered=False)
    return result, process_time() - begun


def _compared(layout: Layout, results: tuple[ResultFile, ResultFile], changed: int) -> Difference:
    shape, opened = shape_of(*results), [0, 0]

    def ours(con: duckdb.DuckDBPyConnection) -> int:
        opened[:] = compare_records(con, layout, results, ("id",), shape)
        return sum(counts(con).values())

    def join(con: duckdb.DuckDBPyConnection) -> int:
        one, other = (f"'{result_path(layout, each.result)}'" for each in results)
        differ = " or ".join(f"a.{name} is distinct from b.{name}" for name in shape.columns)
        con.execute(
            f"create temp table differences as select a.*, b.* from {one} a full join {other} b "
            f"on a.id = b.id where {differ}"
        )
        ((found,),) = con.execute("select count(*) from differences").fetchall()
        return int(found)

    found, mine = _timed(ours)
    same, theirs = _timed(join)
    assert found == same
    buckets, unequal = opened
    return {
        "changed": changed, "found": found, "ours": mine, "join": theirs,
        "buckets": buckets, "unequal": unequal,
    }  # fmt: skip


def _timed(work: Callable[[duckdb.DuckDBPyConnection], int]) -> tuple[int, float]:
    """Return the result of a function, and the median of its processor seconds."""
    found, seconds = 0, []
    for _ in range(ROUNDS):
        with duckdb.connect() as con:
            begun = process_time()
            found = work(con)
            seconds.append(process_time() - begun)
    return found, median(seconds)


if __name__ == "__main__":
    main()
