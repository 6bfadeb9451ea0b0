"""Copy the record of `make soak` to `results/soak.json`, and make a table of its figures.

python -m benchmarks.server.soak RECORD
"""

import argparse
import json
from pathlib import Path
from typing import TypedDict

from benchmarks.shared.markup import cores, grid
from benchmarks.shared.results_file import Record, ResultsFile, record


class Soaked(TypedDict):
    """The figures of `tests/fire/test_soak.py`: a server under load while commands write.

    Neo4j is killed several times.
    """

    minutes: float
    answers: int
    """The number of answers. Each was equal to the answer of networkx."""
    statuses: dict[str, int]
    commands: dict[str, int]
    """The number of commands that changed the warehouse, by name."""
    neo4j_killed: int
    p95_ms: dict[str, float]
    """The 95th percentile of answer times in the first and in the last tenth of the soak."""
    megabytes: list[int]
    """The memory of server, Spark and Neo4j together at the start, halfway and at the end."""
    files: list[int]
    """The number of open files at the start, halfway and at the end."""


class Results(Record):
    """The results of the last run of `make soak`."""

    soaked: Soaked


RESULTS = ResultsFile[Results]("soak.json")


def main() -> None:
    """Run from the command line: write the results from a record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", type=Path)
    soaked = json.loads(parser.parse_args().record.read_text(encoding="utf-8"))
    RESULTS.write({**record(), "soaked": soaked})


def table(results: Results) -> str:
    """Return a table with a row for each figure."""
    seen = results["soaked"]
    commands = ", ".join(f"{count} {name}" for name, count in sorted(seen["commands"].items()))
    first, last = seen["p95_ms"].values()
    rows = {
        "minutes": f"{seen['minutes']:g}",
        "answers, each compared with networkx": f"{seen['answers']:,}",
        "refused while Neo4j restarted (503)": f"{seen['statuses'].get('503', 0):,}",
        "commands that changed the warehouse": commands,
        "kills of Neo4j": f"{seen['neo4j_killed']}",
        "p95 of the first and of the last tenth": f"{first:,.0f} ms, {last:,.0f} ms",
        "memory at the start, halfway, at the end": _three(seen["megabytes"], " MB"),
        "open files at the start, halfway, at the end": _three(seen["files"]),
    }
    note = f"{results['date']}, on {cores(results['machine'])}, clients included."
    return f"{grid(('measured', ''), rows.items())}\n\n{note}"


def _three(numbers: list[int], unit: str = "") -> str:
    return ", ".join(f"{number:,}{unit}" for number in numbers)


if __name__ == "__main__":
    main()
