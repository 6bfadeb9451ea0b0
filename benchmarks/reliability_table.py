"""The table that tells what was cut off how often, as Markdown."""

import json
from pathlib import Path
from typing import cast

from reliability_form import Results, Rounds

RESULTS = Path(__file__).parent / "results" / "reliability.json"
VICTIMS = ("command", "Neo4j", "Spark")
SHOWN = {"ingest anew": "ingest (Neo4j down)", "repair anew": "repair (Neo4j empty)"}
"""Rounds whose recorded name does not explain itself."""


def read(path: Path = RESULTS) -> Results:
    """The results of the last run."""
    return cast(Results, json.loads(path.read_text(encoding="utf-8")))


def table(results: Results) -> str:
    """A row for each command that was cut off, and how much of the plan was run."""
    head = ("interrupted", "at", *(f"{victim} killed" for victim in VICTIMS))
    rows = [head, ("---", "---", *["---:"] * len(VICTIMS))]
    for where, by in (
        ("a fault point", results["points"]),
        ("a random moment", results["moments"]),
    ):
        for change, cells in sorted(by.items()):
            rows.append(
                (
                    SHOWN.get(change, change),
                    where,
                    *(_cell(cells.get(victim)) for victim in VICTIMS),
                )
            )
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", _note(results)])


def _cell(cell: Rounds | None) -> str:
    return f"{cell['rounds']} ({cell['new']} new)" if cell else ""


def _note(results: Results) -> str:
    points, moments = (_count(results[kind]) for kind in ("points", "moments"))
    machine = results["machine"]
    return (
        f"Run by {results['date']}: {points} of {results['points_planned']} rounds at fault points,"
        f" {moments} of {results['moments_planned']} at random moments,"
        f" on {machine['cores']} cores ({machine['cpu']}). A round counts if every check after it"
        ' passed; "new" counts rounds after which the new generation was visible.'
    )


def _count(by: dict[str, dict[str, Rounds]]) -> int:
    return sum(cell["rounds"] for cells in by.values() for cell in cells.values())
