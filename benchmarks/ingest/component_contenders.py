"""Find components with one program, and measure it: `component_contenders.py NAME FOLDER`.

`component_speed.py` starts this in a process of its own. The folder contains `items.npy` (the
number of items), and `src.npy` and `dst.npy` (the edges, int32). The clock starts when the input is
in memory and everything is imported and compiled. It stops when the program has the answer in its
own representation; answers are compared afterwards. Memory is the kernel's high-water mark of the
resident set, which is reset before the clock starts.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any, TypedDict

import numpy as np

from benchmarks.shared.results_file import SeededRun, Spread
from provhouse.ingest.staging import CHUNK
from provhouse.model.arrays import I32, I64
from provhouse.sets.components import weak_components


class Trial(TypedDict):
    """One run of one contender, in a process of its own.

    ``build`` and ``solve`` are seconds. ``peak`` is the most memory that the process used, in bytes
    beyond the interpreter and the input. ``partition`` is a digest of the components.
    """

    build: float
    solve: float
    peak: int
    components: int
    partition: str


class ContenderTimes(TypedDict):
    """The measurements of one contender in all its runs.

    ``build`` has the seconds for the graph, ``solve`` those for the components, and ``total`` the
    seconds for both.
    """

    build: Spread
    solve: Spread
    total: Spread
    bytes_an_item: float


class Measurement(TypedDict):
    """The figures of one trace.

    A contender that failed, for example because it needed too much memory, is None.
    """

    trace: str
    items: int
    edges: int
    components: int
    contenders: dict[str, ContenderTimes | None]


class Results(SeededRun):
    """The results of one run of `component_speed.py`."""

    repetitions: int
    bars: dict[str, bool]
    traces: list[Measurement]


OURS, SCIPY = "provhouse", "scipy"
BYTES_AN_ITEM = 8
"""The target for provhouse's memory: at most this many bytes for each item."""


def times(trace: Measurement, name: str) -> float:
    """Return a contender's time as a multiple of provhouse's. Raises KeyError if either failed."""
    mine, other = trace["contenders"][OURS], trace["contenders"][name]
    if mine is None or other is None:
        raise KeyError(name)
    return other["total"]["median"] / mine["total"]["median"]


PAIRS = 1 << 16


@dataclass(frozen=True)
class NumberedEdges:
    """The edges of a graph. Its items are the numbers below ``items``."""

    items: int
    src: I32
    dst: I32

    def chunks(self) -> Iterator[tuple[I32, I32]]:
        """Yield the edges in chunks of the size that an ingest uses."""
        for start in range(0, len(self.src), CHUNK):
            yield self.src[start : start + CHUNK], self.dst[start : start + CHUNK]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the edges as pairs of Python integers. At most ``PAIRS`` pairs exist at once."""
        for start in range(0, len(self.src), PAIRS):
            ends = (end[start : start + PAIRS].tolist() for end in (self.src, self.dst))
            yield from zip(*ends, strict=True)


@dataclass(frozen=True)
class Contender:
    """The steps of a program: make its graph, find components, and return a label for each item."""

    build: Callable[[NumberedEdges], Any]
    solve: Callable[[Any], Any]
    labels: Callable[[Any, NumberedEdges], Any] = lambda found, _: found


def of_scipy() -> Contender:
    """Return the contender scipy, which makes a sparse matrix (CSR) and searches it."""
    sparse, csgraph = import_module("scipy.sparse"), import_module("scipy.sparse.csgraph")

    def build(given: NumberedEdges) -> Any:
        shape = (given.items, given.items)
        ones = np.ones(len(given.src))  # float64; scipy's search would convert any other type to it
        return sparse.coo_array((ones, (given.src, given.dst)), shape).tocsr()

    return Contender(
        build,
        lambda graph: csgraph.connected_components(graph, directed=True, connection="weak"),
        lambda found, _: found[1],
    )


def of_igraph() -> Contender:
    """Return the contender igraph.

    Its input is pairs of Python integers, which it reads three times as fast as an array.
    """
    igraph = import_module("igraph")

    def build(given: NumberedEdges) -> Any:
        graph = igraph.Graph(given.items)
        graph.add_edges(given.pairs())
        return graph

    return Contender(
        build,
        lambda graph: graph.connected_components(),
        lambda found, _: found.membership,
    )


def of_networkit() -> Contender:
    """Return the contender networkit.

    Its input is arrays of coordinates. networkit also has a parallel search, but that is slower
    than the search used here.
    """
    networkit = import_module("networkit")

    def build(given: NumberedEdges) -> Any:
        # networkit misreads arrays of int32 (networkit #1413).
        ends = given.src.astype(np.int64), given.dst.astype(np.int64)
        return networkit.GraphFromCoo(ends, n=given.items)

    return Contender(
        build,
        lambda graph: networkit.components.ConnectedComponents(graph).run(),
        lambda found, _: found.getPartition().getVector(),
    )


def of_rustworkx() -> Contender:
    """Return the contender rustworkx. It accepts only pairs of Python integers."""
    rustworkx = import_module("rustworkx")

    def build(given: NumberedEdges) -> Any:
        graph = rustworkx.PyGraph()
        graph.add_nodes_from(range(given.items))
        graph.extend_from_edge_list(given.pairs())
        return graph

    return Contender(build, rustworkx.connected_components, of_parts)


def of_parts(parts: list[set[int]], given: NumberedEdges) -> I64:
    """Return the label of each item. ``parts`` contains one set of items for each component."""
    labels = np.empty(given.items, np.int64)
    members = np.fromiter(chain.from_iterable(parts), np.int64, given.items)
    labels[members] = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return labels


def of_polars() -> Contender:
    """Return the contender polars-grouper.

    Its input is edges as two columns. It returns a label for each edge, not for each item.
    """
    polars, grouper = import_module("polars"), import_module("polars_grouper")
    label = grouper.graph_solver(polars.col("src"), polars.col("dst"))
    return Contender(
        lambda given: polars.DataFrame({"src": given.src, "dst": given.dst}),
        lambda table: table.select(label).to_series(),
        of_edges,
    )


def of_edges(found: Any, given: NumberedEdges) -> I64:
    """Return the label of each item, computed from the labels of the edges."""
    labels = np.empty(given.items, np.int64)
    labels[given.src] = found.to_numpy()
    labels[given.dst] = found.to_numpy()
    return labels


def of_provhouse() -> Contender:
    """Return the contender provhouse, which makes no graph."""
    return Contender(
        lambda given: given, lambda given: weak_components(given.items, given.chunks())
    )


CONTENDERS: dict[str, Callable[[], Contender]] = {
    "scipy": of_scipy,
    "provhouse": of_provhouse,
    "igraph": of_igraph,
    "networkit": of_networkit,
    "rustworkx": of_rustworkx,
    "polars-grouper": of_polars,
}


def read(folder: Path) -> NumberedEdges:
    """Map the files of the edges, and read all edges, so that the input is in memory."""
    src, dst = (np.asarray(np.load(folder / f"{end}.npy", mmap_mode="r")) for end in ("src", "dst"))
    items = int(np.load(folder / "items.npy"))
    assert len(src) == len(dst)
    assert max(src.max(initial=-1), dst.max(initial=-1)) < items
    return NumberedEdges(items, src, dst)


def little() -> NumberedEdges:
    """Return a tiny input of the same types as the real one.

    A first run on it imports and compiles all code.
    """
    src, dst = np.array([0, 2], np.int32), np.array([1, 1], np.int32)
    for end in (src, dst):
        end.flags.writeable = False
    return NumberedEdges(3, src, dst)


def run(name: str, given: NumberedEdges) -> Trial:
    """Measure one contender on these edges, and return its times, memory and components."""
    contender = CONTENDERS[name]()
    contender.solve(contender.build(little()))
    before = restart_peak()
    began = perf_counter()
    graph = contender.build(given)
    built = perf_counter()
    found = contender.solve(graph)
    solved = perf_counter()
    peak = memory("VmHWM") - before
    first = smallest(np.asarray(contender.labels(found, given)))
    return {
        "build": built - began,
        "solve": solved - built,
        "peak": peak,
        "components": int((first == np.arange(len(first))).sum()),
        "partition": hashlib.sha256(first.tobytes()).hexdigest(),
    }


def smallest(labels: I64) -> I32:
    """Return, for each item, the smallest item of its component.

    The result is the same for any two labellings of the same components.
    """
    items = np.arange(len(labels), dtype=np.int32)
    first = np.empty(int(labels.max(initial=-1)) + 1, np.int32)
    first[labels[::-1]] = items[::-1]  # if several write to one place, the last one wins
    return first[labels]


def restart_peak() -> int:
    """Reset the high-water mark of this process's memory. Return its present memory in bytes."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return memory("VmRSS")


def memory(field: str) -> int:
    """Return a memory field of this process's `/proc/self/status`, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    (value,) = (line.split()[1] for line in lines if line.startswith(f"{field}:"))
    return int(value) * 1024


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], read(Path(sys.argv[2])))))
