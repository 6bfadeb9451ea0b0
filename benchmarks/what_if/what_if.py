"""Measure what-if deletion: `make bench-what-if`.

On a random graph of ten million triples of all kinds, 1, 100 and 10,000 items are deleted. On a
warehouse of the paper's trace, the complete question is compared with `impact`. Both return only
counts, and neither finds any data in memory. For each input of an aggregate with a million inputs,
the aggregate is computed without this input. The answer about an item with a million triples
upstream is shown at each level. Results go to `results/what_if.json` after each part. A run with
the same sizes and seed measures only the missing parts, unless `--again` is given.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from math import isclose
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TypedDict, cast

import numpy as np

from benchmarks.peers.peers import open_snapshot
from benchmarks.questions.classes import KINDS
from benchmarks.questions.methods import choose
from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results_file import ResultsFile, SeededRun, mean_load, packages
from benchmarks.shared.results_file import run as recorded
from benchmarks.what_if.zoom_views import ZoomRun, zooms
from provhouse.cli.failures import guarded
from provhouse.model.arrays import ItemNumbers
from provhouse.model.deletion import Deletion
from provhouse.model.derivations import KINDS as CODES
from provhouse.model.operations import FUNCTIONS
from provhouse.model.progress import Silent
from provhouse.model.question import Question
from provhouse.model.settings import THETA, Settings
from provhouse.model.zoom import LEVELS
from provhouse.query.consequences.deletion.codes import DIES, SURVIVES, UNDECIDED
from provhouse.query.consequences.deletion.derivation_index import (
    AGGREGATE,
    DerivationRows,
    Derivations,
)
from provhouse.query.consequences.deletion.fates import Deleter, fates
from provhouse.query.consequences.deletion.new_values import Recomputed, Tensors
from provhouse.query.consequences.what_if import what_if
from provhouse.query.consequences.what_if_each import alternatives
from provhouse.query.lineage.ask import Asker


class DeletionRun(TypedDict):
    """A deletion of items: how many items it reached, their fates, its time without the index."""

    deleted: int
    reached: int
    dies: int
    survives: int
    undecided: int
    ms: float


class Deletions(TypedDict):
    """The deletions from one graph, and the time of its index."""

    index_ms: float
    deletions: list[DeletionRun]


class Whole(TypedDict):
    """Complete questions about a class's items: for counts only, with no data in memory yet."""

    kind: str
    questions: int
    impact_ms: float
    what_if_ms: float


class AlternativeRun(TypedDict):
    """Times to compute the values of an aggregate when each input in turn is left out."""

    function: str
    inputs: int
    chosen_ms: float
    """The time of all alternatives together."""
    one_ms: float
    """The time of one complete what-if deletion of one input."""


class Results(SeededRun, Deletions):
    """All results of one run."""

    triples: int
    inputs: int
    zoomed: int
    alternatives: list[AlternativeRun]
    zooms: list[ZoomRun]
    whole: list[Whole]


RESULTS = ResultsFile[Results]("what_if.json")
DELETION_MS = {1: 2, 100: 60, 10_000: 700}
WHOLE = 1.3
ALTERNATIVES_MS, ZOOM_MS = 100, 150
"""The targets of this benchmark."""


def tables(results: Results) -> str:
    """Return a note, the tables, and the targets."""
    note = (
        f"On {cores(results['machine'])}, system load before the run: {results['load']}."
        f" The graph has {results['triples']:,} triples; its"
        f" index takes {results['index_ms']:,.0f} ms."
    )
    parts = [note, _deletions(results)]
    if results["alternatives"]:
        parts.append(_alternatives(results))
    if results["zooms"]:
        parts.append(_zooms(results))
    if results["whole"]:
        parts.append(_whole(results))
    return "\n\n".join([*parts, bars(targets(results))])


def targets(results: Results) -> dict[str, bool]:
    """Return the targets, and whether each was met."""
    met = {
        f"{one['deleted']:,} deleted: at most {DELETION_MS[one['deleted']]} ms":
            one["ms"] <= DELETION_MS[one["deleted"]]
        for one in results["deletions"]
    }  # fmt: skip
    for each in results["alternatives"]:
        bar = f"{each['function']} without each input: at most {ALTERNATIVES_MS} ms"
        met[bar] = each["chosen_ms"] <= ALTERNATIVES_MS
    if results["zooms"]:
        for what, levels in (("single records", {"record"}), ("all other levels", {*LEVELS[:-1]})):
            worst = max(each["fold_ms"] + each["name_ms"] for each in results["zooms"]
                        if each["level"] in levels)  # fmt: skip
            bar = f"a view of {what}: at most {ZOOM_MS} ms after the fetch"
            met[bar] = worst <= ZOOM_MS
    for one in results["whole"]:
        ratio = one["what_if_ms"] / one["impact_ms"]
        bar = f"{one['kind']}: a complete question at most {WHOLE} times an impact question"
        met[bar] = ratio <= WHOLE
    return met


def _deletions(results: Results) -> str:
    rows = (
        (f"{one['deleted']:,}", f"{one['reached']:,}", f"{one['dies']:,}",
         f"{one['survives']:,}", f"{one['undecided']:,}", f"{one['ms']:,.2f}")
        for one in results["deletions"]
    )  # fmt: skip
    return grid(("deleted", "reached", "dies", "survives", "undecided", "ms"), rows, ())


def _alternatives(results: Results) -> str:
    rows = (
        (one["function"], f"{one['inputs']:,}", f"{one['chosen_ms']:,.1f}", f"{one['one_ms']:,.1f}")
        for one in results["alternatives"]
    )
    head = ("an aggregate without each input", "inputs", "all, ms", "one deletion alone, ms")
    return grid(head, rows)


def _zooms(results: Results) -> str:
    rows = (
        (" ".join(filter(None, (one["level"], ", ".join(one["folded"])))), f"{one['triples']:,}",
         f"{one['nodes']:,}", f"{one['edges']:,}", f"{one['fold_ms']:,.1f}",
         f"{one['name_ms']:,.1f}", f"{one['whole_ms']:,.1f}")
        for one in results["zooms"]
    )  # fmt: skip
    head = ("view at the level", "triples", "nodes", "edges", "fold, ms", "name, ms", "whole, ms")
    return grid(head, rows)


def _whole(results: Results) -> str:
    rows = (
        (one["kind"], f"{one['questions']}", f"{one['impact_ms']:,.1f}",
         f"{one['what_if_ms']:,.1f}", f"{one['what_if_ms'] / one['impact_ms']:.2f}")
        for one in results["whole"]
    )  # fmt: skip
    head = ("class, cold, counts only", "questions", "impact, ms", "what-if, ms", "times")
    return grid(head, rows)


TRIPLES, ITEMS_A_TRIPLE, DEPTH = 10_000_000, 0.45, 9
DELETED = (1, 100, 10_000)
INPUTS, CHOSEN, REPEATS, WANTED, SEED = 1_000_000, 10_000, 9, 5, 4
SURE = ("all", "any", "aggregate")
PARTS = ("index_ms", "deletions", "alternatives", "zooms", "whole")
COMPUTED = [name for name in FUNCTIONS if name != "other"]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure what-if deletion.")
    parser.add_argument("--warehouse", type=Path, help="a warehouse with the paper's trace")
    parser.add_argument("--triples", type=int, default=TRIPLES)
    parser.add_argument("--again", action="store_true", help="measure all parts again")
    given = parser.parse_args()
    sys.exit(guarded(lambda: write(given), lambda: Path("logs")))


def write(given: argparse.Namespace) -> None:
    """Measure the parts that are missing, and write the results after each."""
    load = mean_load()
    sizes = {"triples": given.triples, "inputs": INPUTS, "zoomed": INPUTS, "seed": SEED}
    before = None if given.again else _before(sizes)
    found = {
        **recorded(load, packages("numpy", "numba", "provhouse")), **sizes,
        **(before or {"index_ms": 0, **{part: [] for part in PARTS[1:]}}),
    }  # fmt: skip
    results = cast(Results, found)

    def rng() -> np.random.Generator:
        return np.random.default_rng(SEED)

    def save() -> None:
        RESULTS.write(results)

    if not results["deletions"]:
        found.update(deletions(given.triples, rng()))
        save()
    if not results["alternatives"]:
        results["alternatives"] = [*alternative_runs(INPUTS, rng())]
        save()
    if not results["zooms"]:
        with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as folder:
            results["zooms"] = [*zooms(INPUTS, Path(folder), rng())]
        save()
    if given.warehouse and not results["whole"]:
        results["whole"] = [*questions(given.warehouse)]
    save()


def _before(sizes: dict[str, int]) -> dict[str, object] | None:
    """Return the parts of an earlier run of the same sizes and seed, if there was one."""
    if not RESULTS.path.exists():
        return None
    found = json.loads(RESULTS.path.read_text(encoding="utf-8"))
    if any(found.get(name) != size for name, size in sizes.items()):
        return None
    return {name: found[name] for name in PARTS if name in found}


def alternative_runs(count: int, rng: np.random.Generator) -> Iterator[AlternativeRun]:
    """Yield the times of an aggregate without each input, by its function.

    For some of the ``CHOSEN`` inputs, the values without the input are compared with those of a
    what-if deletion of the input.
    """
    item = count
    rows = DerivationRows(
        rng.permutation(count), np.full(count, item), np.full(count, AGGREGATE, np.int8),
        np.zeros(count, np.int64),
    )  # fmt: skip
    graph = Derivations(rows)
    values, times = rng.integers(0, 10_000, count) / 4, np.ones(count, np.int64)
    chosen = np.sort(rng.choice(count, min(CHOSEN, count), replace=False))
    place = int(graph.place(ItemNumbers(np.array([item])))[0])
    wanted = graph.place(ItemNumbers(chosen))
    for name in COMPUTED:
        tensors = Tensors(values, times, np.array([FUNCTIONS.index(name)], np.int8))

        def each(tensors: Tensors = tensors) -> np.ndarray:
            ((_, found),) = alternatives(graph, tensors, place)
            by_source = np.empty(graph.places)
            by_source[found.sources] = found.after
            return by_source[wanted]

        def one(number: int, tensors: Tensors = tensors) -> float | None:
            gone = graph.place(ItemNumbers(np.array([number])))
            none = np.empty(0, np.int32)
            found = Recomputed(graph, tensors, fates(graph, gone, none)).values(gone, none)
            return float(found.after[0]) if len(found.after) else None

        after = each()
        ((_, all_of),) = alternatives(graph, tensors, place)
        for at in range(0, len(chosen), max(1, len(chosen) // 5)):
            expected = one(int(chosen[at]))
            if not isclose(after[at], all_of.before if expected is None else expected):
                raise AssertionError(f"an alternative of {name} is not the answer of what-if")
        yield {
            "function": name,
            "inputs": count,
            "chosen_ms": best(each),
            "one_ms": best(partial(one, int(chosen[0])), 3),
        }


def random_rows(count: int, rng: np.random.Generator, kinds: tuple[str, ...]) -> DerivationRows:
    """Return random triples from each level of items to the next one, in up to two derivations.

    An item of the first level reaches a few thousand items of later levels.
    """
    width = int(count * ITEMS_A_TRIPLE) // DEPTH
    items = width * DEPTH
    dst = np.sort(rng.integers(width, items, count))
    src = (dst // width - 1) * width + rng.integers(0, width, count)
    way = rng.integers(0, 2, count)
    codes = np.array([CODES.get(kind, -1) for kind in kinds], np.int8)
    kind = codes[rng.integers(0, len(kinds), (items, 2))[dst, way]]
    return DerivationRows(src, dst, kind, way)


def best(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the median time of a function in milliseconds, after one run that compiles it."""
    work()
    times = []
    for _ in range(repeats):
        begin = perf_counter()
        work()
        times.append((perf_counter() - begin) * 1000)
    return round(median(times), 3)


def deletions(count: int, rng: np.random.Generator) -> Deletions:
    """Return the times and the extents of deletions, by the number of deleted items."""
    rows = random_rows(count, rng, (*SURE, "function", "unknown"))
    index = best(lambda: Deleter(Derivations(rows)), 3)
    graph = Derivations(rows)
    work = Deleter(graph)
    found: Deletions = {"index_ms": index, "deletions": []}
    for number in (each for each in DELETED if each <= graph.places // DEPTH):
        items = np.sort(rng.choice(graph.places // DEPTH, number, replace=False)).astype(np.int32)
        result = work.fates(items)
        counts = np.bincount(result.fates, minlength=UNDECIDED + 1)
        found["deletions"].append(
            {
                "deleted": number,
                "reached": len(result.reached),
                "dies": int(counts[DIES]),
                "survives": int(counts[SURVIVES]),
                "undecided": int(counts[UNDECIDED]),
                "ms": best(partial(work.fates, items)),
            }
        )
    return found


def questions(warehouse: Path) -> Iterator[Whole]:
    """Yield the times of complete questions by class; what-if and impact questions alternate."""
    settings = Settings.load({"warehouse": warehouse})
    snapshot = open_snapshot(settings.warehouse)
    kinds = [kind for kind in KINDS if kind.direction == "downstream"]
    cold = replace(settings, hot_mb=8)
    theta = settings.theta or THETA
    for one in choose(snapshot, theta, kinds, WANTED, SEED):
        times: dict[str, list[float]] = {"impact": [], "what_if": []}
        with Asker(cold, Silent()) as asker:
            asker.warm()
            for number, item in enumerate(one.items):
                asked = Question(item, "downstream", summary=True)
                works: dict[str, Callable[[], object]] = {
                    "impact": partial(asker.answer, asked),
                    "what_if": partial(what_if, asker, Deletion((item,)), summary=True),
                }
                for name in sorted(works, reverse=bool(number % 2)):
                    asker.spark.partitions._cached.clear()  # nothing is in memory, here or in Spark
                    begin = perf_counter()
                    works[name]()
                    times[name].append((perf_counter() - begin) * 1000)
        yield {
            "kind": one.kind.name,
            "questions": len(one.items),
            "impact_ms": round(median(times["impact"]), 2),
            "what_if_ms": round(median(times["what_if"]), 2),
        }


if __name__ == "__main__":
    main()
