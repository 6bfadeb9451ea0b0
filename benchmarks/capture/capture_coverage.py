"""Write the outcomes of captured queries in `make test-long` to `results/coverage.json`.

A query for which the run recorded nothing keeps its earlier outcome.
"""

import json
from collections import Counter
from typing import TypedDict

from benchmarks import ROOT
from benchmarks.shared.markup import Row, cores, grid, outcomes, total
from benchmarks.shared.results_file import Record, ResultsFile, packages, record


class Query(TypedDict, total=False):
    """One query. Its outcome is ``exact``, ``superset``, ``refused``, or ``untested`` (no rows)."""

    query: str
    outcome: str
    why: str
    """For ``superset``, the operators that cause it; for ``refused``, the reason."""
    absence: bool
    """Whether rows may also depend on the absence of other rows."""
    rows: int
    tried: int
    """The number of rows that could be computed again from their witnesses alone."""
    dropped: int
    """The number of witnesses that were left out to test whether they are needed.

    They were left out one at a time, and only of rows with few witnesses.
    """
    unneeded: int
    """How many of these witnesses were not needed: without them, the row was the same."""
    factor: str
    """The size of the tables, where a suite uses several sizes."""
    taps: int
    seconds: float


class Suite(Record):
    """The outcomes of all queries in the last run. A query with a wrong result is not recorded."""

    versions: dict[str, str]
    queries: list[Query]


Results = dict[str, Suite]
SUITES = ("tpch", "tpcds")
RESULTS = ResultsFile[Results]("coverage.json")
MEANING = {
    "exact": "exact",
    "superset": "superset",
    "refused": "refused before it ran",
    "untested": "untested: no rows",
}


def main() -> None:
    """Run from the command line: write the recorded outcomes as results."""
    results = RESULTS.read(missing={})
    for suite in SUITES:
        file = ROOT / ".long" / f"coverage-{suite}.jsonl"
        if file.exists():
            lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
            earlier = results[suite]["queries"] if suite in results else []
            latest: dict[str, Query] = {line["query"]: line for line in (*earlier, *lines)}
            results[suite] = {
                **record(),
                "versions": packages("provhouse", "pyspark"),
                "queries": sorted(latest.values(), key=number),
            }
    RESULTS.write(results)


def number(query: Query) -> tuple[int, str]:
    """Return the sort key of a query: the number in its name, and the name."""
    digits = "".join(filter(str.isdigit, query["query"]))
    return int(digits), query["query"]


def table(suite: Suite) -> str:
    """Return the counts of queries by outcome, and a table of those that are not just exact."""
    queries = suite["queries"]
    tried, dropped, same = (total(queries, name) for name in ("tried", "dropped", "unneeded"))
    note = (
        f"{outcomes(Counter(each['outcome'] for each in queries), MEANING)}. {tried:,} rows were"
        f" computed again from their witnesses alone. {dropped:,} witnesses were left out, one at a"
        f" time; in {same:,} of these cases, the row stayed the same. Measured"
        f" on {cores(suite['machine'])}."
    )
    rows = [_row(each) for each in queries if each["outcome"] != "exact" or each.get("absence")]
    return f"{note}\n\n{grid(('query', 'lineage', 'why'), rows, left=(0, 1, 2))}"


def _row(query: Query) -> Row:
    lineage = MEANING[query["outcome"]] + (", and absence" if query.get("absence") else "")
    return query["query"], lineage, query["why"]


if __name__ == "__main__":
    main()
