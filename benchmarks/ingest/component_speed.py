"""Compare how provhouse and other programs find components: `make bench-components`.

The programs, called contenders, get the paper's trace in three forms. In the first, items are
numbered in the order of the workflow. In the second, they are numbered at random, as in an ingest.
In the third, the edges are shuffled as well. With `--copies`, contenders also get several copies of
the trace. Contenders take turns, each time in a new process, and must find the same components.
Results go to `results/components.json`.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np

from benchmarks.ingest.component_contenders import (
    BYTES_AN_ITEM,
    CONTENDERS,
    OURS,
    SCIPY,
    ContenderTimes,
    Measurement,
    Results,
    Trial,
    times,
)
from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results_file import ResultsFile, Spread, mean_load, packages, run
from benchmarks.traces.paper_trace import paper
from provhouse.model.arrays import I32
from provhouse.model.errors import Damaged

RESULTS = ResultsFile[Results]("components.json")
HEAD = ("", "graph", "components", "together", "times provhouse", "bytes an item")
TRACES = {
    "base": "The paper's trace, numbered in the order of its workflow",
    "renumbered": "The same trace, items numbered at random, as in an ingest",
    "shuffled": "The same trace, edges in random order as well",
}


def tables(results: Results) -> str:
    """Return a note on the runs, a table for each trace, and the targets."""
    return "\n\n".join(
        [
            note(results),
            *(part for trace in results["traces"] for part in table(trace)),
            bars(results["bars"]),
        ]
    )


def note(results: Results) -> str:
    """Return a note on the runs and the machine."""
    names = {name for trace in results["traces"] for name in trace["contenders"]}
    used = [f"{name} {number}" for name, number in results["versions"].items() if name in names]
    return (
        f"Medians of {results['repetitions']} runs, with the slowest in brackets; measured on"
        f" {cores(results['machine'])}, seed {results['seed']}, with"
        f" {', '.join(used)}."
    )


def table(trace: Measurement) -> Iterator[str]:
    """Yield the title of one trace, and the table of its contenders, fastest first."""
    copies = f"{trace['trace'].removeprefix('x')} copies of the paper's trace"
    yield (
        f"**{TRACES.get(trace['trace'], copies)}**: {trace['items']:,} items, {trace['edges']:,}"
        f" edges, {trace['components']:,} components."
    )
    succeeded = {name: each for name, each in trace["contenders"].items() if each}
    order = sorted(succeeded, key=lambda name: succeeded[name]["total"]["median"])
    rows: list[tuple[str, ...]] = [
        (name, *cells(succeeded[name]), ratio(trace, name), size(succeeded[name])) for name in order
    ]
    rows += [(name, "failed", *[""] * 4) for name in trace["contenders"] if name not in succeeded]
    yield grid(HEAD, rows)


def cells(each: ContenderTimes) -> tuple[str, str, str]:
    """Return the table cells with the times of one contender."""
    build, solve, total = (each["build"], each["solve"], each["total"])
    return (
        f"{build['median']:.2f} s",
        f"{solve['median']:.2f} s",
        f"{total['median']:.2f} s ({total['max']:.2f})",
    )


def ratio(trace: Measurement, name: str) -> str:
    """Return a contender's time as a multiple of provhouse's, or "" for provhouse itself."""
    return "" if name == OURS else f"{times(trace, name):.1f}"


def size(each: ContenderTimes) -> str:
    """Return the table cell with a contender's memory in bytes per item."""
    return f"{each['bytes_an_item']:,.1f}"


SEED = 5
REPETITIONS = 3


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Compare programs that find components.")
    parser.add_argument("--copies", type=int, default=1, help="measure on this many copies too")
    copies: int = parser.parse_args().copies
    load = mean_load()
    measured = list(measure_all(copies))
    results: Results = {
        **run(load, packages("numba", "numpy", *CONTENDERS)),
        "seed": SEED,
        "repetitions": REPETITIONS,
        "bars": {name: kept for each in measured for name, kept in targets(each).items()},
        "traces": measured,
    }
    RESULTS.write(results)


def measure_all(copies: int) -> Iterator[Measurement]:
    """Measure one trace after the other, so that only one trace at a time is on disk."""
    trace = paper(SEED)
    items = len(trace.table)
    for name, (many, edges) in traces(items, trace.src, trace.dst, SEED, copies).items():
        with TemporaryDirectory() as folder:
            save(Path(folder), many * items, many * len(trace.src), edges())
            yield measure(name, Path(folder), many * items, many * len(trace.src))


Pairs = tuple[I32, I32]
Made = tuple[int, Callable[[], Iterable[Pairs]]]


def traces(items: int, src: I32, dst: I32, seed: int, copies: int) -> dict[str, Made]:
    """Return each trace by name: its number of copies, and a function that makes its edges."""
    rng = np.random.default_rng(seed)
    number, order = rng.permutation(items).astype(np.int32), rng.permutation(len(src))
    made: dict[str, Made] = {
        "base": (1, lambda: [(src, dst)]),
        "renumbered": (1, lambda: [(number[src], number[dst])]),
        "shuffled": (1, lambda: [(number[src[order]], number[dst[order]])]),
    }
    if copies > 1:
        firsts = range(0, copies * items, items)
        made[f"x{copies}"] = (copies, lambda: ((src + first, dst + first) for first in firsts))
    return made


def save(folder: Path, items: int, edges: int, parts: Iterable[Pairs]) -> None:
    """Write the number of items, and the edges, to files for `component_contenders.py`."""
    np.save(folder / "items.npy", items)
    ends = [
        np.lib.format.open_memmap(folder / f"{end}.npy", "w+", np.int32, (edges,))
        for end in ("src", "dst")
    ]
    at = 0
    for src, dst in parts:
        ends[0][at : at + len(src)], ends[1][at : at + len(src)] = src, dst
        at += len(src)
    for end in ends:
        end.flush()


def measure(trace: str, folder: Path, items: int, edges: int) -> Measurement:
    """Measure the contenders, which take turns. Raises Damaged if their answers differ."""
    runs: dict[str, list[Trial]] = {name: [] for name in CONTENDERS}
    failed: set[str] = set()
    for _ in range(REPETITIONS):
        for name in CONTENDERS:
            if name not in failed:
                one = start(name, folder)
                print(trace, name, one, file=sys.stderr, flush=True)
                runs[name] += [one] if one else []
                failed |= set() if one else {name}
    return {
        "trace": trace,
        "items": items,
        "edges": edges,
        "components": agreed(trace, [run for each in runs.values() for run in each]),
        "contenders": {
            name: None if name in failed else summary(each, items) for name, each in runs.items()
        },
    }


def start(name: str, folder: Path) -> Trial | None:
    """Run one contender, and return its measurements, or None if it failed.

    provhouse and scipy may not fail: then CalledProcessError is raised instead.
    """
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.ingest.component_contenders", name, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode and name in (OURS, SCIPY):
        done.check_returncode()
    return None if done.returncode else cast(Trial, json.loads(done.stdout.splitlines()[-1]))


def agreed(trace: str, runs: Sequence[Trial]) -> int:
    """Return the number of components. Raises Damaged if runs found different components."""
    found = {(run["partition"], run["components"]) for run in runs}
    if len(found) > 1:
        raise Damaged(
            f"The contenders do not find the same components of {trace}",
            f"They found {' and '.join(str(count) for _, count in sorted(found))} components",
            "Please report it",
        )
    return found.pop()[1]


def summary(runs: Sequence[Trial], items: int) -> ContenderTimes:
    """Return the medians and maxima of a contender's times, and its peak memory for each item."""
    return {
        "build": spread(run["build"] for run in runs),
        "solve": spread(run["solve"] for run in runs),
        "total": spread(run["build"] + run["solve"] for run in runs),
        "bytes_an_item": round(max(run["peak"] for run in runs) / items, 2),
    }


def spread(values: Iterable[float]) -> Spread:
    """Return the median and the largest value."""
    every = list(values)
    return {"median": round(median(every), 4), "max": round(max(every), 4)}


def targets(trace: Measurement) -> dict[str, bool]:
    """Return the targets for provhouse on one trace, and whether each was met."""
    mine = trace["contenders"].get(OURS)
    if mine is None:
        return {}
    named, others = trace["trace"], [name for name, each in trace["contenders"].items() if each]
    met = {
        f"{named}: at most {BYTES_AN_ITEM} bytes an item": mine["bytes_an_item"] <= BYTES_AN_ITEM,
        f"{named}: ahead of all": all(times(trace, name) > 1 for name in others if name != OURS),
    }
    if SCIPY in others:
        met[f"{named}: twice as fast as {SCIPY}"] = times(trace, SCIPY) >= 2
    return met


if __name__ == "__main__":
    main()
