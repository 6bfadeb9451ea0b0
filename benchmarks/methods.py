"""RQ, CCProv and CSProv on the demo's warehouse: `make bench-methods`.

It draws items at random, some for each class of size of their lineage or impact, and asks all three
methods the same questions, warm and in one session. The answers must be equal. What was measured
goes to `results/methods.json`.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, cast

import numpy as np
import pyarrow.compute as pc
from draw import Graph
from form import Answered, Class, Measured, Results, Spread, Totals
from machine import machine, versions

from provhouse.cli.failures import guarded
from provhouse.cli.listening import listening
from provhouse.cypher import server
from provhouse.model.errors import Damaged, NotFound
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.query.answer import Answer
from provhouse.query.ask import Asker
from provhouse.query.question import Direction, Method
from provhouse.query.status import status

if TYPE_CHECKING:
    from pyspark import SparkContext

RESULTS = Path(__file__).parent / "results" / "methods.json"
METHODS: tuple[Method, ...] = ("rq", "ccprov", "csprov")
WANTED = 10
EMPTY_JOBS = 20


@dataclass(frozen=True)
class Kind:
    """A class of questions, by the number of items in the answer."""

    name: str
    direction: Direction
    least: int
    most: int


@dataclass(frozen=True)
class Questions:
    """The items to ask for, and how many were drawn to find them."""

    kind: Kind
    items: list[str]
    drawn: int


KINDS = (
    Kind("small", "upstream", 100, 200),
    Kind("large", "upstream", 5_000, 10_000),
    Kind("impact", "downstream", 100, 1_000),
)


def run(settings: Settings, seed: int, progress: Progress) -> Results:
    """Draw, measure, and say what came out."""
    if status(settings).generation is None:
        raise NotFound(
            f"The demo's warehouse should be at {settings.warehouse}",
            "Nothing was ingested there",
            "Run `make demo` first, or name another warehouse with --warehouse",
        )
    load = os.getloadavg()[0]  # before we make some ourselves
    progress.say(f"Drawing items with seed {seed}")
    with Asker(settings, progress) as asker:
        fills = fill(asker)
        drawn = choose(asker, np.random.default_rng(seed), progress)
        _ = asker.graph  # Neo4j's start belongs to no question either
        address = server.running(settings.graph_home)
        assert address  # the asker keeps it up
        return {
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "seed": seed,
            "load": round(load, 2),
            "machine": machine(),
            "versions": versions(address.http),
            "warehouse": cast(Totals, asdict(asker.snapshot.commit.totals)),
            "fill_seconds": fills,
            "empty_job_seconds": empty_job(asker.bulk.session.sparkContext),
            "classes": [measure(asker, each, progress) for each in drawn if each.items],
        }


def fill(asker: Asker) -> dict[str, float]:
    """Fill the cache of each method, and tell how long each took; CCProv filters those of RQ."""
    none = np.empty(0, np.int64)
    bulk = asker.bulk
    _ = bulk.session  # Spark's start is nobody's cache
    return {
        "rq, ccprov upstream": timed(lambda: bulk.hashed("upstream")),
        "rq, ccprov downstream": timed(lambda: bulk.hashed("downstream")),
        "csprov": timed(lambda: bulk.partitions.fetch(asker.snapshot.partitions, none, none)),
    }


def choose(asker: Asker, rng: np.random.Generator, progress: Progress) -> list[Questions]:
    """Draw items for each class, of all items alike."""
    progress.begin("Draw items")
    snapshot = asker.snapshot
    items = np.concatenate([np.arange(s.first, s.first + s.items) for s in snapshot.spans])
    count = int(items.max()) + 1
    triples = asker.bulk.partitions.fetch(
        snapshot.partitions, np.array([0]), np.array([count], np.int64)
    )
    drawn = []
    for kind in KINDS:
        graph = Graph(triples, kind.direction, count)
        chosen, tried = graph.draw(rng.permutation(items), kind.least, kind.most, WANTED)
        progress.say(f"{kind.name}: {len(chosen)} among {tried:,} items drawn")
        drawn.append(Questions(kind, snapshot.names.names(chosen).to_pylist(), tried))
    return drawn


def empty_job(context: "SparkContext") -> Spread:
    """The time of a job that does nothing, which each level of RQ waits for at least."""
    cached = context.parallelize([b""], 1).persist()
    cached.count()
    return spread(timed(lambda: context.runJob(cached, _nothing, [0])) for _ in range(EMPTY_JOBS))


def _nothing(rows: Iterable[bytes]) -> list[bytes]:
    return list(rows)[:0]  # read to the end, or Spark throws the worker away


def measure(asker: Asker, questions: Questions, progress: Progress) -> Class:
    """Ask for all items of one class by each method."""
    kind = questions.kind
    progress.begin(f"Measure the class {kind.name}")
    ask(asker, questions.items[0], kind)  # whatever else a first time costs
    answers = []
    for item in questions.items:
        answers.append(ask(asker, item, kind))
        progress.advance(len(answers), len(questions.items))
    return {
        "name": kind.name,
        "direction": kind.direction,
        "least": kind.least,
        "most": kind.most,
        "drawn": questions.drawn,
        "asked": len(answers),
        "answer": answered([one["csprov"] for one in answers]),
        "methods": {method: measured([one[method] for one in answers]) for method in METHODS},
    }


def ask(asker: Asker, item: str, kind: Kind) -> dict[Method, Answer]:
    """The same question by each method; raises Damaged if their answers differ."""
    answers = {method: asker.ask(item, kind.direction, method) for method in METHODS}
    first = answers[METHODS[0]]
    fits = kind.least <= first.items.num_rows <= kind.most
    for method, answer in answers.items():
        same = answer.items.equals(first.items) and answer.triples.equals(first.triples)
        if not (same and fits):
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
        "items": spread(answer.items.num_rows for answer in answers),
        "triples": spread(answer.triples.num_rows for answer in answers),
        "depth": spread(pc.max(answer.items["depth"]).as_py() for answer in answers),
    }


def measured(answers: Sequence[Answer]) -> Measured:
    """What the answers of one method took."""
    return {
        "seconds": spread(answer.seconds["total"] for answer in answers),
        "triples": spread(answer.read.triples for answer in answers),
        "partitions": spread(answer.read.partitions for answer in answers),
    }


def spread(values: Iterable[float]) -> Spread:
    """Median and largest."""
    held = list(values)
    return {"median": round(median(held), 4), "max": round(max(held), 4)}


def timed(work: Callable[[], object]) -> float:
    """How many seconds it takes."""
    began = perf_counter()
    work()
    return round(perf_counter() - began, 4)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure the three methods.")
    parser.add_argument("--warehouse", type=Path, default=Path("demo-warehouse"))
    parser.add_argument("--seed", type=int, default=4)
    given = parser.parse_args()
    settings = Settings.load({"warehouse": given.warehouse})
    sys.exit(guarded(lambda: write(settings, given.seed), lambda: settings.warehouse / "logs"))


def write(settings: Settings, seed: int) -> None:
    """Measure, and leave the results where `tables.py` finds them."""
    with listening() as progress:
        results = run(settings, seed, progress)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
