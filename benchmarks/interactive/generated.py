"""Count the generated SQL queries that have lineage, for `docs/interactive-coverage.md`.

python -m benchmarks.interactive.generated [--texts 20000] [--processes 2]

The counts are by SQL construct, and a query counts for each construct that it contains. Outcomes
are stored after each part, so that a stopped run can be continued, unless the code has changed.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, TypedDict

from benchmarks.interactive.coverage import code
from benchmarks.shared import results_file as machine
from benchmarks.shared.markup import Row, cores, grid
from benchmarks.shared.results_file import Record, ResultsFile

if TYPE_CHECKING:
    from helpers.adversarial.run import Tried

FIRST = 1_000
"""The first seed. The tests that run for every change use smaller seeds."""
PART = 500
OFTEN = 3
"""A reason is listed if at least this many queries were refused for it."""


class Part(TypedDict):
    """Counts of queries: ``ran`` and ``refused`` by construct, and ``reasons`` of refusals."""

    outcomes: dict[str, int]
    ran: dict[str, int]
    refused: dict[str, int]
    reasons: dict[str, int]


class Counts(Record, Part):
    """The counts of all queries tried so far."""

    versions: dict[str, str]
    code: str
    texts: int


RESULTS = ResultsFile[Counts]("interactive_generated.json")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Count which generated SQL has lineage.")
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    counts = RESULTS.read(missing=empty())
    if counts["code"] != code():
        counts = empty()
    starts = range(FIRST + counts["texts"], FIRST + given.texts, PART)
    with ProcessPoolExecutor(given.processes) as pool:
        for part in pool.map(outcomes, starts):
            counts = added(counts, part)
            RESULTS.write(counts)
            print(counts["texts"], counts["outcomes"], flush=True)


def empty() -> Counts:
    """Return counts that are all empty."""
    return {
        **machine.record(), "versions": machine.packages("duckdb", "sqlglot", "provhouse"),
        "code": code(), "texts": 0, "outcomes": {}, "ran": {}, "refused": {}, "reasons": {},
    }  # fmt: skip


def outcomes(first: int) -> Part:
    """Try the queries of one part."""
    from helpers.adversarial.run import tried

    return counted(tried(first, PART, most=1))


def counted(texts: "Iterable[Tried]") -> Part:
    """Count the outcomes of queries, and print the queries that are wrong or too slow."""
    found, ran, refused, reasons = (Counter[str]() for _ in range(4))
    for each in texts:
        kind, why = each.outcome.kind, each.outcome.why
        found[kind] += 1
        found["with rows"] += kind == "right" and each.outcome.rows > 0
        found["undecided"] += bool(each.outcome.undecided)
        if kind in ("wrong", "slow"):
            print(f"{kind} {each.seed}: {why}\n    {each.sql}", flush=True)
        if kind != "invalid":
            ran.update(each.text.tags)
        if kind == "refused":
            refused.update(each.text.tags)
            reasons[re.sub("[0-9]+", "N", why.splitlines()[0])] += 1
    return {"outcomes": found, "ran": ran, "refused": refused, "reasons": reasons}


def added(counts: Counts, part: Part) -> Counts:
    """Return the sum of the counts and those of one more part."""
    return {
        **counts,
        "texts": counts["texts"] + PART,
        "outcomes": Counter(counts["outcomes"]) + Counter(part["outcomes"]),
        "ran": Counter(counts["ran"]) + Counter(part["ran"]),
        "refused": Counter(counts["refused"]) + Counter(part["refused"]),
        "reasons": Counter(counts["reasons"]) + Counter(part["reasons"]),
    }


def table(counts: Counts) -> str:
    """Return tables with the number of refused queries for each construct, and for each reason."""
    found: Mapping[str, int] = Counter(counts["outcomes"])
    ran = counts["texts"] - found["invalid"]
    rows_of = f"{found['with rows']:,} of the right ones return rows"
    note = (
        f"{counts['texts']:,} queries, of which DuckDB runs {ran:,}: {found['right']:,} right, "
        f"{found['wrong']:,} wrong, {found['slow']:,} too slow for the check, "
        f"{found['refused']:,} refused ({found['refused'] / ran:.1%}). "
        f"{rows_of}; for {found['undecided']:,}, running the query again on the records "
        f"cannot decide whether the lineage is right. "
        f"Run on {cores(counts['machine'])}."
    )
    refused = counts["refused"]
    by_share = sorted(
        counts["ran"], key=lambda tag: (-refused.get(tag, 0) / counts["ran"][tag], tag)
    )
    rows: list[Row] = [
        (tag, f"{counts['ran'][tag]:,}", f"{refused.get(tag, 0):,}",
         f"{refused.get(tag, 0) / counts['ran'][tag]:.0%}")
        for tag in by_share
    ]  # fmt: skip
    reasons = sorted(counts["reasons"].items(), key=lambda item: (-item[1], item[0]))
    often = [(reason, number) for reason, number in reasons if number >= OFTEN]
    others = sum(number for _, number in reasons[len(often) :])
    reasons = [*often, (f"reasons of fewer than {OFTEN} texts each", others)]
    why = grid(("reason", "texts"), ((reason, f"{number:,}") for reason, number in reasons))
    return f"{note}\n\n{grid(('construct', 'texts', 'refused', 'share'), rows)}\n\n{why}"


if __name__ == "__main__":
    main()
