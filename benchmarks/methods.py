"""RQ, CCProv and CSProv on the paper's trace, the paper's own comparison: `make bench-methods`.

Items of the paper's classes are drawn at random (`classes.py`), for lineage and for impact. All
methods are asked the same questions, warm, in one session, with partitions in memory and then on
disk, and their answers must be equal. CSProv is asked many more besides, cold (nothing stays
decoded) and hot. What was measured goes to `results/methods.json`, by number of copies.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import cast

import numpy as np
import pyarrow.compute as pc
from classes import KINDS, Kind, Questions, all_triples, drawn
from empty_jobs import EmptyJobs
from form import Totals
from machine import machine, packages
from methods_form import Answered, Class, Measured, On, Results, Run, Times
from peers import made, opened

from provhouse.cli.failures import guarded
from provhouse.cli.progress_display import progress_display
from provhouse.model.answer import Answer
from provhouse.model.arrays import ItemNumbers
from provhouse.model.errors import Damaged
from provhouse.model.progress import Progress
from provhouse.model.question import Method
from provhouse.model.settings import Settings
from provhouse.query.ask import Asker
from provhouse.store.tables.snapshot import Snapshot

RESULTS = Path(__file__).parent / "results" / "methods.json"
METHODS: tuple[Method, ...] = ("rq", "ccprov", "csprov")
BATCHED = next(kind for kind in KINDS if kind.name == "LC-SL")
STORAGES = {"RAM": "MEMORY_AND_DISK", "disk": "DISK_ONLY"}
MANY, WANTED, BATCH = 100, 10, 1_000
"""Items a class: for CSProv alone, for all methods, and in one batch."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure the three methods.")
    parser.add_argument("--warehouse", type=Path, help="of the paper's trace; else one is made")
    parser.add_argument("--copies", type=int, default=1, help="of the trace, in that warehouse")
    parser.add_argument("--storage", nargs="+", choices=STORAGES, default=list(STORAGES))
    parser.add_argument("--wanted", type=int, default=WANTED, help="items that all are asked for")
    parser.add_argument("--seed", type=int, default=4)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="provhouse-bench-") as temporary:
        warehouse = given.warehouse or Path(temporary) / "warehouse"
        if given.warehouse is None:
            made(warehouse, Path(temporary) / "trace", given.copies)
        settings = Settings.load({"warehouse": warehouse})
        sys.exit(guarded(lambda: write(settings, given), lambda: warehouse / "logs"))


def write(settings: Settings, given: argparse.Namespace) -> None:
    """Measure, and leave the results where `tables.py` finds them."""
    results: Results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    load = os.getloadavg()[0]  # before we make some ourselves
    snapshot = opened(settings.warehouse)
    questions = choose(snapshot, settings.theta, KINDS, MANY, given.seed)
    (batch,) = choose(snapshot, settings.theta, [BATCHED], BATCH, given.seed)
    on: On = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "seed": given.seed,
        "load": round(load, 2),
        "machine": machine(),
        "versions": packages("pyspark", "pyarrow", "numba", "provhouse"),
        "warehouse": cast(Totals, asdict(snapshot.commit.totals)),
    }
    runs = results.setdefault(str(given.copies), {})
    with progress_display() as progress:
        for name in given.storage:
            stored = replace(settings, spark_storage=STORAGES[name])
            runs[name] = run(stored, on, questions, batch, given.wanted, progress)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


class Asked:
    """The questions of one class, by name."""

    def __init__(self, snapshot: Snapshot, drawn: Questions, rng: np.random.Generator) -> None:
        self.kind, self.tried = drawn.kind, drawn.tried
        self.items: list[str] = snapshot.names.names(drawn.items).to_pylist()
        sets = snapshot.set_rows(drawn.items)
        others = snapshot.set_firsts[sets] + rng.integers(0, snapshot.set_items[sets])
        self.near: list[str] = snapshot.names.names(ItemNumbers(others)).to_pylist()
        """Any other item of the same set, for each."""


def choose(
    snapshot: Snapshot, theta: int, kinds: Sequence[Kind], wanted: int, seed: int
) -> list[Asked]:
    """Questions of each class that has any."""
    rng = np.random.default_rng(seed)
    found = drawn(snapshot, all_triples(snapshot), theta, kinds, wanted, seed)
    return [Asked(snapshot, one, rng) for one in found if len(one.items)]


def run(
    settings: Settings,
    on: On,
    questions: list[Asked],
    batch: Asked,
    wanted: int,
    progress: Progress,
) -> Run:
    """All classes with one storage: all methods and CSProv cold, then CSProv hot and a batch."""
    cold = replace(settings, hot_mb=0)
    with warmed(cold, progress) as asker:
        fills = fill(asker)
        empty = EmptyJobs(asker.spark.session.sparkContext, len(asker.snapshot.partitions))
        job = empty.by_width()
        times: list[float] = []
        classes = []
        for one in questions:
            times += [empty.seconds(1) for _ in range(20)]
            progress.begin(f"Measure {one.kind.name}, {one.kind.direction}")
            classes.append(measure(asker, one, wanted, job))
        empty.release()
    with warmed(settings, progress) as asker:
        for one, each in zip(questions, classes, strict=True):
            each["methods"] |= hot(asker, one)
    with warmed(settings, progress) as asker:
        took = timed(lambda: [asker.ask(item, "upstream", "csprov") for item in batch.items])
    return {
        "on": on,
        "fill_seconds": fills,
        "empty_job": spread(times),
        "classes": classes,
        "batch": {"items": len(batch.items), "seconds": took},
    }


@contextmanager
def warmed(settings: Settings, progress: Progress) -> Iterator[Asker]:
    """An asker with everything started."""
    with Asker(settings, progress) as asker:
        asker.warm()
        yield asker


def fill(asker: Asker) -> dict[str, float]:
    """Fill the cache of each method, and tell how long each took; CCProv filters those of RQ."""
    spark = asker.spark
    return {
        "csprov": timed(lambda: spark.partitions.warm(asker.snapshot.partitions)),
        "rq, ccprov upstream": timed(lambda: spark.hashed("upstream")),
        "rq, ccprov downstream": timed(lambda: spark.hashed("downstream")),
    }


def measure(asker: Asker, one: Asked, wanted: int, job: tuple[float, float]) -> Class:
    """One class: some items by all methods, then all by CSProv."""
    kind = one.kind
    same(asker, one.items[0], kind)  # whatever else a first time costs
    some = [same(asker, item, kind) for item in one.items[:wanted]]
    cold = [asker.ask(item, kind.direction, "csprov") for item in one.items]
    by_method: dict[str, Measured] = {
        method: measured([each[method] for each in some]) for method in METHODS
    }
    return {
        "name": kind.name,
        "direction": kind.direction,
        "large": kind.large,
        "least": kind.least,
        "most": kind.most,
        "tried": one.tried,
        "answer": answered(cold),
        "methods": {**by_method, "cold": measured(cold)},
        "rq_floor": round(float(np.mean([floor(each["rq"], *job) for each in some])), 5),
    }


def floor(answer: Answer, job: float, partition: float) -> float:
    """What the levels of an answer by RQ take if each is a job that does nothing."""
    levels = (pc.max(answer.items["depth"]).as_py() or 0) + 1  # the last finds no more
    return float(levels * job + answer.read.partitions * partition)


def hot(asker: Asker, one: Asked) -> dict[str, Measured]:
    """The same asked again, and something near it, while what was read stays decoded."""
    again, near = [], []
    for item, other in zip(one.items, one.near, strict=True):
        direction = one.kind.direction
        asker.ask(item, direction, "csprov")
        again.append(asker.ask(item, direction, "csprov"))
        near.append(asker.ask(other, direction, "csprov"))
    return {"again": measured(again), "near": measured(near)}


def same(asker: Asker, item: str, kind: Kind) -> dict[Method, Answer]:
    """The same question by each method; raises Damaged if their answers differ."""
    answers = {method: asker.ask(item, kind.direction, method) for method in METHODS}
    first = answers[METHODS[0]]
    fits = kind.least <= first.items.num_rows <= kind.most
    for method, answer in answers.items():
        equal = answer.items.equals(first.items) and answer.triples.equals(first.triples)
        if not (equal and fits):
            raise Damaged(
                f"{METHODS[0]} and {method} should give the same answer for {item}, of the class"
                f" {kind.name}",
                f"They find {first.items.num_rows:,} and {answer.items.num_rows:,} items"
                f" with {first.triples.num_rows:,} and {answer.triples.num_rows:,} triples",
                "Please report it",
            )
    return answers


def answered(answers: Sequence[Answer]) -> Answered:
    """How large the answers are."""
    return {
        "items": median(answer.items.num_rows for answer in answers),
        "triples": median(answer.triples.num_rows for answer in answers),
        "depth": median(pc.max(answer.items["depth"]).as_py() for answer in answers),
    }


def measured(answers: Sequence[Answer]) -> Measured:
    """What the answers of one method took."""
    return {
        "asked": len(answers),
        "seconds": spread([answer.seconds["total"] for answer in answers]),
        "sets": median(answer.read.sets for answer in answers),
        "partitions": median(answer.read.partitions for answer in answers),
        "triples": median(answer.read.triples for answer in answers),
    }


def spread(seconds: Sequence[float]) -> Times:
    """Mean and two percentiles."""
    mean = float(np.mean(seconds))
    p50, p95 = np.percentile(seconds, (50, 95)).tolist()
    return {"mean": round(mean, 5), "p50": round(p50, 5), "p95": round(p95, 5)}


def timed(work: Callable[[], object]) -> float:
    """How many seconds it takes."""
    began = perf_counter()
    work()
    return round(perf_counter() - began, 4)


if __name__ == "__main__":
    main()
