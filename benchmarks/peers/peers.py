"""Compare provhouse with other programs that find lineage and impact: `make bench-peers`.

All contenders get the triples of the paper's trace and the same questions. The questions are about
random items of the paper's classes (`classes.py`). The contenders run in turn, each in a process of
its own (`peer_run.py`), and must find the same items. Results go to `results/peers.json`, by the
number of copies of the trace.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.ingest.ingest_form import Ingested
from benchmarks.peers.peers_form import (
    AnswerDigest,
    Compared,
    ContenderFigures,
    ContenderInput,
    ContenderRun,
    PeersClass,
)
from benchmarks.peers.peers_table import RESULTS
from benchmarks.peers.run import CONTENDERS
from benchmarks.questions.classes import KINDS, Kind, Questions, all_triples, by_component, drawn
from benchmarks.shared.command import Command
from benchmarks.shared.machine import mean_load, packages, run
from benchmarks.shared.results import Percentiles, Totals
from benchmarks.traces.paper_trace import paper
from benchmarks.traces.trace_files import write
from provhouse.model.errors import Damaged
from provhouse.model.settings import THETA, Settings
from provhouse.runtime.jar_lock import locked
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import current
from provhouse.store.warehouse.layout import Layout

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
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", nargs="+", choices=CONTENDERS, default=list(CONTENDERS))
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    load = mean_load()  # before the benchmark adds to it
    with TemporaryDirectory(prefix="provhouse-bench-") as temporary:
        folder = Path(temporary)
        warehouse, ingested = given.warehouse, None
        if warehouse is None:
            warehouse = folder / "warehouse"
            ingested = make_warehouse(warehouse, folder / "trace", given.copies)
        snapshot = open_snapshot(warehouse)
        questions = prepared(snapshot, {"warehouse": str(warehouse)}, folder, given.seed)
        runs = {name: started(name, folder) for name in given.only}
    results: Compared = {
        **run(load, {**packages(*PACKAGES), "neo4j": neo4j()}),
        "seed": given.seed,
        "limit": LIMIT,
        "warehouse": cast(Totals, asdict(snapshot.commit.totals)),
        "ingest": ingested,
        "classes": list(compared(questions, runs)),
        "contenders": {name: one and measured(one) for name, one in runs.items()},
    }
    RESULTS.write({**RESULTS.read(missing={}), str(given.copies): results}, given.out)


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

    provhouse may not fail: then CalledProcessError is raised instead.
    """
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.peers.run", name, str(folder)],
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
