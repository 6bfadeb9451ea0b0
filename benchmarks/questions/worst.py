"""Measure CSProv where it gains least, on traces with thousands of levels: `make bench-worst`.

Each deep shape is ingested with provhouse's command line. From many random items, those with the
largest answers are chosen, and CSProv answers cold questions about them. For comparison, a plain
Spark job only reads the triples of the same partitions. Results go to `results/worst.json`.
"""

import argparse
import json
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np
import pyarrow.compute as pc

from benchmarks.questions.classes import DIRECTIONS, all_triples, by_component
from benchmarks.questions.methods import timed
from benchmarks.questions.worst_table import RESULTS, DeepShape, LargestQuestions, Results
from benchmarks.shared.command import Command
from benchmarks.shared.machine import mean_load, packages, run
from benchmarks.shared.results import Totals
from benchmarks.traces.draw import Graph
from benchmarks.traces.shapes import SHAPES
from benchmarks.traces.trace_files import write
from provhouse.model.arrays import I64, ItemNumbers
from provhouse.model.columns import ATTRIBUTES, DST, OP, PARTITION, SRC
from provhouse.model.progress import Silent, Stopwatch
from provhouse.model.question import Direction
from provhouse.model.settings import Settings
from provhouse.query.ask import Asker
from provhouse.query.locate import locate_versions

DEEP = ("chain", "ladder", "merkle", "runs")
ITEMS = 200_000
DRAWN, ASKED, REPEATED = 300, 5, 3


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure the largest answers on deep traces.")
    parser.add_argument(
        "--items", type=int, default=ITEMS, help="items of each shape, approximately"
    )
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    load = mean_load()
    with TemporaryDirectory(prefix="provhouse-bench-") as folder:
        shapes = [measured(name, given.items, given.seed, Path(folder)) for name in DEEP]
    results: Results = {
        **run(load, packages("pyspark", "pyarrow", "numba", "provhouse")),
        "seed": given.seed,
        "shapes": shapes,
    }
    RESULTS.write(results, given.out)


def measured(shape: str, items: int, seed: int, folder: Path) -> DeepShape:
    """Ingest one shape, and measure questions with large answers in both directions."""
    files, warehouse = folder / f"{shape}-trace", folder / shape
    write(SHAPES[shape](items, seed), files)
    Command(warehouse).ingest(files)
    settings = Settings.load({"warehouse": warehouse, "hot_mb": 0})
    with Asker(settings, Silent()) as asker:
        asker.warm()
        asker.spark.partitions.warm(asker.snapshot.partitions)
        questions = [worst(asker, direction, seed) for direction in DIRECTIONS]
        totals = cast(Totals, asdict(asker.snapshot.commit.totals))
    print(shape, json.dumps(questions), file=sys.stderr, flush=True)
    return {"shape": shape, "warehouse": totals, "questions": questions}


def worst(asker: Asker, direction: Direction, seed: int) -> LargestQuestions:
    """Draw many random items, and measure questions about those with the largest answers."""
    snapshot = asker.snapshot
    names = snapshot.names.names(largest(asker, direction, seed)).to_pylist()
    answers = [asker.ask(name, direction, "csprov") for name in (names[0], *names)][1:]
    jobs = [partial(read, asker, name, direction) for name in names]
    plain = [median(timed(job) for _ in range(REPEATED)) for job in jobs]
    steps = answers[0].seconds
    return {
        "direction": direction,
        "asked": len(answers),
        "items": median(answer.items.num_rows for answer in answers),
        "depth": median(pc.max(answer.items["depth"]).as_py() for answer in answers),
        "sets": median(answer.read.sets for answer in answers),
        "partitions": median(answer.read.partitions for answer in answers),
        "triples": median(answer.read.triples for answer in answers),
        "seconds": {step: round(median(a.seconds[step] for a in answers), 5) for step in steps},
        "plain_seconds": round(median(plain), 5),
    }


def largest(asker: Asker, direction: Direction, seed: int) -> ItemNumbers:
    """Draw ``DRAWN`` random items, and return the ``ASKED`` items with the largest answers."""
    items = by_component(asker.snapshot, 0)[0]
    graph = Graph(all_triples(asker.snapshot), direction, int(items.max()) + 1)
    drawn: I64 = np.random.default_rng(seed).choice(items, min(DRAWN, len(items)), replace=False)
    largest_first = np.argsort(graph.sizes(drawn))[::-1]
    return ItemNumbers(drawn[largest_first[:ASKED]])


def read(asker: Asker, item: str, direction: Direction) -> None:
    """Read with Spark, from Delta, all triples of the partitions that a question needs."""
    from pyspark.sql import functions as f

    snapshot = asker.snapshot
    walk = asker.walk(locate_versions(snapshot, item).first, direction, Stopwatch())
    folder = snapshot.layout.table(snapshot.commit.base, "triples")
    rows = asker.spark.session.read.format("delta").load(str(folder))
    wanted = rows.where(f.col(PARTITION).isin(walk.partitions.tolist()))
    wanted.select(SRC, DST, OP, ATTRIBUTES).toArrow()


if __name__ == "__main__":
    main()
