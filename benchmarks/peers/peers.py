"""Compare provhouse with other programs that find lineage and impact: `make bench-peers`.

All contenders get the triples of the trace in the CSProv paper, and the same questions. The
questions are about random items of the paper's classes (`classes.py`). The contenders run one by
one, each in a process of its own (`peer_run.py`), and must find the same items. Results go to
`results/peers.json`, keyed by the number of copies of the trace.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.peers.peer import (
    AnswerDigest,
    Compared,
    ContenderFigures,
    ContenderInput,
    ContenderRun,
    PeersClass,
    Results,
)
from benchmarks.peers.peer_run import CONTENDERS
from benchmarks.questions.classes import KINDS, Kind, Questions, all_triples, by_component, drawn
from benchmarks.shared.markup import WORDS, Row, cores, grid
from benchmarks.shared.measured_command import Command, Ingested
from benchmarks.shared.results_file import (
    Percentiles,
    ResultsFile,
    Totals,
    mean_load,
    packages,
    run,
)
from benchmarks.traces.paper_trace import paper
from benchmarks.traces.trace_files import write
from provhouse.model.errors import Damaged
from provhouse.model.settings import THETA, Settings
from provhouse.runtime.jar_lock import locked
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import current
from provhouse.store.warehouse.layout import Layout

RESULTS = ResultsFile[Results]("peers.json")


def tables(results: Compared) -> str:
    """Return a note on the run, a list of the classes, and tables of costs and times."""
    succeeded = {name: each for name, each in results["contenders"].items() if each}
    failed = [f"{name}: failed." for name, each in results["contenders"].items() if not each]
    parts = [
        note(results),
        "\n".join(map(described, results["classes"])),
        grid(
            ("", "load", "memory", "disk"), (costs(name, each) for name, each in succeeded.items())
        ),
        *(timed(results, succeeded, direction) for direction in WORDS),
        *failed,
    ]
    return "\n\n".join(parts)


def note(results: Compared) -> str:
    """Return a note on the warehouse, the machine and the versions."""
    totals, ingest = results["warehouse"], results["ingest"]
    used = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    taken = (
        f" provhouse's own load, an ingest of CSV files with names, took"
        f" {ingest['wall_seconds']:.0f} s and {ingest['peak_memory_mb'] / 1000:.1f} GB."
        if ingest
        else ""
    )
    return (
        f"{totals['triples']:,} triples of {totals['items']:,} items on"
        f" {cores(results['machine'])}, system load before the run: {results['load']},"
        f" seed {results['seed']}, with {used}.{taken}"
    )


def described(one: PeersClass) -> str:
    """Return a list item that describes a class of questions."""
    where = "large components" if one["large"] else "small components"
    return (
        f"- {one['name']}, {WORDS[one['direction']]}: {one['asked']} asked, found among"
        f" {one['tried']:,} items of {where}; answers of {one['least']:,} to {one['most']:,} items,"
        f" median {one['items']:,.0f}."
    )


def costs(name: str, each: ContenderFigures) -> Row:
    """Return the table row with one contender's load time, memory and disk space."""
    seconds, memory, disk = each["load"], each["peak_memory_mb"], each["disk_bytes"]
    return name, f"{sum(seconds.values()):.1f} s", f"{memory:,} MB", f"{disk / 1e6:,.0f} MB"


def timed(results: Compared, succeeded: dict[str, ContenderFigures], direction: str) -> str:
    """Return a table of the times in one direction, with a column for each class."""
    places = [n for n, one in enumerate(results["classes"]) if one["direction"] == direction]
    late = f"over {results['limit']:g} s"

    def cells(each: ContenderFigures, which: Literal["seconds", "named"]) -> Iterator[str]:
        for place in places:
            found = each["took"][place][which]
            yield (
                f"{short_duration(found['p50'])} / {short_duration(found['p95'])}"
                if found
                else late
            )

    def rows() -> Iterator[Row]:
        for name, each in succeeded.items():
            yield name, *cells(each, "seconds")
            if any(each["took"][place]["named"] for place in places):
                yield f"{name}, with names and triples", *cells(each, "named")

    heads = (results["classes"][place]["name"] for place in places)
    return grid((f"{WORDS[direction].capitalize()}, p50 / p95", *heads), rows())


def short_duration(seconds: float) -> str:
    """Return a time with two significant digits."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{number(seconds * 1000)} ms"


def number(value: float) -> str:
    """Return a number with two significant digits, or a whole number if it is 10 or more."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


Shown = Callable[[Compared, ContenderFigures], str]


def sizes(results: Results) -> str:
    """Return a note on the sizes, and tables with a value for each number of copies in a cell.

    Returns an empty string if there is only one size.
    """
    if len(results) == 1:
        return ""
    runs = sorted(results.values(), key=lambda run: run["warehouse"]["triples"])
    parts = [
        size_note(runs),
        table(runs, "", {"load": cost(1), "memory": cost(2), "disk": cost(3)}),
    ]
    for direction, word in WORDS.items():
        names = [one["name"] for one in runs[0]["classes"] if one["direction"] == direction]
        columns = {name: typical(name, direction) for name in names}
        parts.append(table(runs, f"{word.capitalize()}, p50", columns))
    return "\n\n".join(parts)


def size_note(runs: Sequence[Compared]) -> str:
    """Return a sentence about the sizes and the machines."""
    sizes = " / ".join(f"{run['warehouse']['triples'] / 1e6:,.1f}M" for run in runs)
    machines = ", ".join(dict.fromkeys(cores(run["machine"]) for run in runs))
    return f"By size: each cell has the values for {sizes} triples, measured on {machines}."


def table(runs: Sequence[Compared], title: str, columns: dict[str, Shown]) -> str:
    """Return a table with a row for each contender that ran on several sizes."""
    contenders = dict.fromkeys(name for run in runs for name in run["contenders"])
    grown = [name for name in contenders if sum(map(bool, found(runs, name))) > 1]
    return grid((title, *columns), (row(runs, name, columns.values()) for name in grown))


def found(runs: Sequence[Compared], name: str) -> list[ContenderFigures | None]:
    """Return the figures of a contender by size."""
    return [run["contenders"].get(name) for run in runs]


def row(runs: Sequence[Compared], name: str, columns: Iterable[Shown]) -> Row:
    """Return the row of one contender."""
    found = [(run, run["contenders"].get(name)) for run in runs]
    cells = (
        " / ".join(of(run, each) if each else "not run" for run, each in found) for of in columns
    )
    return name, *cells


def cost(column: int) -> Shown:
    """Return a function that shows one of the costs: 1 is load, 2 is memory, 3 is disk."""
    return lambda _, each: costs("", each)[column]


def typical(name: str, direction: str) -> Shown:
    """Show the median time of a class of questions."""

    def shown(run: Compared, each: ContenderFigures) -> str:
        for one, took in zip(run["classes"], each["took"], strict=True):
            if (one["name"], one["direction"]) == (name, direction):
                seconds = took["seconds"]
                return short_duration(seconds["p50"]) if seconds else f"over {run['limit']:g} s"
        return "not run"

    return shown


OURS = ("provhouse, cold", "provhouse, hot")
PACKAGES = ("provhouse", "pyspark", "igraph", "ladybug", "duckdb")
SEED = 5
WANTED = 10
LIMIT = 60.0
"""The time limit for an answer, in seconds."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Compare lineage with other programs.")
    parser.add_argument(
        "--warehouse", type=Path, help="a warehouse with the paper's trace; default: a new one"
    )
    parser.add_argument(
        "--copies", type=int, default=1, help="copies of the trace in the warehouse"
    )
    given = parser.parse_args()
    load = mean_load()  # before the benchmark adds to it
    with TemporaryDirectory(prefix="provhouse-bench-") as temporary:
        folder = Path(temporary)
        warehouse, ingested = given.warehouse, None
        if warehouse is None:
            warehouse = folder / "warehouse"
            ingested = make_warehouse(warehouse, folder / "trace", given.copies)
        snapshot = open_snapshot(warehouse)
        questions = prepared(snapshot, {"warehouse": str(warehouse)}, folder, SEED)
        runs = {name: started(name, folder) for name in CONTENDERS}
    results: Compared = {
        **run(load, {**packages(*PACKAGES), "neo4j": neo4j()}),
        "seed": SEED,
        "limit": LIMIT,
        "warehouse": cast(Totals, asdict(snapshot.commit.totals)),
        "ingest": ingested,
        "classes": list(compared(questions, runs)),
        "contenders": {name: one and measured(one) for name, one in runs.items()},
    }
    RESULTS.write({**RESULTS.read(missing={}), str(given.copies): results})


def make_warehouse(warehouse: Path, files: Path, copies: int) -> Ingested:
    """Ingest copies of the paper's trace into a new warehouse, and return the ingest's figures."""
    write(paper(SEED), files, copies)
    return Command(warehouse).ingest(files)


def open_snapshot(warehouse: Path) -> Snapshot:
    """Return the current snapshot of a warehouse. Exit if the warehouse has none."""
    layout = Layout(warehouse.absolute())
    commit = current(layout)
    if commit is None:
        sys.exit(f"{warehouse} is not a warehouse: nothing was ingested into it")
    return Snapshot(layout, commit)


def prepared(
    snapshot: Snapshot,
    settings: dict[str, str],
    folder: Path,
    seed: int,
    kinds: Sequence[Kind] = KINDS,
    wanted: int = WANTED,
) -> list[Questions]:
    """Write the contenders' input, and return its questions by class, except empty classes."""
    triples = all_triples(snapshot)
    theta = Settings.load(settings).theta or THETA
    items = np.sort(by_component(snapshot, theta)[0])
    pq.write_table(pa.table({"id": items}), folder / "items.parquet")
    pq.write_table(triples, folder / "triples.parquet")
    asked = drawn(snapshot, triples, theta, kinds, wanted, seed)
    every = [one for one in asked if len(one.items)]
    given: ContenderInput = {
        "settings": settings,
        "limit": LIMIT,
        "questions": [
            {
                "direction": one.kind.direction,
                "items": one.items.tolist(),
                "names": snapshot.names.names(one.items).to_pylist(),
            }
            for one in every
        ],
    }
    (folder / "questions.json").write_text(json.dumps(given), encoding="utf-8")
    return every


def started(name: str, folder: Path) -> ContenderRun | None:
    """Run one contender, and return its figures, or None if it failed.

    If provhouse fails, raises CalledProcessError instead.
    """
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.peers.peer_run", name, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
    )
    print(name, done.stdout or "failed", file=sys.stderr, flush=True)
    if done.returncode and name in OURS:
        done.check_returncode()
    return None if done.returncode else cast(ContenderRun, json.loads(done.stdout.splitlines()[-1]))


def compared(
    questions: Sequence[Questions], runs: Mapping[str, ContenderRun | None]
) -> Iterator[PeersClass]:
    """Yield each class with the median number of items in its answers.

    Raises Damaged if contenders give different answers, or answers of a size outside the class.
    """
    for number, one in enumerate(questions):
        answers = [run["asked"][number]["answers"] for run in runs.values() if run]
        sizes = [agreed(one, given) for given in zip_longest(*answers)]
        yield {
            "name": one.kind.name,
            "direction": one.kind.direction,
            "large": one.kind.large,
            "least": one.kind.least,
            "most": one.kind.most,
            "tried": one.tried,
            "asked": len(one.items),
            "items": median(sizes),
        }


def agreed(questions: Questions, answers: Iterable[AnswerDigest | None]) -> int:
    """Return the number of items in the answer to one question.

    Raises Damaged if the contenders that answered in time gave different answers, or if the number
    is outside the class.
    """
    found = {(answer["digest"], answer["items"]) for answer in answers if answer}
    kind = questions.kind
    if len(found) != 1 or not kind.least <= min(found)[1] <= kind.most:
        raise Damaged(
            f"The contenders do not find the same {kind.least:,} to {kind.most:,} items for a"
            f" question of {kind.name}, {kind.direction}",
            f"They found {' and '.join(f'{items:,}' for _, items in sorted(found))} items",
            "Please report it",
        )
    return found.pop()[1]


def measured(run: ContenderRun) -> ContenderFigures:
    """Return the figures of one contender, class by class."""
    return {
        "load": run["load"],
        "peak_memory_mb": run["peak_memory_mb"],
        "disk_bytes": run["disk_bytes"],
        "took": [
            {
                "seconds": None if each["late"] else times(each["seconds"]),
                "named": times(each["named"]),
            }
            for each in run["asked"]
        ],
    }


def times(seconds: Sequence[float]) -> Percentiles | None:
    """Return the median and the 95th percentile, or None if there are no times.

    With ten questions, the 95th percentile is nearly the slowest time.
    """
    if not seconds:
        return None
    p50, p95 = np.percentile(seconds, (50, 95)).tolist()
    return {"p50": round(p50, 6), "p95": round(p95, 6)}


def neo4j() -> str:
    """Return the version of Neo4j's server, which is in the lock file of its jars."""
    (number,) = (
        jar.coordinate.rpartition(":")[2]
        for jar in locked("neo4j")
        if jar.coordinate.startswith("org.neo4j:neo4j:")
    )
    return number


if __name__ == "__main__":
    main()
