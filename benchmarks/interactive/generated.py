"""Count which generated SQL has lineage, by construct, for `docs/interactive-coverage.md`.

python -m benchmarks.interactive.generated [--texts 20000]

A text counts for each construct that it has. Outcomes are stored after each batch, so that a run
that was stopped continues where it was, unless the code has changed.
"""

import argparse
import re
from collections import Counter
from collections.abc import Mapping
from itertools import islice

from benchmarks.interactive.coverage import code
from benchmarks.shared import results as machine
from benchmarks.shared.markup import Row, cores, grid
from benchmarks.shared.results import Record, ResultsFile

FIRST = 1_000
"""The first seed; the tests of each change take earlier ones."""
PART = 500


class Counts(Record):
    """The outcomes of the texts so far: ``ran`` and ``refused`` by construct."""

    versions: dict[str, str]
    code: str
    texts: int
    outcomes: dict[str, int]
    ran: dict[str, int]
    refused: dict[str, int]
    reasons: dict[str, int]


RESULTS = ResultsFile[Counts]("interactive_generated.json")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Count which generated SQL has lineage.")
    parser.add_argument("--texts", type=int, default=20_000)
    given = parser.parse_args()
    counts = RESULTS.read(missing=empty())
    if counts["code"] != code():
        counts = empty()
    while counts["texts"] < given.texts:
        counts = more(counts)
        RESULTS.write(counts)
        print(counts["texts"], counts["outcomes"], flush=True)


def empty() -> Counts:
    """Return the counts of no text."""
    return {
        **machine.record(), "versions": machine.packages("duckdb", "sqlglot", "provhouse"),
        "code": code(), "texts": 0, "outcomes": {}, "ran": {}, "refused": {}, "reasons": {},
    }  # fmt: skip


def more(counts: Counts) -> Counts:
    """Return the counts with those of the next texts."""
    from helpers.adversarial.run import tried

    outcomes, reasons = Counter(counts["outcomes"]), Counter(counts["reasons"])
    ran, refused = Counter(counts["ran"]), Counter(counts["refused"])
    for each in islice(tried(FIRST + counts["texts"], PART), PART):
        kind = each.outcome.kind
        outcomes[kind] += 1
        outcomes["with rows"] += kind == "right" and each.outcome.rows > 0
        outcomes["undecided"] += bool(each.outcome.undecided)
        if kind == "wrong":
            print(f"seed {each.seed}: {each.outcome.why}\n    {each.sql}", flush=True)
        if kind != "invalid":
            ran.update(each.text.tags)
        if kind == "refused":
            refused.update(each.text.tags)
            reasons[re.sub("[0-9]+", "N", each.outcome.why.splitlines()[0])] += 1
    return {
        **counts, "texts": counts["texts"] + PART, "outcomes": dict(outcomes), "ran": dict(ran),
        "refused": dict(refused), "reasons": dict(reasons),
    }  # fmt: skip


def table(counts: Counts) -> str:
    """Return how many texts of each construct were refused, and how often for which reason."""
    outcomes: Mapping[str, int] = Counter(counts["outcomes"])
    ran = counts["texts"] - outcomes["invalid"]
    rows_of = f"{outcomes['with rows']:,} of those that are right have rows"
    note = (
        f"{counts['texts']:,} texts, of which DuckDB runs {ran:,}: {outcomes['right']:,} right, "
        f"{outcomes['wrong']:,} wrong, {outcomes['refused']:,} refused "
        f"({outcomes['refused'] / ran:.1%}). {rows_of}; of {outcomes['undecided']:,}, running them "
        f"again on the records cannot decide. "
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
    why = grid(("reason", "texts"), ((reason, f"{number:,}") for reason, number in reasons))
    return f"{note}\n\n{grid(('construct', 'texts', 'refused', 'share'), rows)}\n\n{why}"


if __name__ == "__main__":
    main()
