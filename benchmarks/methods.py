"""RQ, CCProv and CSProv on the demo's warehouse: `make bench-methods`.

It draws items at random, asks how large their lineage or impact is, keeps some of each class of
size, and then asks all three methods the same questions, warm and in one session. The answers must
be equal. What was measured goes to `results/methods.json`.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, cast

import numpy as np
import pyarrow.compute as pc
from form import Answered, Class, Measured, Results, Spread, Totals
from machine import machine, versions

from provhouse.cli.failures import guarded
from provhouse.cli.listening import listening
from provhouse.cypher import server
from provhouse.model.arrays import I64
from provhouse.model.errors import Damaged, NotFound
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.query.answer import Answer, Direction, Method
from provhouse.query.ask import Asker
from provhouse.query.status import status

if TYPE_CHECKING:
    from pyspark import SparkContext

RESULTS = Path(__file__).parent / "results" / "methods.json"
METHODS: tuple[Method, ...] = ("rq", "ccprov", "csprov")
WANTED = 10
TRIES = 500
EMPTY_JOBS = 20


@dataclass(frozen=True)
class Kind:
    """A class of questions, by the number of items in the answer."""

    name: str
    direction: Direction
    least: int
    most: int
    chosen: list[str] = field(default_factory=list)


@dataclass
class Urn:
    """The items of one table that were not drawn yet, and how many of the others were of use."""

    left: list[int]
    hits: int = 0
    misses: int = 0


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
        kinds = (
            Kind("small", "upstream", 100, 200),
            Kind("large", "upstream", 5_000, 10_000),
            Kind("impact", "downstream", 100, 1_000),
        )
        rng, tables = np.random.default_rng(seed), by_table(asker)
        drawn = sum(choose(asker, kind, tables, rng, progress) for kind in kinds)
        found = [kind for kind in kinds if kind.chosen]
        address = server.running(settings.graph_home)
        assert address  # the asker keeps it up
        return {
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "seed": seed,
            "drawn": drawn,
            "load": round(load, 2),
            "machine": machine(),
            "versions": versions(address.http),
            "warehouse": cast(Totals, asdict(asker.snapshot.commit.totals)),
            "fill_seconds": fills,
            "empty_job_seconds": empty_job(asker.bulk.session.sparkContext),
            "classes": [measure(asker, kind, progress) for kind in found],
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


def by_table(asker: Asker) -> list[I64]:
    """The numbers of all items, a list for each table."""
    spans = asker.snapshot.spans
    numbers = np.concatenate([np.arange(s.first, s.first + s.items) for s in spans])
    tables = asker.snapshot.names.tables(numbers)
    return [numbers[np.asarray(pc.equal(tables, table))] for table in pc.unique(tables).sort()]


def choose(
    asker: Asker, kind: Kind, tables: Sequence[I64], rng: np.random.Generator, progress: Progress
) -> int:
    """Look for items of a kind in random order; the number of items that were drawn for it.

    Of all items hardly any is a sum of thousands of others, so a table is drawn first: by what it
    has yielded so far, as Thompson did, while those that yield nothing are soon left alone.
    """
    progress.begin(f"Look for items of the class {kind.name}")
    urns = [Urn(rng.permutation(table).tolist()) for table in tables]
    for drawn in range(TRIES):
        filled = [urn for urn in urns if urn.left]
        if not filled or len(kind.chosen) == WANTED:
            return drawn
        urn = max(filled, key=lambda urn: rng.beta(1 + urn.hits, 1 + urn.misses))
        draw(asker, kind, urn)
        progress.advance(len(kind.chosen), WANTED)
    progress.say(f"In {TRIES:,} draws only {len(kind.chosen)} of the class {kind.name} were found")
    return TRIES


def draw(asker: Asker, kind: Kind, urn: Urn) -> None:
    """Take an item of a table and keep it if its answer has the right size.

    RQ is asked, since a large lineage costs it the least here; the answer is the same for all.
    """
    item = str(asker.snapshot.names.names(np.array([urn.left.pop()]))[0].as_py())
    size = asker.ask(item, kind.direction, "rq").items.num_rows
    if kind.least <= size <= kind.most:
        urn.hits += 1
        kind.chosen.append(item)
    else:
        urn.misses += 1


def empty_job(context: "SparkContext") -> Spread:
    """The time of a job that does nothing, which each level of RQ waits for at least."""
    cached = context.parallelize([b""], 1).persist()
    cached.count()
    return spread(timed(lambda: context.runJob(cached, _nothing, [0])) for _ in range(EMPTY_JOBS))


def _nothing(rows: Iterable[bytes]) -> list[bytes]:
    return list(rows)[:0]  # read to the end, or Spark throws the worker away


def measure(asker: Asker, kind: Kind, progress: Progress) -> Class:
    """Ask for all items of one kind by each method."""
    progress.begin(f"Measure the class {kind.name}")
    ask(asker, kind.chosen[0], kind.direction)  # whatever else a first time costs
    answers = []
    for item in kind.chosen:
        answers.append(ask(asker, item, kind.direction))
        progress.advance(len(answers), len(kind.chosen))
    return {
        "name": kind.name,
        "direction": kind.direction,
        "least": kind.least,
        "most": kind.most,
        "asked": len(answers),
        "answer": answered([one["csprov"] for one in answers]),
        "methods": {method: measured([one[method] for one in answers]) for method in METHODS},
    }


def ask(asker: Asker, item: str, direction: Direction) -> dict[Method, Answer]:
    """The same question by each method; raises Damaged if their answers differ."""
    answers = {method: asker.ask(item, direction, method) for method in METHODS}
    first = answers[METHODS[0]]
    for method, answer in answers.items():
        if not (answer.items.equals(first.items) and answer.triples.equals(first.triples)):
            raise Damaged(
                f"{METHODS[0]} and {method} should give the same answer for {item} {direction}",
                f"{first.items.num_rows:,} and {answer.items.num_rows:,} items were found,"
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
