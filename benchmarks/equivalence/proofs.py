"""Measure the prover on pairs of queries that are equal according to an optimiser's tests.

    python -m benchmarks.equivalence.proofs PAIRS SCHEMA

PAIRS has one JSON object with ``id``, ``q1`` and ``q2`` on each line; SCHEMA has the columns and
constraints of the tables. Neither is a part of this repository: SPES publishes them under MIT.
Results are compared as bags of rows, and columns by position, since the two queries of a pair may
name columns differently and order rows differently. Each proof is executed on random databases. A
pair that provhouse refuses is left out only if Spark's analyser refuses it too, or finds that rows
may tie (``calcite_lists.py``).
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles
from time import process_time
from typing import Any, Literal, TypedDict, cast

import duckdb

from benchmarks.equivalence import calcite_lists
from benchmarks.equivalence.calcite_text import Pair, ddl, pairs
from benchmarks.shared.results_file import ResultsFile, Run, mean_load, packages, run
from provhouse.equivalence.empty_database import EmptyDatabase, empty_database
from provhouse.equivalence.plan_form import PlanForm, doubts
from provhouse.equivalence.proving.proof import schema_of
from provhouse.equivalence.proving.prover import attempt
from provhouse.equivalence.random_rows import RandomRows
from provhouse.model.errors import BadInput

SEED, DATABASES = 41, 100
LEAST = 20
"""The number of databases that must give rows for a proof to count as executed."""

LISTS = ("wrong", "seldom_rows", "never_rows", "refuted", "unproved", "ill_formed", "ties")


class Left(TypedDict):
    """A pair of queries in one of the lists of exceptions, with the reason."""

    pair: str
    reason: str


class Proofs(Run):
    """The results of the benchmark."""

    pairs: int
    proved: int
    executed: int
    wrong: list[Left]
    seldom_rows: list[str]
    """The proved pairs that gave rows in some databases, but too few to count as executed."""
    never_rows: list[str]
    """The proved pairs that did not give rows in any database."""
    refuted: list[Left]
    unproved: list[Left]
    ill_formed: list[Left]
    ties: list[Left]
    milliseconds: dict[str, float]
    steps: dict[str, int]


RESULTS = ResultsFile[Proofs]("proofs.json")


def main() -> None:
    """Run the benchmark and write its results."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("pairs", type=Path)
    given.add_argument("schema", type=Path)
    given.add_argument("--output", type=Path, help="another file for the results")
    found = given.parse_args()
    load = mean_load()
    results = _Measured(ddl(found.schema)).all(pairs(found.pairs))
    made = {**run(load, packages("duckdb", "z3-solver")), **results}
    RESULTS.write(cast(Proofs, made), found.output)


class _Measured:
    def __init__(self, tables: str) -> None:
        self._tables = tables
        self._left = calcite_lists.RESULTS.read()
        self._lists: dict[str, list[Any]] = {name: [] for name in LISTS}
        self._times: list[float] = []
        self._steps: list[int] = []
        self._proved = self._executed = 0

    def all(self, given: Sequence[Pair]) -> Any:
        for each in given:
            print(each.name, file=sys.stderr)
            self._one(each)
        times, steps = self._times, self._steps
        return {
            "pairs": len(given),
            "proved": self._proved,
            "executed": self._executed,
            **self._lists,
            "milliseconds": {"p50": round(median(times)), "p95": round(quantiles(times, n=20)[-1]),
                             "max": round(max(times))},
            "steps": {"p50": round(median(steps)), "max": max(steps)},
        }  # fmt: skip

    def _one(self, pair: Pair) -> None:
        with empty_database(used(self._tables, pair)) as database:
            try:
                plans = database.plan(pair.first), database.plan(pair.second)
            except BadInput as error:
                self._leave("ill_formed", pair, error.found)
                return
            if reasons := [each for plan in plans for each in doubts(plan)]:
                self._leave("ties", pair, reasons[0])
                return
            self._prove(pair, database, plans)

    def _prove(self, pair: Pair, database: EmptyDatabase, plans: tuple[PlanForm, PlanForm]) -> None:
        start = process_time()
        found = attempt(*plans, schema_of(database), ordered=False)
        self._times.append((process_time() - start) * 1000)
        self._steps.append(found.steps)
        differs, gave_rows = _executed(database, pair, plans)
        if found.proved:
            self._proved += 1
            self._executed += gave_rows >= LEAST
            if differs:
                self._list("wrong", pair, "a random database refutes the proof")
            if gave_rows < LEAST:
                self._lists["seldom_rows" if gave_rows else "never_rows"].append(pair.name)
        elif differs:
            self._list("refuted", pair, "the rows differ for a random database")
        else:
            self._list("unproved", pair, found.reason)

    def _leave(self, name: Literal["ill_formed", "ties"], pair: Pair, reason: str) -> None:
        """Leave a pair out if Spark's analyser confirms why; otherwise, it is not proved."""
        self._list(name if pair.name in self._left[name] else "unproved", pair, reason)

    def _list(self, name: str, pair: Pair, reason: str) -> None:
        self._lists[name].append({"pair": pair.name, "reason": reason})


def used(tables: str, pair: Pair) -> str:
    """Return the DDL of the tables in a pair, and of the tables that these reference."""
    lines = tables.splitlines()
    words = set(re.findall(r"\w+", f"{pair.first} {pair.second}".upper()))
    used = [each for each in lines if each.split()[2] in words]
    wanted = words | {name for each in used for name in re.findall(r"REFERENCES (\w+)", each)}
    return "\n".join(each for each in lines if each.split()[2] in wanted)


def _executed(
    database: EmptyDatabase, pair: Pair, plans: tuple[PlanForm, PlanForm]
) -> tuple[bool, int]:
    """Return whether the rows differ on any random database, and how many databases gave rows."""
    made = RandomRows(database, plans, SEED)
    gave_rows = 0
    for _ in range(DATABASES):
        made.fill()
        one, other = (_rows(database, text) for text in (pair.first, pair.second))
        if one is None or other is None:
            continue
        if one != other:
            return True, gave_rows
        gave_rows += bool(one)
    return False, gave_rows


def _rows(database: EmptyDatabase, text: str) -> Counter[Any] | None:
    try:
        return Counter(database.con.execute(text).fetchall())
    except duckdb.Error:
        return None


if __name__ == "__main__":
    main()
