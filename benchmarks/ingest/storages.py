"""Measure one warehouse on S3 and on HDFS beside the same warehouse in a folder.

python -m benchmarks.ingest.storages [--items 200000] [--traces pipelines merkle]

Each command is a new process, as for a user: an ingest of one trace, then lineage and impact of
some of its items. The storages take turns, run on this machine, and all answers are compared. The
machine at an address keeps its working folder between commands. Results go to
`results/storages.json`.
"""

import argparse
import os
import random
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any, TypedDict
from unittest.mock import patch

import numpy as np

from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.measured_command import Command
from benchmarks.shared.results_file import ResultsFile, Run, mean_load, packages
from benchmarks.shared.results_file import run as recorded
from benchmarks.traces.shapes import SHAPES
from benchmarks.traces.trace_files import Trace, names, write
from helpers.hdfs import hdfs
from helpers.s3 import BUCKET, USER, s3
from provhouse.runtime.jars import cache_folder

TRACES = ("pipelines", "merkle", "cyclic", "zipf")
MOST = {"ingest": 1.5, "lineage": 2.0}
"""The targets, as multiples of the time in a local folder."""
ASKED = 3
"""The number of items about which each warehouse is asked."""
WAYS = ("lineage", "impact")


class StoredTrace(TypedDict):
    """One trace, and whether all answers were equal.

    ``storages`` has the seconds of an ingest and the medians of the questions, by storage.
    ``first`` is the first question of a machine that has no working folder.
    """

    triples: int
    storages: dict[str, dict[str, float]]
    equal: bool


class Results(Run):
    """The results of all traces."""

    traces: dict[str, StoredTrace]


RESULTS = ResultsFile[Results]("storages.json")


def table(results: Results) -> str:
    """Return a table of traces and storages, and the targets."""
    head = ("trace", "triples", "storage", "ingest, s", "lineage, s", "impact, s",
            "a new machine's first answer, s", "answers")  # fmt: skip
    rows = [
        (name, f"{trace['triples']:,}", kind, f"{found['ingest']:.1f}", f"{found['lineage']:.1f}",
         f"{found['impact']:.1f}", f"{found['first']:.1f}",
         "equal" if trace["equal"] else "**differ**")
        for name, trace in results["traces"].items()
        for kind, found in trace["storages"].items()
    ]  # fmt: skip
    note = f"Measured on {cores(results['machine'])}; system load before: {results['load']}."
    return "\n\n".join([note, grid(head, rows, left=(0, 2, 7)), bars(targets(results))])


def targets(results: Results) -> dict[str, bool]:
    """Return the targets with the measured values, and whether each was met."""
    met = {"all answers are equal": all(each["equal"] for each in results["traces"].values())}
    for kind in ("s3", "hdfs"):
        for what, most in MOST.items():
            found = geometric_mean(
                each["storages"][kind][what] / each["storages"]["local"][what]
                for each in results["traces"].values()
            )
            met[f"{what} on {kind}: at most {most} times local ({found:.2f})"] = found <= most
    return met


@dataclass(frozen=True)
class Place:
    """A storage, with the environment of the commands that use it."""

    kind: str
    address: str
    environment: dict[str, str]


@contextmanager
def places(folder: Path) -> Iterator[list[Place]]:
    """Run both servers, and yield all storages."""
    with ExitStack() as stack:
        user = {**USER, "AWS_ENDPOINT_URL": stack.enter_context(s3(folder / "s3"))}
        address = stack.enter_context(hdfs(folder / "hdfs"))
        yield [
            Place("local", str(folder / "houses"), {}),
            Place("s3", f"s3://{BUCKET}/houses", user),
            Place("hdfs", f"{address}/houses", {}),
        ]


@contextmanager
def machine(place: Place, cache: Path) -> Iterator[None]:
    """Make the commands of the block those of a machine with a cache of its own."""
    own = cache / "provhouse"
    own.mkdir(parents=True, exist_ok=True)
    for name in ("jars", "classes"):
        if not (own / name).exists():
            (own / name).symlink_to(cache_folder() / name)
    with patch.dict(os.environ, {**place.environment, "XDG_CACHE_HOME": str(cache)}):
        yield


def measure(name: str, items: int, running: list[Place], folder: Path) -> StoredTrace:
    """Ingest a trace into a warehouse in each storage, and ask all the same questions."""
    trace = SHAPES[name](items, 1)
    files = folder / name / "files"
    write(trace, files)
    asked = chosen(trace)
    answers, storages = dict[str, Any](), dict[str, dict[str, float]]()
    for place in running:
        command = Command(f"{place.address}/{name}")
        with machine(place, folder / name / place.kind):
            ingest = command.ingest(files)
            found = {way: [command.json(way, each) for each in asked] for way in WAYS}
        with machine(place, folder / name / f"{place.kind} again"):
            first = command.json("lineage", asked[0])
        answers[place.kind] = [
            {key: each[key] for key in ("items", "triples")} for way in WAYS for each in found[way]
        ]
        seconds = {way: median(each["wall_seconds"] for each in found[way]) for way in WAYS}
        whole = {"ingest": ingest["wall_seconds"], "first": first["wall_seconds"]}
        storages[place.kind] = {**whole, **seconds}
    equal = all(each == answers["local"] for each in answers.values())
    return {"triples": len(trace.src), "storages": storages, "equal": equal}


def chosen(trace: Trace) -> list[str]:
    """Return the names of some items that have both lineage and impact."""
    both = sorted(set(trace.src.tolist()) & set(trace.dst.tolist()))
    numbers = random.Random(1).sample(both, ASKED)
    found: list[str] = names(trace, 1, np.array(numbers, np.int32)).to_pylist()
    return found


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure warehouses on S3 and HDFS.")
    parser.add_argument("--items", type=int, default=200_000)
    parser.add_argument("--traces", nargs="+", choices=sorted(SHAPES), default=TRACES)
    given = parser.parse_args()
    load = mean_load()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as name:
        folder = Path(name)
        with places(folder) as running:
            traces = {each: measure(each, given.items, running, folder) for each in given.traces}
    results = recorded(load, packages("pyspark", "provhouse", "boto3"))
    RESULTS.write({**results, "traces": traces})
    print(table(RESULTS.read()))


if __name__ == "__main__":
    main()
