"""Cut large components into sets, and compute how much questions read, without Spark and Neo4j.

A question reads all triples of the sets that its walk finds, so it is enough to walk the graph of
sets. Partitions are filled as in an ingest.
"""

from dataclasses import dataclass
from time import perf_counter
from typing import TypedDict

import numpy as np
import numpy.typing as npt
from numba import njit

from provhouse.ingest.steps.place_triples import partition
from provhouse.model.arrays import I32, I64
from provhouse.model.columns import PARTITION, SET
from provhouse.model.settings import Settings
from provhouse.sets.components import Edges, dense, weak_components
from provhouse.sets.cut import cut
from provhouse.sets.depths import neighbours
from provhouse.sets.distinct import dense_values, distinct_pairs
from provhouse.sets.ordering import set_order
from provhouse.sets.packing import pack
from provhouse.sets.search import ENOUGH

Floats = npt.NDArray[np.float64]
PARTITION_TRIPLES = Settings().partition_triples


class Reads(TypedDict):
    """The amounts that questions in one direction read.

    ``mean``, ``median`` and ``p95`` are numbers of triples. ``partitions`` is the median number of
    partitions read. These partitions contain a share of the component's triples; ``share`` is the
    median of this share.
    """

    mean: float
    median: float
    p95: float
    partitions: float
    share: float


class Cut(TypedDict):
    """One way to cut components into sets, its figures, and the seconds that cutting took."""

    cut: str
    sets: int
    dependencies: int
    up: Reads
    down: Reads
    seconds: float | None


@dataclass(frozen=True)
class Large:
    """The components of at least theta items. Components and tables are numbered from 0."""

    src: I32
    dst: I32
    table: I32
    component: I32

    @property
    def items(self) -> int:
        """The number of items."""
        return len(self.table)

    def derived(self) -> I64:
        """Return the items that have a lineage."""
        return np.flatnonzero(np.bincount(self.dst, minlength=self.items))


def large(src: Edges, dst: Edges, table: I32, theta: int) -> tuple[Large, npt.NDArray[np.bool_]]:
    """Return the large components of a graph, and a mask of their items."""
    component = dense(weak_components(len(table), [(src, dst)]))[0]
    chosen = np.bincount(component)[component] >= theta
    place = np.cumsum(chosen, dtype=np.int32) - np.int32(1)
    inside = chosen[src]
    numbers = dense_values(table[chosen]), dense_values(component[chosen])
    return Large(place[src[inside]], place[dst[inside]], *numbers), chosen


def found(graph: Large, theta: int, limit: int) -> tuple[I32, float]:
    """Cut components into sets as an ingest does, but do not pack the sets.

    Returns the set of each item, and the seconds that the cut took.
    """
    begin = perf_counter()
    label, _ = cut(graph.component, graph.src, graph.dst, graph.table, theta, (), limit)
    return label, perf_counter() - begin


def packed(graph: Large, label: I32, limit: int) -> I32:
    """Return the set of each item after packing as in an ingest."""
    sizes, group = np.bincount(label), _group(graph, label)
    child, parent = dependencies(graph, label)
    most = graph.items // ENOUGH
    return pack(len(sizes), sizes, child, parent, group, limit, most)[label]


def dependencies(graph: Large, label: I32) -> tuple[I32, I32]:
    """Return the distinct pairs of a set and another set that it derives from."""
    return distinct_pairs(label[graph.dst], label[graph.src])


def score(graph: Large, label: I32, asked: I64, name: str, seconds: float | None = None) -> Cut:
    """Compute how much questions read if components are cut in a given way.

    The questions are about the items ``asked``, upstream and downstream.
    ``label`` has the set of each item. The sets must be numbered without gaps.
    """
    child, parent = dependencies(graph, label)
    sizes, group = np.bincount(label), _group(graph, label)
    count = len(sizes)
    position = np.empty(count, np.int32)
    position[set_order(sizes, group, child, parent)] = np.arange(count, dtype=np.int32)
    label, child, parent = position[label], position[child], position[parent]
    bounds, placements = partition(np.sort(label[graph.dst]).astype(np.int64), PARTITION_TRIPLES)
    at = np.searchsorted(np.asarray(placements[SET]), np.arange(count + 1))
    parts = np.asarray(placements[PARTITION])
    own = np.bincount(label[graph.dst], minlength=count)
    whole = np.bincount(graph.component[graph.dst])[graph.component[asked]]

    def read(near: I32, far: I32) -> Reads:
        edges = neighbours(count, near, far)
        triples, opened, stored = _read(label[asked], *edges, own, at, parts, np.diff(bounds)).T
        return {
            "mean": round(float(triples.mean()), 1),
            "median": float(np.median(triples)),
            "p95": round(float(np.quantile(triples, 0.95)), 1),
            "partitions": float(np.median(opened)),
            "share": round(float(np.median(stored / whole)), 4),
        }

    return {
        "cut": name,
        "sets": count,
        "dependencies": len(child),
        "up": read(child, parent),
        "down": read(parent, child),
        "seconds": None if seconds is None else round(seconds, 2),
    }


def read_upstream(graph: Large, label: I32, asked: I64, own: I64) -> Floats:
    """Return, for each item in ``asked``, the sum of ``own`` over the sets its lineage reads."""
    edges = neighbours(len(own), *dependencies(graph, label))
    none = np.zeros(len(own) + 1, np.int64)
    result: Floats = _read(label[asked], *edges, own, none, none, none)[:, 0]
    return result


def _group(graph: Large, label: I32) -> I32:
    """Return the component of each set."""
    group = np.zeros(int(label.max(initial=-1)) + 1, np.int32)
    group[label] = graph.component
    return group


@njit(cache=True)
def _read(
    asked: I32, at: I64, heads: I32, own: I64, part_at: I64, parts: I64, stored: I64
) -> Floats:
    """For each set in ``asked``, return three numbers about the sets that a walk from it reaches.

    These are the number of the sets' triples, the number of partitions that contain them, and the
    number of all triples in these partitions.
    """
    result = np.zeros((len(asked), 3))
    seen = np.full(len(own), -1, np.int64)
    opened = np.full(len(stored), -1, np.int64)
    queue = np.empty(len(own), np.int32)
    for number in range(len(asked)):
        queue[0] = asked[number]
        seen[asked[number]] = number
        filled, taken = 1, 0
        while taken < filled:
            node = queue[taken]
            taken += 1
            result[number, 0] += own[node]
            for row in range(part_at[node], part_at[node + 1]):
                if opened[parts[row]] != number:
                    opened[parts[row]] = number
                    result[number, 1] += 1
                    result[number, 2] += stored[parts[row]]
            for edge in range(at[node], at[node + 1]):
                head = heads[edge]
                if seen[head] != number:
                    seen[head] = number
                    queue[filled] = head
                    filled += 1
    return result
