"""Measure how long verdicts on the edits in a dbt project's history take, without a JVM.

    python -m benchmarks.equivalence.edits [--steps 200]

Each verdict compares the edited model with its version before the edit, and its processor time is
measured. The tables have the columns of the models and sources that either version reads. All
verdicts are computed in one process, as in a server or a notebook.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from statistics import median, quantiles
from typing import TYPE_CHECKING, TypedDict

import duckdb

from benchmarks.shared.markup import Row, bars, cores, grid
from benchmarks.shared.processor_time import processor_time
from benchmarks.shared.results_file import ResultsFile, Run, mean_load, packages, run
from provhouse.equivalence.verdict import ComparedQuery, compare

if TYPE_CHECKING:
    from helpers.edit_project import Model

BAR = 100
"""The target for the median verdict, in milliseconds of processor time."""


class Times(TypedDict):
    """Statistics of the milliseconds that verdicts took."""

    median: float
    p95: float


class Kind(TypedDict):
    """The verdicts on edits of one kind."""

    kind: str
    edits: int
    verdicts: dict[str, int]
    ms: Times


class Edits(Run):
    """One run of the benchmark."""

    first_ms: float
    """The time of the first verdict, which loads DuckDB."""
    kinds: list[Kind]
    ms: Times


RESULTS = ResultsFile[Edits]("verdicts_of_edits.json")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure verdicts on edits of a dbt project.")
    parser.add_argument("--steps", type=int, default=200, help="the number of edits")
    steps: int = parser.parse_args().steps
    machine = run(mean_load(), packages("duckdb", "z3-solver", "provhouse"))
    took, verdicts = measured(steps)
    everything = [each for listed in took.values() for each in listed]
    kinds = [_kind(kind, listed, verdicts[kind]) for kind, listed in took.items()]
    times = _times(everything)
    RESULTS.write({**machine, "first_ms": everything[0], "kinds": kinds, "ms": times})


def measured(steps: int) -> tuple[dict[str, list[float]], dict[str, Counter[str]]]:
    """Return, by kind of edit, the milliseconds of all verdicts, and the count of each verdict."""
    from helpers.edit_history import history

    took: dict[str, list[float]] = {}
    verdicts: dict[str, Counter[str]] = {}
    for step in history(steps=steps):
        one, other = (
            next(each for each in models if each.name == step.edited)
            for models in (step.before, step.after)
        )
        ddl = _tables(step.before, {*one.reads, *other.reads})
        began = processor_time()
        found = compare(ComparedQuery(one.sql(), ddl), ComparedQuery(other.sql(), ddl))
        took.setdefault(step.kind, []).append(round((processor_time() - began) * 1000, 1))
        verdicts.setdefault(step.kind, Counter())[found.kind] += 1
    return took, verdicts


def _tables(models: Sequence["Model"], read: set[str]) -> str:
    """Return DDL for the models and sources in ``read``, as tables with the same columns."""
    from helpers.edit_project import RAW

    with duckdb.connect(config={"threads": 1}) as con:
        con.execute(RAW)
        for each in models:
            con.execute(f"create table {each.name} as {each.sql()} with no data")
        listed = {table: con.execute(f"describe {table}").fetchall() for table in sorted(read)}
    columns = {
        table: ", ".join(f"{name} {type_}" for name, type_, *_ in described)
        for table, described in listed.items()
    }
    return "\n".join(f"create table {table}({made});" for table, made in columns.items())


def _kind(kind: str, took: Sequence[float], verdicts: Counter[str]) -> Kind:
    return {"kind": kind, "edits": len(took), "verdicts": dict(verdicts), "ms": _times(took)}


def _times(took: Sequence[float]) -> Times:
    return {"median": round(median(took), 1), "p95": round(quantiles(took, n=20)[-1], 1)}


def table(results: Edits) -> str:
    """Return the verdicts and their times by the kind of edit, and whether the target is met."""
    rows: list[Row] = [
        (
            each["kind"], f"{each['edits']}",
            ", ".join(f"{count} {kind}" for kind, count in each["verdicts"].items()),
            f"{each['ms']['median']:.0f} ms", f"{each['ms']['p95']:.0f} ms",
        )
        for each in results["kinds"]
    ]  # fmt: skip
    times = results["ms"]
    whole = (
        f"Processor time of a verdict: {times['median']:.0f} ms at the median, "
        f"{times['p95']:.0f} ms at the 95th percentile, {results['first_ms']:.0f} ms for the "
        f"first of a process; {cores(results['machine'])}."
    )
    head = ("kind of edit", "edits", "verdicts", "CPU, median", "p95")
    met = {f"a median of at most {BAR} ms": results["ms"]["median"] <= BAR}
    return "\n\n".join((whole, grid(head, rows, left=(0, 2)), bars(met)))


if __name__ == "__main__":
    main()
