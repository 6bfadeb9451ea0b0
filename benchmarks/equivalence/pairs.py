"""Measure verdicts on pairs of queries that are known to be equal, or known to differ.

python -m benchmarks.equivalence.pairs [--suites tpch tpcds mutants hazards] [--most 2000]
    [--execute]

With --execute, the queries of each pair that is called equal are executed on random databases.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer import optimize

from benchmarks.equivalence import contenders, proofs
from benchmarks.shared import results_file as machine
from benchmarks.shared.markup import Row, cores, grid
from benchmarks.shared.processor_time import processor_time
from benchmarks.shared.results_file import ResultsFile, Run
from provhouse.equivalence.verdict import ComparedQuery, compare

if TYPE_CHECKING:
    from helpers.falsify import Trial

SEED, MUTANTS = 2000, 2_000
WITH_ROWS = 20
"""The least number of random databases on which a pair must give rows to count as executed."""
LISTED = 60
OFTEN = 5
"""The number of the most frequent reasons that are listed for each suite."""


class Compared(NamedTuple):
    """Two queries, with their schemas."""

    name: str
    one: ComparedQuery
    other: ComparedQuery


class Verdicts(TypedDict):
    """The verdicts on the pairs of a suite."""

    pairs: int
    equal: int
    different: int
    unknown: int
    reasons: dict[str, int]
    """The number of unknown verdicts for each reason."""
    median_ms: float
    p95_ms: float
    texts_equal: int
    """The number of pairs whose parse trees are equal in sqlglot, so that its diff is empty."""
    optimised_equal: int
    """The number of pairs whose queries sqlglot's optimiser rewrites to the same SQL."""
    executed: int
    """The number of pairs called equal that were executed on random databases."""
    refuted: list[str]
    """The executed pairs whose results differed."""
    few_rows: list[str]
    """The executed pairs that failed, or gave rows on too few databases."""
    undecided: list[str]
    """The first pairs whose verdict is unknown."""


class Outcome(TypedDict):
    """The verdict on one pair of a suite."""

    suite: str
    at: int
    pair: str
    kind: str
    reason: str
    ms: float
    trees: bool
    optimised: bool
    executed: bool
    refuted: bool
    few_rows: bool


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
OTHERS = (
    ("SPES", "95 of 232", "Calcite", "Zhou et al., VLDB 2022"),
    ("Spark's `sameResult`", "65 of 158", "Calcite, those that Spark accepts", "measured once"),
    ("QED", "299 of 444", "Calcite, more pairs", "Wang et al., VLDB 2024"),
    ("SQLSolver", "346 of 359", "Calcite and Spark", "Ding et al., SIGMOD 2023"),
    ("VeriEQL", "77% of 24,455", "Calcite, and exercises",
     "He et al., OOPSLA 2024; proved for tables up to a size, or refuted"),
)  # fmt: skip
"""The numbers of pairs that other provers prove, by their papers or by a measurement."""
RIVALS = (
    "Other programs, and rules of other programs, on the same pairs from Calcite's tests, and on "
    "the hazards, none of which is a pair of equal queries. dbt compares SQL texts, SQLMesh parsed "
    "SQL, and Texera operators with all their properties. Each of them builds again what it does "
    "not call equal. Many hazards consist of the same SQL text twice: its rows vary from run to "
    "run, or the tables differ. provhouse calls one hazard equal under an assumption, which its "
    "proof lists: that the product of two TINYINTs, which is an error if it is large, is no error."
)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure verdicts on pairs of queries.")
    parser.add_argument("--suites", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--most", type=int, default=2_000, help="the most pairs of a suite")
    parser.add_argument("--execute", action="store_true", help="execute pairs called equal")
    parser.add_argument("--parts", type=Path, help="a file from which an ended run is continued")
    given = parser.parse_args()
    for name in given.suites:
        load = machine.mean_load()
        outcomes = list(measured(name, given.most, given.execute, given.parts))
        run = machine.run(load, machine.packages("duckdb", "sqlglot", "provhouse"))
        suite: Suite = {**run, "verdicts": summed(outcomes)}
        RESULTS.write({**RESULTS.read(missing={}), name: suite})


def measured(suite: str, most: int, execute: bool, parts: Path | None) -> Iterator[Outcome]:
    """Yield the outcome of each pair of a suite, from an earlier run if it is there."""
    known = {(each["suite"], each["at"]): each for each in _stored(parts)}
    for at, pair in enumerate(SUITES[suite](most)):
        found = known.get((suite, at))
        if found is None:
            found = _outcome(suite, at, pair, execute)
            print(pair.name, found["kind"], found["reason"], f"{found['ms']:.0f} ms", flush=True)
            if parts:
                with parts.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(found) + "\n")
        yield found


def _stored(parts: Path | None) -> list[Outcome]:
    if parts is None or not parts.exists():
        return []
    return [json.loads(line) for line in parts.read_text(encoding="utf-8").splitlines()]


def _outcome(suite: str, at: int, pair: Compared, execute: bool) -> Outcome:
    began = processor_time()
    found = compare(pair.one, pair.other)
    took = (processor_time() - began) * 1000
    trees = _tree(pair.one.text), _tree(pair.other.text)
    made = _optimised(trees[0]), _optimised(trees[1])
    trial = _executed(pair) if execute and found.kind == "equal" else None
    return {
        "suite": suite, "at": at, "pair": pair.name, "kind": found.kind, "reason": found.reason,
        "ms": round(took, 1), "trees": trees[0] is not None and trees[0] == trees[1],
        "optimised": made[0] == made[1] != "", "executed": trial is not None,
        "refuted": bool(trial and trial.difference),
        "few_rows": bool(trial and (trial.error or trial.with_rows < WITH_ROWS)),
    }  # fmt: skip


def summed(outcomes: Sequence[Outcome]) -> Verdicts:
    """Return the verdicts on the pairs of a suite."""
    kinds = Counter(each["kind"] for each in outcomes)
    reasons = Counter(each["reason"] for each in outcomes if each["kind"] == "unknown")
    took = [each["ms"] for each in outcomes]
    return {
        "pairs": len(outcomes), "equal": kinds["equal"], "different": kinds["different"],
        "unknown": kinds["unknown"], "reasons": dict(reasons.most_common(OFTEN)),
        "median_ms": round(median(took), 1), "p95_ms": round(quantiles(took, n=20)[-1], 1),
        "texts_equal": sum(each["trees"] for each in outcomes),
        "optimised_equal": sum(each["optimised"] for each in outcomes),
        "executed": sum(each["executed"] for each in outcomes),
        "refuted": [each["pair"] for each in outcomes if each["refuted"]],
        "few_rows": [each["pair"] for each in outcomes if each["few_rows"]],
        "undecided": [each["pair"] for each in outcomes if each["kind"] == "unknown"][:LISTED],
    }  # fmt: skip


def _tree(text: str) -> exp.Expr | None:
    """Return the parse tree of a query, or None if sqlglot cannot parse it."""
    try:
        return parse_one(text, read="duckdb")
    except SqlglotError:
        return None


def _optimised(tree: exp.Expr | None) -> str:
    """Return a query as sqlglot's optimiser rewrites it without a schema; empty if it fails."""
    try:
        return optimize(tree, dialect="duckdb").sql("duckdb") if tree else ""
    except (SqlglotError, RecursionError):
        return ""


def _executed(pair: Compared) -> "Trial":
    from helpers.falsify import tried
    from helpers.rewritten.schema import schema_of

    return tried(schema_of(pair.one.ddl), pair.one.text, pair.other.text)


def _tpch(most: int) -> Iterator[Compared]:
    from helpers.rewritten.pairs import PAIRS, tpch_pairs

    for pair in tpch_pairs(min(most, PAIRS)):
        ddl = pair.schema.ddl
        yield Compared(pair.name, ComparedQuery(pair.one, ddl), ComparedQuery(pair.other, ddl))


def _tpcds(most: int) -> Iterator[Compared]:
    import tpcds_data

    from helpers.rewritten.pairs import tpcds_pairs

    for pair in islice(tpcds_pairs(tpcds_data.queries()), most):
        ddl = pair.schema.ddl
        yield Compared(pair.name, ComparedQuery(pair.one, ddl), ComparedQuery(pair.other, ddl))


def _mutants(most: int) -> Iterator[Compared]:
    from helpers.mutants import found

    for each in islice(found(Random(SEED), MUTANTS), most):
        yield Compared(
            each.name, ComparedQuery(each.text, each.ddl), ComparedQuery(each.edited, each.ddl)
        )


def _hazards(most: int) -> Iterator[Compared]:
    from helpers.hazards import DDL, HAZARDS, ddl_of_other

    for name, each in list(HAZARDS.items())[:most]:
        other = ComparedQuery(each.other, DDL + ddl_of_other(each))
        yield Compared(name, ComparedQuery(each.one, DDL + each.ddl), other)


SUITES: Mapping[str, Callable[[int], Iterator[Compared]]] = {
    "tpch": _tpch, "tpcds": _tpcds, "mutants": _mutants, "hazards": _hazards,
}  # fmt: skip


def table(results: Results) -> str:
    """Return tables of verdicts by suite, reasons for unknown ones, and published results."""
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
        "*equal once optimised* count the pairs that sqlglot finds equal: its diff is empty, or "
        "its optimiser rewrites both queries to the same SQL.",
        grid(head, rows),
        "Reasons for the verdict *unknown*:",
        grid(("pairs of", "reason", "pairs"), reasons, left=(0, 1)),
        "Proofs of equality by our prover and by others:",
        grid(("prover", "proved", "pairs of the tests of", "source"), _provers(), left=(0, 2, 3)),
        RIVALS,
        grid(
            ("contender", "called equal", "of them differ", "hazards called equal"), _contenders()
        ),
    ]
    if few:
        parts.append(f"Fewer than 20 random databases gave rows for: {'; '.join(few)}.")
    return "\n\n".join(parts)


def _provers() -> list[Row]:
    found = proofs.RESULTS.read()
    sound = found["pairs"] - len(found["ill_formed"]) - len(found["ties"])
    ours = f"{found['proved']} of {found['pairs']}"
    left = f"{sound} of them are queries without ties; {len(found['refuted'])} pairs differ"
    return [("provhouse", ours, "Calcite", left), *OTHERS]


def _contenders() -> list[Row]:
    found = proofs.RESULTS.read()
    hazards = RESULTS.read()["hazards"]["verdicts"]
    ours = f"{found['proved']} of {found['pairs']}"
    of_hazards = f"{hazards['equal']} of {hazards['pairs']}"
    return [("provhouse", ours, f"{len(found['wrong'])}", of_hazards), *contenders.rows()]


def _row(name: str, found: Verdicts) -> Row:
    numbers = [found["pairs"], found["equal"], found["different"], found["unknown"]]
    others = [found["texts_equal"], found["optimised_equal"], found["executed"]]
    return (
        name, *(f"{each:,}" for each in numbers), f"{found['median_ms']:.0f} ms",
        f"{found['p95_ms']:.0f} ms", *(f"{each:,}" for each in others),
        f"{len(found['refuted']):,}",
    )  # fmt: skip


if __name__ == "__main__":
    main()
