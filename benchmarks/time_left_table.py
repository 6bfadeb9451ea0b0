"""The table that tells what `time_left.py` measured, as Markdown."""

import json
from pathlib import Path
from typing import cast

from time_left_form import Results, Step

RESULTS = Path(__file__).parent / "results" / "time_left.json"
WRONG = 0.3
"""By which part of a step its time may be wrong after its first quarter."""


def read(path: Path = RESULTS) -> Results:
    """The results of the last run."""
    return cast(Results, json.loads(path.read_text(encoding="utf-8")))


def table(results: Results) -> str:
    """Each step that takes long enough, and by how much its time was wrong."""
    head = "| step | it took | error (median) | largest error |\n| --- | ---: | ---: | ---: |"
    kept = all(step["most"] <= WRONG for step in results["steps"])
    return "\n".join(
        [
            f"{results['copies']} copies of the trace, ingested in {results['seconds']:,.0f} s:\n",
            head,
            *map(_row, results["steps"]),
            f"\n- after the first quarter of a step its forecast is right within {WRONG:.0%}:"
            f" {'yes' if kept else '**no**'}",
        ]
    )


def _row(step: Step) -> str:
    return (
        f"| {step['step']} | {step['seconds']:.1f} s | {step['median']:.0%} | {step['most']:.0%} |"
    )
