"""Compare RQ, CCProv and CSProv on the paper's trace, as the paper does: `make bench-methods`.

Items of the paper's classes are drawn at random (`classes.py`), for lineage and impact. All methods
get the same questions in one warm session, and their answers must be equal. The session is repeated
with partitions on disk instead of in memory. CSProv alone gets many more questions: cold, where no
partition stays decoded between questions, and hot, where partitions stay decoded. Results go to
`results/methods.json`, keyed by the number of copies of the trace.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TypedDict, cast

import numpy as np
import pyarrow.compute as pc

from benchmarks.peers.peers import make_warehouse, open_snapshot
from benchmarks.questions.classes import KINDS, Kind, Questions, all_triples, drawn
from benchmarks.shared.results_file import (
    Percentiles,
    ResultsFile,
    SeededRun,
    Totals,
    mean_load,
    packages,
)
from benchmarks.shared.results_file import run as recorded
from benchmarks.shared.spark import EmptyJobs
from provhouse.cli.failures import guarded
from provhouse.cli.progress_display import progress_display
from provhouse.model.answer import Answer
from provhouse.model.arrays import ItemNumbers
from provhouse.model.errors import Damaged
from provhouse.model.progress import Progress
from provhouse.model.question import Method
from provhouse.model.settings import THETA, Settings
from provhouse.query.lineage.ask import Asker
from provhouse.store.tables.snapshot import Snapshot


class Seconds(Percentiles):
    """The mean and percentiles of several times, in seconds."""

    mean: float


class AnswerSizes(TypedDict):
    """The median sizes of a class's answers. ``depth`` is the depth of the farthest item."""

    items: float
    triples: float
    depth: float


class MethodTimes(TypedDict):
    """One method's times for ``asked`` questions of a class.

    ``sets``, ``partitions`` and ``triples`` are the median numbers of each that the method read.
    """

    asked: int
    seconds: Seconds
    sets: float
    partitions: float
    triples: float


class MeasuredClass(TypedDict):
    """A class of questions whose answers have ``least`` to ``most`` items.

    The asked items were found among ``tried`` random items. In ``methods``, the times of rq, ccprov
    and csprov are for the same items. Three more measurements are of csprov alone: ``cold`` for
    many more items, ``again`` for a repeated question, and ``near`` for another item of the same
    set. ``rq_floor`` is the mean seconds that RQ would take if the job of each level did nothing on
    the same number of partitions.
    """

    name: str
    direction: str
    large: bool
    least: int
    most: int
    tried: int
    answer: AnswerSizes
    methods: dict[str, MethodTimes]
    rq_floor: float


class Batch(TypedDict):
    """A batch of lineage questions of class LC-SL, asked one by one before any other question."""

    items: int
    seconds: float


class WarehouseMeasured(SeededRun):
    """The circumstances of one run: its date, machine and seed, and the size of the warehouse."""

    warehouse: Totals


class StorageRun(TypedDict):
    """The results of all classes, with partitions in one kind of storage.

    ``empty_job`` is the time of a Spark job that does nothing on one cached partition. It is
    measured before each class.
    """

    on: WarehouseMeasured
    fill_seconds: dict[str, float]
    empty_job: Seconds
    classes: list[MeasuredClass]
    batch: Batch


Results = dict[str, dict[str, StorageRun]]
"""The last benchmark run for each number of copies of the paper's trace and each storage."""
RESULTS = ResultsFile[Results]("methods.json")

METHODS: tuple[Method, ...] = ("rq", "ccprov", "csprov")
BATCHED = next(kind for kind in KINDS if kind.name == "LC-SL")
STORAGES = {"RAM": "MEMORY_AND_DISK", "disk": "DISK_ONLY"}
MANY, WANTED, BATCH, SEED = 100, 10, 1_000, 4
"""The numbers of items to ask about, and the seed for drawing them.

For each class, CSProv alone is asked about ``MANY`` items, and all methods are asked about
``WANTED`` items. The batch has ``BATCH`` items: CSProv answers its questions one by one, and only
the total is timed.
"""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Compare the three methods.")
    parser.add_argument(
        "--warehouse", type=Path, help="a warehouse with the paper's trace; default: a new one"
    )
    parser.add_argument(
        "--copies", type=int, default=1, help="copies of the trace in the warehouse"
    )
    given = parser.parse_args()
    with TemporaryDirectory(prefix="provhouse-bench-") as temporary:
        warehouse = given.warehouse or Path(temporary) / "warehouse"
        if given.warehouse is None:
            make_warehouse(warehouse, Path(temporary) / "trace", given.copies)
        settings = Settings.load({"warehouse": warehouse})
        sys.exit(guarded(lambda: write(settings, given.copies), lambda: warehouse / "logs"))


def write(settings: Settings, copies: int) -> None:
    """Measure the methods with partitions in memory and on disk, and write the results."""
    results = RESULTS.read(missing={})
    load = mean_load()  # before the benchmark adds to it
    snapshot = open_snapshot(settings.warehouse)
    questions = choose(snapshot, settings.theta or THETA, KINDS, MANY, SEED)
    (batch,) = choose(snapshot, settings.theta or THETA, [BATCHED], BATCH, SEED)
    on: WarehouseMeasured = {
        **recorded(load, packages("pyspark", "pyarrow", "numba", "provhouse")),
        "seed": SEED,
        "warehouse": cast(Totals, asdict(snapshot.commit.totals)),
    }
    runs = results.setdefault(str(copies), {})
    with progress_display() as progress:
        for name, storage in STORAGES.items():
            stored = replace(settings, spark_storage=storage)
            runs[name] = run(stored, on, questions, batch, progress)
    RESULTS.write(results)


class ClassQuestions:
    """The questions of one class: the names of the items to ask for."""

    def __init__(self, snapshot: Snapshot, drawn: Questions, rng: np.random.Generator) -> None:
        self.kind, self.tried = drawn.kind, drawn.tried
        self.items: list[str] = snapshot.names.names(drawn.items).to_pylist()
        sets = snapshot.set_rows(drawn.items)
        others = snapshot.set_firsts[sets] + rng.integers(0, snapshot.set_items[sets])
        self.near: list[str] = snapshot.names.names(ItemNumbers(others)).to_pylist()
        """For each item, the name of a random item of the same set."""


def choose(
    snapshot: Snapshot, theta: int, kinds: Sequence[Kind], wanted: int, seed: int
) -> list[ClassQuestions]:
    """Draw questions for each class. Classes that no item fits are left out."""
    rng = np.random.default_rng(seed)
    found = drawn(snapshot, all_triples(snapshot), theta, kinds, wanted, seed)
    return [ClassQuestions(snapshot, one, rng) for one in found if len(one.items)]


def run(
    settings: Settings,
    on: WarehouseMeasured,
    questions: list[ClassQuestions],
    batch: ClassQuestions,
    progress: Progress,
) -> StorageRun:
    """Measure all methods cold, then CSProv hot, then a batch.

    ``settings`` decide whether partitions are in memory or on disk.
    """
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
            classes.append(measure(asker, one, job))
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
    """Open an asker, and start its Spark and Neo4j before any question."""
    with Asker(settings, progress) as asker:
        asker.warm()
        yield asker


def fill(asker: Asker) -> dict[str, float]:
    """Fill the caches of all methods, and return how many seconds each cache took.

    RQ and CCProv use the same caches.
    """
    spark = asker.spark
    return {
        "csprov": timed(lambda: spark.partitions.warm(asker.snapshot.partitions)),
        "rq, ccprov upstream": timed(lambda: spark.hashed("upstream")),
        "rq, ccprov downstream": timed(lambda: spark.hashed("downstream")),
    }


def measure(asker: Asker, one: ClassQuestions, job: tuple[float, float]) -> MeasuredClass:
    """Measure one class: ask all methods for some of its items, then CSProv for all items."""
    kind = one.kind
    ask_all(asker, one.items[0], kind)  # a first question may have other costs
    some = [ask_all(asker, item, kind) for item in one.items[:WANTED]]
    cold = [asker.ask(item, kind.direction, "csprov") for item in one.items]
    by_method: dict[str, MethodTimes] = {
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
    """Return the seconds that RQ would take for an answer if each level's job did nothing."""
    levels = (pc.max(answer.items["depth"]).as_py() or 0) + 1  # the last level finds nothing
    return float(levels * job + answer.read.partitions * partition)


def hot(asker: Asker, one: ClassQuestions) -> dict[str, MethodTimes]:
    """Time CSProv while partitions stay decoded.

    Each question is first asked without timing. Then two questions are timed: the same question,
    and a question about another item of the same set.
    """
    again, near = [], []
    for item, other in zip(one.items, one.near, strict=True):
        direction = one.kind.direction
        asker.ask(item, direction, "csprov")
        again.append(asker.ask(item, direction, "csprov"))
        near.append(asker.ask(other, direction, "csprov"))
    return {"again": measured(again), "near": measured(near)}


def ask_all(asker: Asker, item: str, kind: Kind) -> dict[Method, Answer]:
    """Ask all methods the same question.

    Raises Damaged if their answers differ, or if an answer is not of the class ``kind``.
    """
    answers = {method: asker.ask(item, kind.direction, method) for method in METHODS}
    first = answers[METHODS[0]]
    fits = kind.least <= first.items.num_rows <= kind.most
    for method, answer in answers.items():
        equal = answer.items.equals(first.items) and answer.triples.equals(first.triples)
        if not (equal and fits):
            raise Damaged(
                f"{METHODS[0]} and {method} give different answers for {item}, or answers that do"
                f" not fit the class {kind.name}",
                f"They find {first.items.num_rows:,} and {answer.items.num_rows:,} items"
                f" with {first.triples.num_rows:,} and {answer.triples.num_rows:,} triples",
                "Please report it",
            )
    return answers


def answered(answers: Sequence[Answer]) -> AnswerSizes:
    """Return the median sizes of the answers."""
    return {
        "items": median(answer.items.num_rows for answer in answers),
        "triples": median(answer.triples.num_rows for answer in answers),
        "depth": median(pc.max(answer.items["depth"]).as_py() for answer in answers),
    }


def measured(answers: Sequence[Answer]) -> MethodTimes:
    """Return the times of one method's answers, and the median amounts that the method read."""
    return {
        "asked": len(answers),
        "seconds": spread([answer.seconds["total"] for answer in answers]),
        "sets": median(answer.read.sets for answer in answers),
        "partitions": median(answer.read.partitions for answer in answers),
        "triples": median(answer.read.triples for answer in answers),
    }


def spread(seconds: Sequence[float]) -> Seconds:
    """Return the mean, the median and the 95th percentile of several times."""
    mean = float(np.mean(seconds))
    p50, p95 = np.percentile(seconds, (50, 95)).tolist()
    return {"mean": round(mean, 5), "p50": round(p50, 5), "p95": round(p95, 5)}


def timed(work: Callable[[], object]) -> float:
    """Call a function, and return how many seconds it takes."""
    began = perf_counter()
    work()
    return round(perf_counter() - began, 4)


if __name__ == "__main__":
    main()
