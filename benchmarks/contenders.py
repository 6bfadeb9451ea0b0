"""Components by one program in a process of its own: `contenders.py NAME FOLDER`.

The folder contains `items.npy` (their number), `src.npy` and `dst.npy`, all int32. The clock starts
when the input is in memory and everything is imported and compiled. It stops at the program's own
form of the answer, which is compared afterwards. Memory is the kernel's high-water mark of the
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
from typing import Any

import numpy as np
from components_form import Trial

from provhouse.ingest.staging import CHUNK
from provhouse.model.arrays import I32, I64
from provhouse.sets.components import weak_components

PAIRS = 1 << 16


@dataclass(frozen=True)
class NumberedEdges:
    """Numbered edges."""

    items: int
    src: I32
    dst: I32

    def chunks(self) -> Iterator[tuple[I32, I32]]:
        """Yield the edges in an ingest's chunks."""
        for start in range(0, len(self.src), CHUNK):
            yield self.src[start : start + CHUNK], self.dst[start : start + CHUNK]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the edges as Python's integers; few of them exist at a time."""
        for start in range(0, len(self.src), PAIRS):
            ends = (end[start : start + PAIRS].tolist() for end in (self.src, self.dst))
            yield from zip(*ends, strict=True)


@dataclass(frozen=True)
class Contender:
    """The steps of a program: make its graph, find components, return them as a label per item."""

    build: Callable[[NumberedEdges], Any]
    solve: Callable[[Any], Any]
    labels: Callable[[Any, NumberedEdges], Any] = lambda found, _: found


def of_scipy() -> Contender:
    """Return scipy, which makes a sparse matrix by rows and searches it."""
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
    """Return igraph, with pairs of Python's integers: three times as fast for it as an array."""
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
    """Return networkit, with its reader of coordinates; its parallel search is slower than this."""
    networkit = import_module("networkit")

    def build(given: NumberedEdges) -> Any:
        ends = given.src.astype(np.int64), given.dst.astype(np.int64)  # it misreads others: #1413
        return networkit.GraphFromCoo(ends, n=given.items)

    return Contender(
        build,
        lambda graph: networkit.components.ConnectedComponents(graph).run(),
        lambda found, _: found.getPartition().getVector(),
    )


def of_rustworkx() -> Contender:
    """Return rustworkx, with pairs of Python's integers, the only form that it accepts."""
    rustworkx = import_module("rustworkx")

    def build(given: NumberedEdges) -> Any:
        graph = rustworkx.PyGraph()
        graph.add_nodes_from(range(given.items))
        graph.extend_from_edge_list(given.pairs())
        return graph

    return Contender(build, rustworkx.connected_components, of_parts)


def of_parts(parts: list[set[int]], given: NumberedEdges) -> I64:
    """The label of each item, from sets of items."""
    labels = np.empty(given.items, np.int64)
    members = np.fromiter(chain.from_iterable(parts), np.int64, given.items)
    labels[members] = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return labels


def of_polars() -> Contender:
    """polars-grouper: an expression over two columns that labels edges."""
    polars, grouper = import_module("polars"), import_module("polars_grouper")
    label = grouper.graph_solver(polars.col("src"), polars.col("dst"))
    return Contender(
        lambda given: polars.DataFrame({"src": given.src, "dst": given.dst}),
        lambda table: table.select(label).to_series(),
        of_edges,
    )


def of_edges(found: Any, given: NumberedEdges) -> I64:
    """Return the label of each item from the labels of edges."""
    labels = np.empty(given.items, np.int64)
    labels[given.src] = found.to_numpy()
    labels[given.dst] = found.to_numpy()
    return labels


def of_provhouse() -> Contender:
    """Return provhouse, which makes no graph."""
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
    """Map the edges and read all of them, so that they are in memory and count as input."""
    src, dst = (np.asarray(np.load(folder / f"{end}.npy", mmap_mode="r")) for end in ("src", "dst"))
    items = int(np.load(folder / "items.npy"))
    assert len(src) == len(dst)
    assert max(src.max(initial=-1), dst.max(initial=-1)) < items
    return NumberedEdges(items, src, dst)


def little() -> NumberedEdges:
    """Return a small input of the same types, for a first run that imports and compiles."""
    src, dst = np.array([0, 2], np.int32), np.array([1, 1], np.int32)
    for end in (src, dst):
        end.flags.writeable = False
    return NumberedEdges(3, src, dst)


def run(name: str, given: NumberedEdges) -> Trial:
    """Time one contender."""
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
    """Return the smallest item of each item's component, which does not depend on the labels."""
    items = np.arange(len(labels), dtype=np.int32)
    first = np.empty(int(labels.max(initial=-1)) + 1, np.int32)
    first[labels[::-1]] = items[::-1]  # if several write to one place, the last one wins
    return first[labels]


def restart_peak() -> int:
    """Reset the kernel's high-water mark, and return the bytes that are resident now."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return memory("VmRSS")


def memory(field: str) -> int:
    """Return a field of this process's status in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    (value,) = (line.split()[1] for line in lines if line.startswith(f"{field}:"))
    return int(value) * 1024


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], read(Path(sys.argv[2])))))
