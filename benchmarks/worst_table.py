"""The table of the largest questions of deep traces, as Markdown."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from methods_table import WORDS, grid, lasted
from worst_form import Results, Worst

RESULTS = Path(__file__).parent / "results" / "worst.json"
MOST = 5.0
"""So many times a plain job a question may take."""


def read(path: Path = RESULTS) -> Results:
    """The results of the last run."""
    return cast(Results, json.loads(path.read_text(encoding="utf-8")))


def table(results: Results) -> str:
    """A row for each shape and direction, and what it stands on."""
    head = ("", "items", "levels", "sets", "triples read", "walk", "fetch", "recurse", "total",
            "plain job", "total / plain job")  # fmt: skip
    rows = [
        (f"{shape['shape']}, {WORDS[one['direction']]}", *_cells(one))
        for shape in results["shapes"]
        for one in shape["questions"]
    ]
    machine = results["machine"]
    kept = all(_times(one) <= MOST for shape in results["shapes"] for one in shape["questions"])
    note = (
        f"Medians of the {results['shapes'][0]['questions'][0]['asked']} largest answers, on"
        f" {machine['cores']} cores ({machine['cpu']}), load {results['load']} before, seed"
        f" {results['seed']}."
    )
    bar = f"- at most {MOST:g} times the plain job: {'yes' if kept else '**no**'}"
    return f"{grid(head, rows)}\n\n{note}\n\n{bar}"


def _cells(one: Worst) -> Iterator[str]:
    yield from (f"{one[name]:,.0f}" for name in ("items", "depth", "sets", "triples"))
    yield from (lasted(one["seconds"][step]) for step in ("walk", "fetch", "recurse", "total"))
    yield lasted(one["plain_seconds"])
    yield f"{_times(one):.2f}"


def _times(one: Worst) -> float:
    return one["seconds"]["total"] / one["plain_seconds"]
