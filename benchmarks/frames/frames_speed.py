"""Measure the cost of lineage for operations of pandas and polars, against the plain libraries.

`make bench-frames` runs it. Runs with and without lineage alternate, so that both see the same
load; times are processor seconds. Results go to `results/frames.json`.
"""

import argparse
import gc
import warnings
from collections.abc import Callable
from functools import partial
from statistics import median
from time import process_time
from typing import Any, TypedDict

import numpy as np
import pandas as pd
import polars as pl

from benchmarks.shared.markup import duration, grid
from benchmarks.shared.results_file import ResultsFile, Run, mean_load, packages
from benchmarks.shared.results_file import run as recorded
from provhouse import pandas as tracked_pandas
from provhouse import polars as tracked_polars


class Timed(TypedDict):
    """The median processor seconds of one operation without and with lineage, and of questions."""

    library: str
    operation: str
    plain: float
    tracked: float
    first: float
    """The seconds of the first question for the records of a row."""
    second: float
    """The seconds of a second question, for the records of another row."""
    equal: bool
    """Whether the result was the same with and without lineage."""


class Content(Run):
    """The results of the last run."""

    rows: int
    repeats: int
    timed: list[Timed]


RESULTS = ResultsFile[Content]("frames.json")
Program = Callable[[Any, Any, Any], Any]
"""A function whose arguments are a library, a frame of many rows, and a frame of few rows."""


def _features(lib: Any, a: Any, b: Any) -> Any:
    a = a.merge(b, on="k")
    a = a[a["w"] > 0.1]
    a = a.assign(z=(a["v"] - a["v"].mean()) / a["v"].std(), c=a.groupby("g")["v"].cumsum())
    found = a.groupby("g", as_index=False).agg(z=("z", "max"), c=("c", "last"))
    return found.sort_values("z", kind="stable")


c = pl.col
PANDAS: dict[str, Program] = {
    "filter": lambda lib, a, b: a[a["v"] > 0.5],
    "assign": lambda lib, a, b: a.assign(z=a["v"] * 2 + a["k"]),
    "sort": lambda lib, a, b: a.sort_values("v"),
    "merge": lambda lib, a, b: a.merge(b, on="k"),
    "left merge": lambda lib, a, b: a.merge(b, on="k", how="left"),
    "groupby, rows / 10 groups": lambda lib, a, b: a.groupby("k").agg(v=("v", "sum")),
    "groupby, 100 groups": lambda lib, a, b: a.groupby("g").agg(v=("v", "sum")),
    "groupby of text": lambda lib, a, b: a.groupby("s").agg(v=("v", "sum")),
    "transform": lambda lib, a, b: a.assign(m=a.groupby("g")["v"].transform("mean")),
    "drop_duplicates": lambda lib, a, b: a.drop_duplicates("k"),
    "pivot_table": lambda lib, a, b: a.pivot_table(index="g", columns="s", values="v"),
    "rolling": lambda lib, a, b: a.assign(m=a["v"].rolling(7).mean()),
    "ffill": lambda lib, a, b: a.ffill(),
    "concat": lambda lib, a, b: lib.concat([a, a], ignore_index=True),
    "a program of 7 steps": _features,
}
POLARS: dict[str, Program] = {
    "filter": lambda lib, a, b: a.filter(c("v") > 0.5),
    "with_columns": lambda lib, a, b: a.with_columns(z=c("v") * 2 + c("k")),
    "sort": lambda lib, a, b: a.sort("v"),
    "join": lambda lib, a, b: a.join(b, on="k"),
    "group_by, rows / 10 groups": lambda lib, a, b: a.group_by("k").agg(c("v").sum()),
    "group_by, 100 groups": lambda lib, a, b: a.group_by("g").agg(c("v").sum()),
    "over": lambda lib, a, b: a.with_columns(m=c("v").mean().over("g")),
    "unique": lambda lib, a, b: a.unique("k", keep="first", maintain_order=True),
}


def frames(rows: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a frame of many rows and one of few rows, both with the key ``k``."""
    rng = np.random.default_rng(7)
    keys = max(1, rows // 10)
    values = rng.random(rows)
    values[rng.random(rows) < 0.01] = np.nan
    many = pd.DataFrame(
        {
            "k": rng.integers(0, keys, rows),
            "g": rng.integers(0, 100, rows),
            "v": values,
            "s": rng.choice(["north", "south", "east", "west"], rows),
        }
    )
    return many, pd.DataFrame({"k": np.arange(keys), "w": rng.random(keys)})


def measure(library: str, operation: str, rows: int, repeats: int) -> Timed:
    """Measure one operation."""
    many, few = frames(rows)
    program = (PANDAS if library == "pandas" else POLARS)[operation]
    plain: Any = pd if library == "pandas" else pl
    tracked: Any = tracked_pandas if library == "pandas" else tracked_polars
    given = (many, few) if library == "pandas" else (pl.from_pandas(many), pl.from_pandas(few))
    with_lineage = tracked.track(given[0], table="a"), tracked.track(given[1], table="b")
    took: dict[str, list[float]] = {"plain": [], "tracked": [], "first": [], "second": []}
    for _ in range(repeats + 1):
        seconds, expected = _timed(partial(program, plain, *given))
        took["plain"].append(seconds)
        seconds, found = _timed(partial(program, tracked, *with_lineage))
        took["tracked"].append(seconds)
        for name, row in (("first", len(found) // 2), ("second", len(found) // 3)):
            took[name].append(_timed(partial(found.backward, [row]))[0])
    medians = {name: median(each[1:]) for name, each in took.items()}  # the first warms up
    return {
        "library": library,
        "operation": operation,
        "plain": medians["plain"],
        "tracked": medians["tracked"],
        "first": medians["first"],
        "second": medians["second"],
        "equal": _equal(found, expected),
    }


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    gc.collect()
    began = process_time()
    found = call()
    return process_time() - began, found


def _equal(found: Any, expected: Any) -> bool:
    if isinstance(expected, pd.DataFrame):
        return bool(found.to_pandas().equals(expected))
    mine = found.to_polars()
    columns = mine.columns[:1] + mine.columns[-1:]
    return bool(mine.sort(columns)[columns[0]].equals(expected.sort(columns)[columns[0]]))


def table(results: Content) -> str:
    """Return the table of all operations."""
    head = ("", "operation", "plain", "with lineage", "ratio", "records of a row, first", "later")
    rows = [
        (
            each["library"],
            each["operation"],
            duration(each["plain"]),
            duration(each["tracked"]),
            f"{each['tracked'] / max(each['plain'], 1e-9):.2f}x",
            duration(each["first"]),
            duration(each["second"]),
        )
        for each in results["timed"]
    ]
    return grid(head, rows, left=(0, 1))


def main() -> None:
    """Measure all operations, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    load = mean_load()
    timed = [
        measure(library, operation, given.rows, given.repeats)
        for library, programs in (("pandas", PANDAS), ("polars", POLARS))
        for operation in programs
    ]
    versions = packages("pandas", "polars", "numpy")
    content: Content = {
        **recorded(load, versions),
        "rows": given.rows,
        "repeats": given.repeats,
        "timed": timed,
    }
    RESULTS.write(content)


if __name__ == "__main__":
    main()
