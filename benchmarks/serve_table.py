"""The table of the server under load, as Markdown."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from serve_form import Phase, Results

RESULTS = Path(__file__).parent / "results" / "serve.json"


def read(path: Path = RESULTS) -> Results:
    """The results of the last run."""
    return cast(Results, json.loads(path.read_text(encoding="utf-8")))


def table(results: Results) -> str:
    """A row for each phase, then what answers took, and what it stands on."""
    head = ("load", "clients", "answers/s", "MB/s", "accepted", "server, cores", "clients, cores",
            "memory before, halfway, after")  # fmt: skip
    lines = [_row(head), _row(["---", *["---:"] * 7])]
    lines += [_row(_cells(phase)) for phase in results["phases"]]
    lines += ["", _row(("load", "class", "p50", "p95")), _row(("---", "---", "---:", "---:"))]
    lines += [_row(row) for phase in results["phases"] for row in _times(phase)]
    machine = results["machine"]
    note = (
        f"{results['triples']:,} triples, {machine['cores']} cores ({machine['cpu']}) for server,"
        f" Neo4j and clients together, load before {results['load']}, seed {results['seed']}. `up`"
        f" was ready to answer after {results['start_seconds']:.0f} s."
    )
    kept = (f"- {name}: {'yes' if holds else '**no**'}" for name, holds in bars(results).items())
    return "\n".join([*lines, "", note, "", *kept])


def bars(results: Results) -> dict[str, bool]:
    """What is wanted of the server, and whether it is so."""
    by_name = {phase["name"]: phase for phase in results["phases"]}
    mixed = by_name["mixed"]
    return {
        "cold, small: at least 15 answers/s": by_name["cold, small"]["answers_per_second"] >= 15,
        "hot, small: at least 500 answers/s": by_name["hot, small"]["answers_per_second"] >= 500,
        "mixed: at least 99% accepted": accepted(mixed) >= 0.99,
        "mixed: memory grows by less than a tenth in the second half": flat(mixed["megabytes"]),
        "`up` is ready to answer within 20 s": results["start_seconds"] < 20,
    }


def accepted(phase: Phase) -> float:
    """The share of requests that were answered."""
    return phase["statuses"].get("200", 0) / sum(phase["statuses"].values())


def flat(megabytes: list[int]) -> bool:
    """Whether the end of a phase holds little more than its middle, when caches are full."""
    return megabytes[-1] < 1.1 * megabytes[len(megabytes) // 2]


def _row(cells: "tuple[str, ...] | list[str] | Iterator[str]") -> str:
    return f"| {' | '.join(cells)} |"


def _cells(phase: Phase) -> Iterator[str]:
    yield f"{phase['name']}, {phase['seconds']:.0f} s"
    yield f"{phase['clients']}"
    yield f"{phase['answers_per_second']:,.0f}"
    yield f"{phase['megabytes_per_second']:.1f}"
    yield f"{accepted(phase):.1%}"
    yield f"{phase['server_cpu']:.2f}"
    yield f"{phase['client_cpu']:.2f}"
    sizes = phase["megabytes"]
    yield ", ".join(f"{size:,} MB" for size in (sizes[0], sizes[len(sizes) // 2], sizes[-1]))


def _times(phase: Phase) -> Iterator[tuple[str, ...]]:
    for kind, times in phase["milliseconds"].items():
        yield phase["name"], kind, f"{times['p50']:,.0f} ms", f"{times['p95']:,.0f} ms"
