"""Ask other programs, or their rules implemented here, which of our pairs of queries are equal.

    python -m benchmarks.equivalence.contenders PAIRS SCHEMA [--provensql PYTHON]

PAIRS and SCHEMA are the same files as for ``proofs.py``. PYTHON is the interpreter of an
environment with provensql, which needs another version of DuckDB. Hazards are pairs whose results
differ on some data. Results go to `results/contenders.json`; their table is shown next to the table
of the provers.
"""

import argparse
import json
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict

from sqlglot import diff, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer import optimize

from benchmarks.equivalence import calcite_text, proofs
from benchmarks.shared.markup import Row
from benchmarks.shared.results_file import ResultsFile, Run, mean_load, packages
from benchmarks.shared.results_file import run as recorded
from provhouse.equivalence.empty_database import empty_database
from provhouse.equivalence.plan_json import to_json
from provhouse.model.errors import BadInput

PROVENSQL = """
import json, sys, provensql
for line in sys.stdin:
    try:
        print(provensql.compare(*json.loads(line)).type.value, flush=True)
    except Exception as error:
        print(type(error).__name__, flush=True)
"""


class Compared(NamedTuple):
    """Two SQL queries, each with the DDL of its tables."""

    name: str
    one: str
    other: str
    ddl: str
    ddl_of_other: str


class Called(TypedDict):
    """The numbers of pairs that a contender calls equal."""

    contender: str
    pairs: int
    differing: int
    """The number of pairs among ``pairs`` whose results differ on a random database."""
    hazards: int


class Contenders(Run):
    """One run of the benchmark."""

    pairs: int
    hazards: int
    called: list[Called]


RESULTS = ResultsFile[Contenders]("contenders.json")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Ask contenders which queries are equal.")
    parser.add_argument("pairs", type=Path)
    parser.add_argument("schema", type=Path)
    parser.add_argument("--provensql", help="the Python of an environment with provensql")
    given = parser.parse_args()
    load, ddl = mean_load(), calcite_text.ddl(given.schema)
    pairs = [Compared(*each, ddl, ddl) for each in _read(given.pairs)]
    hazards = [*_hazards()]
    differ = {each["pair"] for each in proofs.RESULTS.read()["refuted"]}
    called: list[Called] = []
    for name, equal in RULES.items():
        called.append(_called(name, [*map(equal, pairs)], pairs, [*map(equal, hazards)], differ))
    if given.provensql:
        found = [_provensql(given.provensql, each) for each in (pairs, hazards)]
        called.append(_called("provensql 0.2.0", found[0], pairs, found[1], differ))
    run = recorded(load, packages("duckdb", "sqlglot"))
    RESULTS.write({**run, "pairs": len(pairs), "hazards": len(hazards), "called": called})
    print("\n".join(" | ".join(row) for row in rows()))


def _read(path: Path) -> Iterator[tuple[str, str, str]]:
    for each in calcite_text.pairs(path):
        yield each.name, each.first, each.second


def _hazards() -> Iterator[Compared]:
    from helpers.hazards import DDL, HAZARDS, ddl_of_other

    for name, each in HAZARDS.items():
        yield Compared(name, each.one, each.other, DDL + each.ddl, DDL + ddl_of_other(each))


def _called(
    name: str,
    equal: Sequence[bool],
    pairs: Sequence[Compared],
    hazards: Sequence[bool],
    differ: set[str],
) -> Called:
    both = [pair.name for pair, each in zip(pairs, equal, strict=True) if each]
    differing = sum(each in differ for each in both)
    return {"contender": name, "pairs": len(both), "differing": differing, "hazards": sum(hazards)}


def _same_text(pair: Compared) -> bool:
    """Return whether dbt considers the model unmodified. It compares checksums of the SQL text."""
    return pair.one == pair.other


def _same_layout(pair: Compared) -> bool:
    """Return whether SQLMesh's fingerprints, computed from the parsed SQL, are equal."""
    try:
        one, other = (parse_one(text, read="duckdb") for text in (pair.one, pair.other))
        return one.sql("duckdb", comments=False) == other.sql("duckdb", comments=False)
    except SqlglotError:
        return False


def _same_operators(pair: Compared) -> bool:
    """Return whether Texera reuses a result: if all operators and their properties are the same."""
    try:
        with empty_database(pair.ddl) as one, empty_database(pair.ddl_of_other) as other:
            return to_json(one.plan(pair.one)) == to_json(other.plan(pair.other))
    except BadInput:
        return False


def _no_difference(pair: Compared) -> bool:
    """Return whether sqlglot's diff is empty."""
    try:
        one, other = (parse_one(text, read="duckdb") for text in (pair.one, pair.other))
        return not diff(one, other, delta_only=True)
    except SqlglotError:
        return False


def _one_optimised(pair: Compared) -> bool:
    """Return whether sqlglot's optimiser, given the schema, rewrites both to the same SQL."""
    try:
        return _optimised(pair.one, pair.ddl) == _optimised(pair.other, pair.ddl_of_other)
    except (SqlglotError, RecursionError):
        return False


def _optimised(text: str, ddl: str) -> str:
    with empty_database(ddl) as database:
        schema: dict[str, object] = {
            path[-1]: dict(columns) for path, columns in database.columns.items()
        }
    return optimize(parse_one(text, read="duckdb"), schema=schema, dialect="duckdb").sql("duckdb")


RULES: dict[str, Callable[[Compared], bool]] = {
    "dbt's rule": _same_text,
    "SQLMesh's rule": _same_layout,
    "Texera's rule": _same_operators,
    "sqlglot's diff": _no_difference,
    "sqlglot's optimiser": _one_optimised,
}


def _provensql(python: str, pairs: Sequence[Compared]) -> list[bool]:
    """Return which pairs provensql proves to be equal, given only their SQL."""
    lines = "\n".join(json.dumps([each.one, each.other]) for each in pairs)
    command = [python, "-c", PROVENSQL]
    said = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout
    verdicts = re.findall(r"^[A-Za-z_]+$", said, re.MULTILINE)
    assert len(verdicts) == len(pairs), said
    return [verdict == "EQUIVALENT" for verdict in verdicts]


def rows() -> list[Row]:
    """Return a row for each contender."""
    found = RESULTS.read()
    return [
        (each["contender"], f"{each['pairs']} of {found['pairs']}", f"{each['differing']}",
         f"{each['hazards']} of {found['hazards']}")
        for each in found["called"]
    ]  # fmt: skip


if __name__ == "__main__":
    main()
