"""The table that tells what was tried on which target, as Markdown."""

import json
from pathlib import Path
from typing import cast

from fuzz_form import Results, Target

RESULTS = Path(__file__).parent / "results" / "fuzz.json"

SHOWN = {"held": "accepted"}
"""Ends whose recorded name does not explain itself."""


def read(path: Path = RESULTS) -> Results:
    """The results of the last run."""
    return cast(Results, json.loads(path.read_text(encoding="utf-8")))


def table(results: Results) -> str:
    """A row for each target, and what they come to together."""
    rows = [
        ("target", "inputs", "s", "how they ended", "memory"),
        ("---", "---:", "---:", "---", "---:"),
        *map(_row, results["targets"]),
    ]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", _note(results)])


def _row(one: Target) -> tuple[str, ...]:
    ends = ", ".join(f"{SHOWN.get(end, end)}: {count:,}" for end, count in one["ends"].items())
    memory = f"+{one['grown_mib']} MiB"
    return one["target"], f"{one['inputs']:,}", f"{one['seconds']:.0f}", ends, memory


def _note(results: Results) -> str:
    inputs = sum(one["inputs"] for one in results["targets"])
    minutes = sum(one["seconds"] for one in results["targets"]) / 60
    machine = results["machine"]
    return (
        f"{inputs:,} inputs; the targets took {minutes:.0f} minutes in total and ran two at a time,"
        f" {results['date']}, on {machine['cores']} cores ({machine['cpu']}),"
        f" schemathesis {results['versions']['schemathesis']}."
    )
