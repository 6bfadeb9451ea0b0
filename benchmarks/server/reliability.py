"""Count the rounds that `make test-long` recorded, in `results/reliability.json` and a table.

In a round, a process is killed while a command runs, and the warehouse is checked afterwards.

python -m benchmarks.server.reliability [--rounds .long/rounds.jsonl]
"""

import argparse
import json
from pathlib import Path
from typing import TypedDict

from benchmarks import ROOT
from benchmarks.shared.markup import cores, grid
from benchmarks.shared.results_file import Record, ResultsFile, record


class Rounds(TypedDict):
    """The number of rounds of one kind, and how many made the new generation visible (``new``)."""

    rounds: int
    new: int


class Results(Record):
    """The number of rounds so far. A round is recorded only if every check after it passed."""

    points: dict[str, dict[str, Rounds]]
    """Kills at fault points, by the interrupted command and the killed process."""
    moments: dict[str, dict[str, Rounds]]
    """Kills at random moments, by the interrupted command and the killed process."""
    points_planned: int
    moments_planned: int


RESULTS = ResultsFile[Results]("reliability.json")
VICTIMS = ("command", "Neo4j", "Spark")
SHOWN = {
    "ingest merged": "ingest (which merges files)",
    "prune merged": "prune (after a merge of files)",
    "ingest anew": "ingest (Neo4j down)",
    "repair anew": "repair (Neo4j empty)",
}
"""Clearer names of rounds whose recorded name does not explain itself."""


def main() -> None:
    """Run from the command line: count the recorded rounds, and write the results."""
    from fire.rounds import kills, points

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=Path, default=ROOT / ".long" / "rounds.jsonl")
    lines = parser.parse_args().rounds.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    results: Results = {
        **record(),
        "points": {},
        "moments": {},
        "points_planned": len(points()),
        "moments_planned": len(kills()),
    }
    for row in rows:
        by = results["moments" if row["point"].startswith("seed ") else "points"]
        name = f"{row['change']}{' (own Spark)' if row['cold'] else ''}"
        none: Rounds = {"rounds": 0, "new": 0}
        cell = by.setdefault(name, {}).setdefault(row["victim"], none)
        cell["rounds"] += 1
        cell["new"] += row["new"]
    RESULTS.write(results)


def table(results: Results) -> str:
    """Return a table with a row for each interrupted command, and a note on the rounds so far."""
    head = ("interrupted", "at", *(f"{victim} killed" for victim in VICTIMS))
    rows = (
        (SHOWN.get(change, change), where, *(_cell(cells.get(victim)) for victim in VICTIMS))
        for where, by in (
            ("a fault point", results["points"]),
            ("a random moment", results["moments"]),
        )
        for change, cells in sorted(by.items())
    )
    return f"{grid(head, rows, left=(0, 1))}\n\n{_note(results)}"


def _cell(cell: Rounds | None) -> str:
    return f"{cell['rounds']} ({cell['new']} new)" if cell else ""


def _note(results: Results) -> str:
    points, moments = (_count(results[kind]) for kind in ("points", "moments"))
    return (
        f"Run by {results['date']}: {points} of {results['points_planned']} rounds at fault points,"
        f" {moments} of {results['moments_planned']} at random moments,"
        f" on {cores(results['machine'])}. A round counts if every check after it"
        ' passed; "new" counts rounds after which the new generation was visible.'
    )


def _count(by: dict[str, dict[str, Rounds]]) -> int:
    return sum(cell["rounds"] for cells in by.values() for cell in cells.values())


if __name__ == "__main__":
    main()
