"""The table that tells what `enter.py` measured, as Markdown."""

import json
from pathlib import Path
from typing import cast

from enter_form import SERVED, Results

RESULTS = Path(__file__).parent / "results" / "enter.json"
WANTED = 0.3
"""Seconds from Enter to the end of a small answer."""


def read(path: Path = RESULTS) -> Results:
    """The results of the last run."""
    return cast(Results, json.loads(path.read_text(encoding="utf-8")))


def table(results: Results) -> str:
    """A row for each kind of command, and what it stands on."""
    machine = results["machine"]
    return "\n".join(
        [
            "| a command that asks for a small lineage | commands | p50 | p95 |",
            "| --- | ---: | ---: | ---: |",
            *(
                f"| {name} | {took['commands']} | {took['p50']:.2f} s | {took['p95']:.2f} s |"
                for name, took in results["took"].items()
            ),
            f"\n{results['triples']:,} triples, {machine['cores']} cores ({machine['cpu']}), load"
            f" before {results['load']}, seed {results['seed']}.\n",
            f"- a command with the server: at most {WANTED} s:"
            f" {'yes' if results['took'][SERVED]['p50'] <= WANTED else '**no**'}",
        ]
    )
