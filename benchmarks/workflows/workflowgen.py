"""Measure capture, zoom and subgraphs on the workflows of WorkflowGen.

Capture is measured for each workflow and each number of threads.

`make bench-workflowgen` runs it. Executions with and without capture alternate, so that both see
the same load. Zoom and subgraphs are measured on graphs of several sizes. Results go to
`results/workflowgen.json` after each workflow. A run with the same sizes measures only the missing
workflows, unless `--again` is given.
"""

import argparse
import random
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Literal, TypedDict, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.measured_command import Command, size
from benchmarks.shared.results_file import ResultsFile, Run, mean_load, packages
from benchmarks.shared.results_file import run as recorded
from benchmarks.workflows.lipstick import Dealerships, Stations, Workflow
from provhouse.model.arrays import I64, ItemNumbers
from provhouse.model.derivations import KINDS, ROLES
from provhouse.query.consequences.deletion.derivation_index import DerivationRows, Derivations
from provhouse.query.consequences.deletion.fates import Deleter
from provhouse.query.reading.recurse import recurse
from provhouse.query.zoom.fold import NONE, Flow, fold


class Timed(TypedDict):
    """One workflow: its size, and the median seconds of an execution with and without capture."""

    workflow: str
    threads: int
    executions: int
    plain: float
    captured: float
    triples: int
    bytes: int
    equal: bool
    """Whether executions with and without capture gave the same results."""


class Asked(TypedDict):
    """Median processor seconds of questions about a workflow's graph that is already in memory."""

    workflow: str
    triples: int
    items: int
    fold_one: float
    """The seconds to fold one module."""
    fold_all: float
    subgraph: float
    """The seconds to find a random item's ancestors, descendants, and the descendants' siblings."""
    delete: float
    """The seconds to find the fates of all items after the deletion of a random item."""
    reached: float
    """The median number of items that the deletion of a random item reaches."""
    visible: int
    """The number of items that are visible when all modules are folded."""
    equal: bool
    """Whether folding all modules hides exactly the items that the single folds together hide."""


class Stored(TypedDict):
    """The bytes that a workflow's triples take in a warehouse, by the columns that are stored."""

    workflow: str
    triples: int
    plain: int
    derived: int
    """The bytes with derivations and the kinds of operations."""
    valued: int
    """The bytes if the values that enter aggregates are added."""
    modules: int
    """The bytes if roles, modules, invocations and executions are added, too."""


class WorkflowGenRun(Run):
    """One run of the benchmark."""

    cars: int
    stations: int
    executions: int
    timed: list[Timed]
    asked: list[Asked]
    stored: list[Stored]


PLAIN = ("src", "dst", "op", "src_table", "dst_table")
DERIVED = (*PLAIN, "derivation", "op_kind")
VALUED = (*DERIVED, "value")
MODULES = (*VALUED, "role", "module", "invocation", "execution")


def stored(workflow: str, triples: Path, folder: Path) -> Stored:
    """Ingest a workflow's triples several times, each time with more columns; return the sizes.

    A size is the bytes of all tables.

    Neo4j's files are not counted: they depend on the time of its last checkpoint.
    """
    rows = pq.read_table(triples)
    return {
        "workflow": workflow,
        "triples": len(rows),
        "plain": _ingested(rows.select(PLAIN), folder / "plain"),
        "derived": _ingested(rows.select(DERIVED), folder / "derived"),
        "valued": _ingested(rows.select(VALUED), folder / "valued"),
        "modules": _ingested(rows.select(MODULES), folder / "modules"),
    }


def _ingested(rows: pa.Table, warehouse: Path) -> int:
    file = warehouse.with_suffix(".parquet")
    pq.write_table(rows, file)
    command = Command(warehouse)
    command.ingest(file)
    command.run("down")
    return size(warehouse) - size(warehouse / "neo4j")


RESULTS = ResultsFile[WorkflowGenRun]("workflowgen.json")
STORED = "**Bytes a triple** in the tables of a warehouse: plain triples, and what columns add."
Form = Literal["derived", "valued", "modules"]
MORE_BYTES = 6
"""The target: at most this many bytes per triple for derivations, kinds and values together."""
FOLD_MS = 150
"""The target: at most this many milliseconds per million triples to fold all modules of a graph."""


def tables(results: WorkflowGenRun) -> str:
    """Return a note, the tables, and the targets."""
    note = (
        f"On {cores(results['machine'])}, system load before the run: {results['load']};"
        f" {results['cars']:,} cars."
    )
    timed = grid(
        ("workflow", "threads", "plain, ms", "captured, ms", "more", "triples", "bytes a triple"),
        (
            (
                one["workflow"], f"{one['threads']}", f"{1e3 * one['plain']:.0f}",
                f"{1e3 * one['captured']:.0f}", f"{one['captured'] / one['plain'] - 1:.0%}",
                f"{one['triples']:,}", f"{one['bytes'] / one['triples']:.1f}",
            )
            for one in results["timed"]
        ),
    )  # fmt: skip
    asked = grid(
        ("workflow", "triples", "items", "fold one, ms", "fold all, ms", "subgraph, ms",
         "delete, ms", "reached", "visible"),
        (
            (
                one["workflow"], f"{one['triples']:,}", f"{one['items']:,}",
                f"{1e3 * one['fold_one']:.1f}", f"{1e3 * one['fold_all']:.1f}",
                f"{1e3 * one['subgraph']:.1f}", f"{1e3 * one['delete']:.2f}",
                f"{one['reached']:,.0f}", f"{one['visible']:,}",
            )
            for one in results["asked"]
        ),
    )  # fmt: skip
    stored = grid(
        ("workflow", "triples", "plain", "derivations", "and values", "and modules"),
        (
            (
                one["workflow"], f"{one['triples']:,}", f"{one['plain'] / one['triples']:.1f}",
                *(f"+{_more(one, form):.1f}" for form in ("derived", "valued", "modules")),
            )
            for one in results["stored"]
        ),
    )  # fmt: skip
    return "\n\n".join((note, timed, asked, STORED, stored, bars(targets(results))))


def _more(one: Stored, form: Form) -> float:
    """Return how many bytes per triple the columns of ``form`` add to plain triples."""
    return (one[form] - one["plain"]) / one["triples"]


def targets(results: WorkflowGenRun) -> dict[str, bool]:
    """Return each target, and whether it was met."""
    same = [one["equal"] for one in results["timed"]] + [one["equal"] for one in results["asked"]]
    largest = max(results["asked"], key=lambda one: one["triples"])
    rate = 1e9 * largest["fold_all"] / largest["triples"]
    more = max(_more(one, "valued") for one in results["stored"])
    return {
        "results are equal with and without capture, and in whatever order modules fold": all(same),
        f"folding a million triples in at most {FOLD_MS} ms": rate <= FOLD_MS,
        f"derivations, kinds and values: at most {MORE_BYTES} bytes a triple more ({more:.1f})": (
            more <= MORE_BYTES
        ),
    }


SIZES = {"cars": 20_000, "stations": 24, "executions": 100}
THREADS = (1, 2, 4)
REPEATS = 20
"""The number of times that each is measured: a fold, and the subgraph of a random item."""
PARTS = (0.01, 0.1, 0.3, 1.0)
"""The shares of all executions. The graph of each share is measured, to show how times grow."""
Made = Callable[[Workflow], Dealerships | Stations]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure the workflows of the Lipstick paper.")
    parser.add_argument("--again", action="store_true", help="measure all workflows again")
    again: bool = parser.parse_args().again
    run = recorded(mean_load(), packages("duckdb", "numba", "pyarrow", "provhouse"))
    before = None if again else _before()
    found = before or cast(WorkflowGenRun, {**run, **SIZES, "timed": [], "asked": [], "stored": []})
    done = {one["workflow"] for one in found["stored"]}
    for name, make in workflows(SIZES["cars"], SIZES["stations"]):
        if name not in done:
            with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as folder:
                measure(name, make, found, Path(folder))
            RESULTS.write(found)


def measure(name: str, make: Made, found: WorkflowGenRun, folder: Path) -> None:
    """Measure one workflow, and add the measurements to the results."""
    file, executions = folder / "triples.parquet", found["executions"]
    found["timed"] += [measured(name, make, each, executions, file) for each in THREADS]
    found["asked"] += [questions(name, file, part, executions) for part in PARTS]
    found["stored"].append(stored(name, file, folder))


def _before() -> WorkflowGenRun | None:
    """Return the results of an earlier run of the same sizes, if there was one."""
    if not RESULTS.path.exists():
        return None
    found = RESULTS.read()
    known = {name: size for name, size in found.items() if name in SIZES}
    return found if known == SIZES else None


def workflows(cars: int, stations: int) -> Iterator[tuple[str, Made]]:
    """Yield the workflows to measure, by name."""
    yield "dealerships", partial(Dealerships, cars=cars, probability=0.2)
    for topology in ("parallel", "dense", "serial"):
        for selectivity in ("month", "all"):
            yield (
                f"stations, {topology}, {selectivity}",
                partial(Stations, stations=stations, topology=topology, selectivity=selectivity),
            )


def measured(name: str, make: Made, threads: int, executions: int, file: Path) -> Timed:
    """Run a workflow with and without capture, one execution after the other."""
    flows = [Workflow(capture, threads) for capture in (False, True)]
    made = [make(flow) for flow in flows]
    seconds: list[list[float]] = [[], []]
    results: list[list[object]] = [[], []]
    for number in range(executions):
        for way, workflow in enumerate(made):
            before = perf_counter()
            results[way].append(workflow.execute(number))
            seconds[way].append(perf_counter() - before)
    triples = flows[1].write(file)
    return {
        "workflow": name, "threads": threads, "executions": executions,
        "plain": median(seconds[0]), "captured": median(seconds[1]), "triples": triples,
        "bytes": file.stat().st_size, "equal": results[0] == results[1],
    }  # fmt: skip


def questions(name: str, file: Path, part: float, executions: int) -> Asked:
    """Time views and subgraphs of the triples from the first executions of a workflow."""
    rows = pq.read_table(file)
    number = np.asarray(rows["execution"].cast(pa.int64()))
    rows = rows.filter(pa.array(number < max(1, part * executions)))
    flow = flow_of(rows)
    graph = derivations_of(rows, flow)
    modules = int(flow.module.max()) + 1
    none, every = np.empty(0, np.int64), np.ones(modules, bool)
    one = np.arange(modules) == 1
    fold(flow, every, none)  # compiles
    folds = {
        "fold_one": median(timed(lambda: fold(flow, one, none)) for _ in range(REPEATS)),
        "fold_all": median(timed(lambda: fold(flow, every, none)) for _ in range(REPEATS)),
    }
    chance = random.Random(1)
    items = [chance.randrange(flow.items) for _ in range(REPEATS)]
    subgraph(flow, items[0])
    deleter = Deleter(graph)
    deleted = graph.place(ItemNumbers(np.array(items)))
    deleter.fates(deleted[:1])
    deletions = [timed(partial(deleter.fates, deleted[n : n + 1])) for n in range(len(deleted))]
    hidden = fold(flow, every, none).hidden
    each = [fold(flow, np.arange(modules) == n, none).hidden for n in range(modules)]
    return {
        "workflow": name, "triples": len(flow.src), "items": flow.items,
        "fold_one": folds["fold_one"], "fold_all": folds["fold_all"],
        "subgraph": median(timed(partial(subgraph, flow, item)) for item in items),
        "delete": median(deletions),
        "reached": median(len(deleter.fates(deleted[n : n + 1]).reached)
                          for n in range(len(deleted))),
        "visible": int((~hidden).sum()),
        "equal": bool((np.logical_or.reduce(each) == hidden).all()),
    }  # fmt: skip


def timed(work: Callable[[], object]) -> float:
    """Return the processor seconds that a function takes."""
    before = process_time()
    work()
    return process_time() - before


def flow_of(rows: pa.Table) -> Flow:
    """Return the given triples as a flow."""
    coded = {name: rows[name].combine_chunks().dictionary_encode() for name in ("module", "role")}
    calls = pa.array([f"{m} {e} {i}" for m, e, i in zip(
        *(rows[name].to_pylist() for name in ("module", "execution", "invocation")), strict=True
    )]).dictionary_encode()  # fmt: skip
    invocation = np.asarray(calls.indices)
    module = np.zeros(len(calls.dictionary), np.int32)
    module[invocation] = np.asarray(coded["module"].indices)
    roles = np.array([ROLES.get(one, NONE) for one in coded["role"].dictionary.to_pylist()])
    names = pa.concat_arrays([rows[end].combine_chunks() for end in ("src", "dst")])
    items = names.dictionary_encode()
    ends = np.asarray(items.indices).astype(np.int64)
    count = len(items.dictionary)
    return Flow(
        count, ends[: len(rows)], ends[len(rows) :], invocation,
        roles[np.asarray(coded["role"].indices)].astype(np.int8), module,
        np.zeros(count, np.int32), np.zeros((int(module.max()) + 1, 2), np.int8),
    )  # fmt: skip


def derivations_of(rows: pa.Table, flow: Flow) -> Derivations:
    """Return an index of the triples' derivations; items have the same numbers as in the flow."""
    kinds = rows["op_kind"].combine_chunks().dictionary_encode()
    codes = np.array([KINDS[one] for one in kinds.dictionary.to_pylist()], np.int8)
    ways = rows["derivation"].combine_chunks().dictionary_encode()
    kind = codes[np.asarray(kinds.indices)]
    return Derivations(
        DerivationRows(flow.src, flow.dst, kind, np.asarray(ways.indices).astype(np.int64))
    )


def subgraph(flow: Flow, item: int) -> I64:
    """Return the ancestors and descendants of an item, and the siblings of its descendants.

    Siblings are the other items that a descendant was made from.
    """
    up = recurse(flow.dst, flow.src, item).items
    down = recurse(flow.src, flow.dst, item).items
    made = np.zeros(flow.items, bool)
    made[down] = True
    return np.unique(np.concatenate([up, down, flow.src[made[flow.dst]]]))


if __name__ == "__main__":
    main()
