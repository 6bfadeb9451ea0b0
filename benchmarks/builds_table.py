"""The table of what `builds.py` measured, as Markdown."""

import json
from pathlib import Path
from typing import cast

from builds_form import Phase, Results

RESULTS = Path(__file__).parent / "results" / "builds.json"
WANTED = 1.05
"""What the lower bound of every ratio must stay under."""


def read(path: Path = RESULTS) -> Results:
    """Return the results of the last run."""
    return cast(Results, json.loads(path.read_text(encoding="utf-8")))


def row(name: str, phase: Phase) -> str:
    """Return the row of one phase."""
    best = [f"{min(phase['before']):.1f} s", f"{min(phase['after']):.1f} s"]
    interval = f"{phase['low']:.2f} to {phase['high']:.2f}"
    return f"| {' | '.join([name, *best, format(phase['ratio'], '.2f'), interval])} |"


def table(results: Results) -> str:
    """Return a row for each phase, and what was compared."""
    machine, builds = results["machine"], results["builds"]
    rows = [row(name, phase) for name, phase in results["phases"].items()]
    pairs = len(next(iter(results["phases"].values()))["before"])
    slower = [name for name, phase in results["phases"].items() if phase["low"] >= WANTED]
    return "\n".join(
        [
            "| | best before | best after | after / before | 95% interval |",
            "| --- | ---: | ---: | ---: | ---: |",
            *rows,
            f"\nCommits {builds['before']} and {builds['after']}, {pairs} interleaved pairs, trace"
            f" `{results['trace']}`, {results['items']} items asked in each direction,"
            f" {machine['cores']} cores ({machine['cpu']}), load before {results['load']}.\n",
            f"- every lower bound under {WANTED}: {'**no**' if slower else 'yes'}",
        ]
    )
