"""Compare two builds of provhouse in interleaved pairs, on one trace: `make bench-builds`.

Each build ingests the trace into a new warehouse, starts its server, and answers questions for the
lineage and the impact of items drawn from the trace. The order of the builds alternates from pair
to pair, so that both suffer equally if the machine becomes slower. The answers of both builds must
be equal. The phases are the ingest, the lineages and the impacts. For each phase,
`results/builds.json` contains the seconds of each pair, and the mean ratio of the newer build's
time to the older build's, with a 95% interval by Student's t on the logarithms of the ratios.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results_file import ResultsFile, SeededRun, mean_load, packages
from benchmarks.shared.results_file import run as recorded


class Comparison(TypedDict):
    """One phase: the seconds of both builds in each pair, and their mean ratio.

    The ratio is the newer build's time (``after``) divided by the older build's (``before``).
    ``low`` and ``high`` are the bounds of its 95% interval.
    """

    before: list[float]
    after: list[float]
    ratio: float
    low: float
    high: float


class Results(SeededRun):
    """The results of one run of `builds.py`."""

    builds: dict[str, str]
    """The commits that were compared, by the names ``before`` and ``after``."""
    trace: str
    items: int
    phases: dict[str, Comparison]


RESULTS = ResultsFile[Results]("builds.json")
MOST = 1.05
"""The target: the lower bound of each ratio's interval is below this number."""


def row(name: str, phase: Comparison) -> tuple[str, ...]:
    """Return the table row of one phase."""
    best = [f"{min(phase['before']):.1f} s", f"{min(phase['after']):.1f} s"]
    interval = f"{phase['low']:.2f} to {phase['high']:.2f}"
    return name, *best, f"{phase['ratio']:.2f}", interval


def table(results: Results) -> str:
    """Return a table with a row for each phase, a note on what was compared, and the target."""
    builds = results["builds"]
    head = ("", "best before", "best after", "after / before", "95% interval")
    rows = (row(name, phase) for name, phase in results["phases"].items())
    pairs = len(next(iter(results["phases"].values()))["before"])
    slower = [name for name, phase in results["phases"].items() if phase["low"] >= MOST]
    note = (
        f"Commits {builds['before']} and {builds['after']}, {pairs} interleaved pairs, trace"
        f" `{results['trace']}`, {results['items']} items asked in each direction,"
        f" {cores(results['machine'])}, system load before the run: {results['load']}."
    )
    kept = bars({f"every lower bound under {MOST}": not slower})
    return f"{grid(head, rows)}\n\n{note}\n\n{kept}"


T95 = {3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
"""Student's t for a two-sided interval of 95%, by the number of pairs."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Compare two builds of provhouse.")
    parser.add_argument("--before", type=Path, required=True, help="`provhouse` of the older build")
    parser.add_argument("--after", type=Path, required=True, help="`provhouse` of the newer build")
    parser.add_argument("--trace", type=Path, required=True, help="a folder of CSV files")
    parser.add_argument("--pairs", type=int, choices=sorted(T95), default=5)
    parser.add_argument("--items", type=int, default=200, help="items asked in each direction")
    parser.add_argument("--seed", type=int, default=6)
    given = parser.parse_args()
    load = mean_load()
    items = draw(given.trace, given.items, given.seed)
    with tempfile.TemporaryDirectory() as folder:
        names = Path(folder) / "items.txt"
        names.write_text("\n".join(items) + "\n", encoding="utf-8")
        phases = measure(given.before, given.after, given.trace, names, given.pairs, Path(folder))
    results: Results = {
        **recorded(load, packages("pyspark")),
        "seed": given.seed,
        "builds": {
            name: commit(path) for name, path in (("before", given.before), ("after", given.after))
        },
        "trace": given.trace.name,
        "items": len(items),
        "phases": phases,
    }
    RESULTS.write(results)


def draw(trace: Path, count: int, seed: int) -> list[str]:
    """Draw ``count`` different random items of the trace that have a lineage, and return them."""
    only = pa.csv.ConvertOptions(include_columns=["dst"])
    files = sorted(trace.glob("*.csv"))
    columns = [pa.csv.read_csv(file, convert_options=only)["dst"] for file in files]
    names = pc.unique(pa.chunked_array([chunk for column in columns for chunk in column.chunks]))
    chosen = np.random.default_rng(seed).choice(len(names), count, replace=False)
    return sorted(names.take(pa.array(chosen)).to_pylist())


def commit(program: Path) -> str:
    """Return the commit of the working tree that contains this build."""
    shown = subprocess.run(
        ["git", "-C", program.parent, "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=True,
    )
    return shown.stdout.strip()


def measure(
    before: Path, after: Path, trace: Path, names: Path, pairs: int, folder: Path
) -> dict[str, Comparison]:
    """Run both builds ``pairs`` times in alternating order, and compare each phase."""
    seconds: dict[str, dict[Path, list[float]]] = {}
    for pair in range(pairs):
        answers = []
        for build in (before, after) if pair % 2 == 0 else (after, before):
            warehouse = folder / f"warehouse-{pair}-{build.stat().st_ino}"
            for phase, took, answer in run(build, warehouse, trace, names):
                seconds.setdefault(phase, {}).setdefault(build, []).append(took)
                answers.append((phase, answer))
                print(f"pair {pair + 1} {commit(build)} {phase}: {took:.2f} s", file=sys.stderr)
        half = len(answers) // 2
        if answers[:half] != answers[half:]:
            sys.exit("the two builds gave different answers")
    return {
        phase: compared(by_build[before], by_build[after]) for phase, by_build in seconds.items()
    }


def run(build: Path, warehouse: Path, trace: Path, names: Path) -> Iterator[tuple[str, float, Any]]:
    """Run one build on a new warehouse. Yield each phase with its seconds and its answers."""

    def command(*arguments: object) -> tuple[float, str]:
        begun = perf_counter()
        done = subprocess.run(
            [build, "--warehouse", warehouse, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=True,
        )
        return perf_counter() - begun, done.stdout

    took, text = command("ingest", trace, "--format", "json")
    stored = json.loads(text)
    yield "ingest", took, {name: stored[name] for name in ("triples", "items", "components")}
    command("up")
    try:
        for direction in ("lineage", "impact"):
            took, text = command(direction, "--items", names, "--summary", "--format", "json")
            yield direction, took, [stable(json.loads(line)) for line in text.splitlines()]
    finally:
        command("down")


def stable(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without its times and reads, which differ even between equal answers."""
    return {name: answer[name] for name in answer.keys() - {"seconds", "time", "read"}}


def compared(before: list[float], after: list[float]) -> Comparison:
    """Return the seconds of both builds, and their mean ratio with its 95% interval."""
    logs = [math.log(new / old) for old, new in zip(before, after, strict=True)]
    mean, half = statistics.mean(logs), T95[len(logs)] * statistics.stdev(logs) / len(logs) ** 0.5
    return {
        "before": [round(seconds, 3) for seconds in before],
        "after": [round(seconds, 3) for seconds in after],
        "ratio": round(math.exp(mean), 3),
        "low": round(math.exp(mean - half), 3),
        "high": round(math.exp(mean + half), 3),
    }


if __name__ == "__main__":
    main()
