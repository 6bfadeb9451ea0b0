"""Measure verdicts on pairs of queries that are known to be equal, or known to differ.

python -m benchmarks.equivalence.pairs [--suites tpch tpcds mutants hazards] [--most 2000]
    [--execute]

With --execute, each pair that is called equal is executed on random databases.
"""

import argparse
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from random import Random
from statistics import median, quantiles
from typing import NamedTuple, TypedDict

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer import optimize

from benchmarks.shared import results_file as machine
from benchmarks.shared.markup import Row, cores, grid
from benchmarks.shared.results_file import ResultsFile, Run
from provhouse.equivalence.verdict import Revision, compare

SEED = 2000
OFTEN = 5
"""The number of reasons that are listed for each suite."""


class Compared(NamedTuple):
    """Two queries, with their schemas."""

    name: str
    one: Revision
    other: Revision


class Verdicts(TypedDict):
    """The verdicts on the pairs of a suite."""

    pairs: int
    equal: int
    different: int
    unknown: int
    reasons: dict[str, int]
    """The number of unknown verdicts by their reasons."""
    median_ms: float
    p95_ms: float
    texts_equal: int
    """Pairs whose trees are equal by sqlglot, so that its diff is empty."""
    optimised_equal: int
    """Pairs that sqlglot's optimiser turns into one text."""
    executed: int
    """Pairs called equal that were executed on random databases."""
    refuted: list[str]
    """Those of them whose results differed."""
    few_rows: list[str]
    """Those of them of which too few databases gave rows, or which do not run there."""


class Suite(Run):
    """One run on a suite."""

    verdicts: Verdicts


Results = dict[str, Suite]
RESULTS = ResultsFile[Results]("equivalence_pairs.json")
NAMES = {
    "tpch": "TPC-H rewritten",
    "tpcds": "TPC-DS rewritten",
    "mutants": "mutants with a counterexample",
    "hazards": "hazards",
}
PUBLISHED = (
    ("SPES", "95 of 232", "pairs of Calcite's tests"),
    ("QED", "299 of 444", "pairs of Calcite's tests"),
    ("SQLSolver", "346 of 359", "pairs of Calcite's and Spark's tests"),
)
"""Pairs that other provers prove, by their own papers, on their own pairs."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure verdicts on pairs of queries.")
    parser.add_argument("--suites", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--most", type=int, default=2_000, help="the most pairs of a suite")
    parser.add_argument("--execute", action="store_true", help="execute pairs called equal")
    given = parser.parse_args()
    for name in given.suites:
        load = machine.mean_load()
        verdicts = measured(SUITES[name](given.most), given.execute)
        run = machine.run(load, machine.packages("duckdb", "sqlglot", "provhouse"))
        RESULTS.write({**RESULTS.read(missing={}), name: {**run, "verdicts": verdicts}})


def measured(pairs: Iterator[Compared], execute: bool) -> Verdicts:
    """Return the verdicts on pairs."""
    kinds, reasons, took = Counter[str](), Counter[str](), list[float]()
    texts = optimised = executed = 0
    refuted, few = list[str](), list[str]()
    for pair in pairs:
        began = _processor_time()
        found = compare(pair.one, pair.other)
        took.append(_processor_time() - began)
        kinds[found.kind] += 1
        if found.kind == "unknown":
            reasons[found.reason] += 1
        if execute and found.kind == "equal":
            executed += 1
            _execute(pair, refuted, few)
        trees = _tree(pair.one.text), _tree(pair.other.text)
        texts += trees[0] is not None and trees[0] == trees[1]
        made = _optimised(trees[0]), _optimised(trees[1])
        optimised += made[0] == made[1] != ""
        print(pair.name, found.kind, found.reason, f"{took[-1] * 1000:.0f} ms", flush=True)
    return {
        "pairs": len(took), "equal": kinds["equal"], "different": kinds["different"],
        "unknown": kinds["unknown"], "reasons": dict(reasons.most_common(OFTEN)),
        "median_ms": round(median(took) * 1000, 1),
        "p95_ms": round(quantiles(took, n=20)[-1] * 1000, 1),
        "texts_equal": texts, "optimised_equal": optimised,
        "executed": executed, "refuted": refuted, "few_rows": few,
    }  # fmt: skip


def _processor_time() -> float:
    """Return the processor time of this process and of the child processes that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _tree(text: str) -> exp.Expr | None:
    """Return the tree of a query, or None if sqlglot does not read it."""
    try:
        return parse_one(text, read="duckdb")
    except SqlglotError:
        return None


def _optimised(tree: exp.Expr | None) -> str:
    """Return a query as sqlglot's optimiser writes it without a schema; empty if it fails."""
    try:
        return optimize(tree, dialect="duckdb").sql("duckdb") if tree else ""
    except (SqlglotError, RecursionError):
        return ""


def _execute(pair: Compared, refuted: list[str], few: list[str]) -> None:
    from helpers.falsify import WITH_ROWS, tried
    from helpers.rewritten.schema import schema_of

    trial = tried(schema_of(pair.one.ddl), pair.one.text, pair.other.text)
    if trial.difference:
        refuted.append(pair.name)
    if trial.error or trial.with_rows < WITH_ROWS:
        few.append(pair.name)


def _tpch(most: int) -> Iterator[Compared]:
    from helpers.rewritten.pairs import PAIRS, tpch_pairs

    for pair in tpch_pairs(min(most, PAIRS)):
        ddl = pair.schema.ddl
        yield Compared(pair.name, Revision(pair.one, ddl), Revision(pair.other, ddl))


def _tpcds(most: int) -> Iterator[Compared]:
    import tpcds_data

    from helpers.rewritten.pairs import tpcds_pairs

    for pair in list(tpcds_pairs(tpcds_data.queries()))[:most]:
        ddl = pair.schema.ddl
        yield Compared(pair.name, Revision(pair.one, ddl), Revision(pair.other, ddl))


def _mutants(most: int) -> Iterator[Compared]:
    from helpers.mutants import found

    for each in found(Random(SEED), most):
        yield Compared(each.name, Revision(each.text, each.ddl), Revision(each.edited, each.ddl))


def _hazards(most: int) -> Iterator[Compared]:
    from helpers.hazards import DDL, HAZARDS, ddl_of_other

    for name, each in list(HAZARDS.items())[:most]:
        other = Revision(each.other, DDL + ddl_of_other(each))
        yield Compared(name, Revision(each.one, DDL + each.ddl), other)


SUITES: Mapping[str, Callable[[int], Iterator[Compared]]] = {
    "tpch": _tpch, "tpcds": _tpcds, "mutants": _mutants, "hazards": _hazards,
}  # fmt: skip


def table(results: Results) -> str:
    """Return the verdicts on each suite, why some are unknown, and what others published."""
    first = next(iter(results.values()))
    head = (
        "pairs of", "pairs", "equal", "different", "unknown", "CPU, median", "p95",
        "equal trees", "equal once optimised", "executed", "refuted",
    )  # fmt: skip
    rows = [_row(NAMES[name], suite["verdicts"]) for name, suite in results.items()]
    reasons: list[Row] = [
        (NAMES[name], reason, f"{count}")
        for name, suite in results.items()
        for reason, count in suite["verdicts"]["reasons"].items()
    ]
    few = [
        f"{NAMES[n]}: {', '.join(f)}"
        for n, s in results.items()
        if (f := s["verdicts"]["few_rows"])
    ]
    parts = [
        f"Processor times of this run: {cores(first['machine'])}. The columns *equal trees* and "
        "*equal once optimised* are those of sqlglot: its diff is empty, or its optimiser gives "
        "one text.",
        grid(head, rows),
        "Reasons of *unknown*:",
        grid(("pairs of", "reason", "pairs"), reasons, left=(0, 1)),
        "Published verdicts of other provers, on their own pairs:",
        grid(("prover", "proved", "of"), PUBLISHED, left=(0, 2)),
    ]
    if few:
        parts.append(f"Fewer than 20 random databases gave rows for: {'; '.join(few)}.")
    return "\n\n".join(parts)


def _row(name: str, found: Verdicts) -> Row:
    numbers = [found["pairs"], found["equal"], found["different"], found["unknown"]]
    contenders = [found["texts_equal"], found["optimised_equal"], found["executed"]]
    return (
        name, *(f"{each:,}" for each in numbers), f"{found['median_ms']:.0f} ms",
        f"{found['p95_ms']:.0f} ms", *(f"{each:,}" for each in contenders),
        f"{len(found['refuted']):,}",
    )  # fmt: skip


if __name__ == "__main__":
    main()
