"""What an hour of mixed load showed, as Markdown."""

import json
from pathlib import Path
from typing import cast

from soak_form import Results

RESULTS = Path(__file__).parent / "results" / "soak.json"


def read(path: Path = RESULTS) -> Results:
    """The results of the last run."""
    return cast(Results, json.loads(path.read_text(encoding="utf-8")))


def table(results: Results) -> str:
    """A line for each thing that was counted or measured."""
    seen, machine = results["soaked"], results["machine"]
    commands = ", ".join(f"{count} {name}" for name, count in sorted(seen["commands"].items()))
    first, last = seen["p95_ms"].values()
    rows = {
        "minutes": f"{seen['minutes']:g}",
        "answers, each compared with networkx": f"{seen['answers']:,}",
        "refused while Neo4j restarted (503)": f"{seen['statuses'].get('503', 0):,}",
        "commands that changed the warehouse": commands,
        "kills of Neo4j": f"{seen['neo4j_killed']}",
        "p95 of the first and of the last tenth": f"{first:,.0f} ms, {last:,.0f} ms",
        "memory at the start, halfway, at the end": _thrice(seen["megabytes"], " MB"),
        "open files at the start, halfway, at the end": _thrice(seen["files"]),
    }
    lines = ["| measured | |", "| --- | ---: |", *(f"| {name} | {rows[name]} |" for name in rows)]
    note = f"{results['date']}, on {machine['cores']} cores ({machine['cpu']}), clients included."
    return "\n".join([*lines, "", note])


def _thrice(numbers: list[int], unit: str = "") -> str:
    return ", ".join(f"{number:,}{unit}" for number in numbers)
