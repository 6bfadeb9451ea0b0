"""The table that tells how near the estimates of `query/cost.py` come, as Markdown."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
from explain_form import Measured, Results

from provhouse.model.answer import Read
from provhouse.query import cost

RESULTS = Path(__file__).parent / "results" / "explain.json"
TIMES = 2.0
"""An estimate is near if neither it nor what was measured is more than so many times the other."""
NAMES = {"csprov": "CSProv", "rq": "RQ", "ccprov": "CCProv"}


def read(path: Path = RESULTS) -> Results:
    """The results of the last runs."""
    return cast(Results, json.loads(path.read_text(encoding="utf-8")))


def table(results: Results) -> str:
    """A row for each warehouse and method, and what it stands on."""
    head = ("warehouse", "method", "asked", "median time", "within 2 times", "estimate / time: "
            "p5", "p50", "p95")  # fmt: skip
    rows = [head, ("---", "---", *["---:"] * 6)]
    for name, one in results.items():
        for method, pairs in estimated(one).items():
            rows.append((name, NAMES[method], *_cells(pairs)))
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", *(_note(name, one) for name, one in results.items())])


def estimated(one: Measured) -> dict[str, list[tuple[float, float]]]:
    """Estimate and measured seconds of each question, by method."""
    pairs: dict[str, list[tuple[float, float]]] = {"csprov": [], "rq": [], "ccprov": []}
    for asked in one["by_sets"]:
        read = Read(asked["sets"], asked["partitions"], asked["triples"])
        pairs["csprov"].append((cost.csprov_seconds(read), asked["seconds"]))
    for row in one["by_levels"]:
        told = (
            cost.ccprov_seconds(one["warehouse"]["triples"], row["guessed"])
            if row["method"] == "ccprov"
            else cost.rq_seconds(row["guessed"])
        )
        pairs[row["method"]].append((told, row["seconds"]))
    return pairs


def near(pairs: list[tuple[float, float]]) -> float:
    """The share of estimates that are within ``TIMES`` of what was measured."""
    ratios = [told / took for told, took in pairs]
    return sum(1 / TIMES <= ratio <= TIMES for ratio in ratios) / len(ratios)


def _cells(pairs: list[tuple[float, float]]) -> Iterator[str]:
    told, took = np.array(pairs).T
    yield f"{len(pairs)}"
    yield f"{np.median(took) * 1000:,.0f} ms"
    yield f"{near(pairs):.0%}"
    yield from (f"{value:.2f}" for value in np.quantile(told / took, [0.05, 0.5, 0.95]))


def _note(name: str, one: Measured) -> str:
    machine, held = one["machine"], one["warehouse"]
    return (
        f"- {name}: {held['triples']:,} triples in {held['sets']:,} sets, seed {one['seed']}, on"
        f" {machine['cores']} cores ({machine['cpu']}), load before {one['load']}"
    )
