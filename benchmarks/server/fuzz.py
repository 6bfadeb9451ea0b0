"""Write the records of `make fuzz` to `results/fuzz.json`, and make the table of its results.

python -m benchmarks.server.fuzz RECORD
"""

import argparse
import json
from operator import itemgetter
from pathlib import Path
from typing import TypedDict

from benchmarks.shared.markup import cores, grid
from benchmarks.shared.results_file import Record, ResultsFile, packages, record


class Target(TypedDict):
    """The inputs to one target, which is a part of provhouse that `make fuzz` tests.

    A target is recorded only if none of its inputs found a defect.
    """

    target: str
    inputs: int
    seconds: float
    ends: dict[str, int]
    """The number of inputs, by outcome."""
    grown_mib: int
    """The growth of the tested process's peak memory, in MiB."""


class Results(Record):
    """The records of all targets from the last complete run of `make fuzz`."""

    versions: dict[str, str]
    targets: list[Target]


RESULTS = ResultsFile[Results]("fuzz.json")
SHOWN = {"held": "accepted"}
"""Words that the table shows for outcomes whose recorded names are not clear."""


def main() -> None:
    """Run from the command line: combine the records of all targets into the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", type=Path)
    lines = parser.parse_args().record.read_text(encoding="utf-8").splitlines()
    results: Results = {
        **record(),
        "versions": packages("provhouse", "schemathesis"),
        "targets": sorted(map(json.loads, lines), key=itemgetter("target")),
    }
    RESULTS.write(results)


def table(results: Results) -> str:
    """Return a table with a row for each target, and the totals."""
    head = ("target", "inputs", "s", "how they ended", "memory")
    return f"{grid(head, map(_row, results['targets']), left=(0, 3))}\n\n{_note(results)}"


def _row(one: Target) -> tuple[str, ...]:
    ends = ", ".join(f"{SHOWN.get(end, end)}: {count:,}" for end, count in one["ends"].items())
    memory = f"+{one['grown_mib']} MiB"
    return one["target"], f"{one['inputs']:,}", f"{one['seconds']:.0f}", ends, memory


def _note(results: Results) -> str:
    inputs = sum(one["inputs"] for one in results["targets"])
    minutes = sum(one["seconds"] for one in results["targets"]) / 60
    return (
        f"{inputs:,} inputs; the targets took {minutes:.0f} minutes in total and ran two at a time,"
        f" {results['date']}, on {cores(results['machine'])},"
        f" schemathesis {results['versions']['schemathesis']}."
    )


if __name__ == "__main__":
    main()
