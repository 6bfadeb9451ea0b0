"""Write what `make test-long` found about captured queries to `results/coverage.json`.

python benchmarks/capture_coverage.py [--record .long/coverage.jsonl]
"""

import argparse
import json
from collections import Counter
from operator import itemgetter
from pathlib import Path
from typing import TypedDict

from form import Record, ResultsFile
from machine import packages, record
from markup import cores, grid

ROOT = Path(__file__).parent.parent


class Query(TypedDict, total=False):
    """One query: ``exact``, ``superset``, ``refused``, or ``untested`` if it has no rows."""

    query: str
    outcome: str
    why: str
    """The operators that make it a superset, or the refusal."""
    absence: bool
    """Whether rows may also depend on the absence of others."""
    rows: int
    tried: int
    """The number of rows whose witnesses were enough to compute them again."""
    taps: int
    seconds: float


class Results(Record):
    """The outcomes of all queries of the last run. A query with a wrong result is no outcome."""

    versions: dict[str, str]
    queries: list[Query]


RESULTS = ResultsFile[Results]("coverage.json")
MEANING = {
    "exact": "exact",
    "superset": "superset",
    "refused": "refused before it ran",
    "untested": "untested: no rows",
}


def main() -> None:
    """Run from the command line: write the recorded outcomes as results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", type=Path, default=ROOT / ".long" / "coverage.jsonl")
    lines = parser.parse_args().record.read_text(encoding="utf-8").splitlines()
    results: Results = {
        **record(),
        "versions": packages("provhouse", "pyspark"),
        "queries": sorted(map(json.loads, lines), key=itemgetter("query")),
    }
    RESULTS.write(results)


def table(results: Results) -> str:
    """Return a table with a row for each query, and how many have each outcome."""
    head = ("query", "lineage", "why", "rows", "rows tried", "operators with taps")
    queries = results["queries"]
    counts = Counter(each["outcome"] for each in queries)
    found = ", ".join(f"{counts[each]} {words}" for each, words in MEANING.items() if counts[each])
    note = f"{len(queries)} queries: {found}. Measured on {cores(results['machine'])}."
    return f"{note}\n\n{grid(head, map(_row, queries), left=(0, 1, 2))}"


def _row(query: Query) -> tuple[str, ...]:
    lineage = MEANING[query["outcome"]]
    if query.get("absence"):
        lineage += ", and absence"
    numbers = (str(query.get(name, "")) for name in ("rows", "tried", "taps"))
    return (query["query"], lineage, query["why"], *numbers)


if __name__ == "__main__":
    main()
