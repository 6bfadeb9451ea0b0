"""One task: components, sets and numbers for all new items, from the edges alone.

An item that is held keeps its number and its set, so only new items are cut: those that new triples
connect without help of held items form pieces, pieces are cut into sets, sets are packed, and
numbers run by component and set. Held components that new triples connect are merged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I32, I64, Bools
from provhouse.model.columns import COMPONENT, FIRST, INTO, ITEMS, NODE, SET, TABLES_OF
from provhouse.sets.components import dense, flatten, join, weak_components
from provhouse.sets.cut import cut
from provhouse.sets.distinct import coded, decoded, distinct
from provhouse.sets.ordering import set_order
from provhouse.sets.packing import pack
from provhouse.sets.search import ENOUGH
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit
from provhouse.store.warehouse.layout import Layout

from .edges import CHUNK, chunks

SAMPLE = 64
"""One edge in so many tells how the triples spread over the numbers."""


@dataclass(frozen=True)
class Task:
    """All that the cut depends on; ids are the next free ones."""

    folder: Path
    layout: Layout
    commit: Commit | None
    theta: int
    pack: int
    plain_nodes: int
    splits: Sequence[I32]
    tables: Sequence[str]
    """Names of the tables, by number."""
    first_item: int
    first_set: int
    ranges: int
    """How many ranges of numbers the triples shall be sorted in, each at a time."""


@dataclass(frozen=True)
class Cut:
    """What came of it; the arrays lie in the staging folder."""

    items: int
    sets: int
    components: int
    """By how many the number of components changes."""
    bounds: tuple[int, ...]
    """Numbers at which the ranges of triples, by their dst, begin; the first range has no bound."""


def cut_items(task: Task) -> Cut:
    """Write ``numbers.npy`` (by place), ``sets.arrow`` and ``merges.arrow``."""
    graph = _Graph(task)
    limit = min(task.pack, task.theta - 1)
    label, count = cut(
        graph.pieces,
        *graph.edges_within(task.theta),
        graph.tables,
        task.theta,
        task.splits,
        limit,
    )
    child, parent = graph.dependencies(label, count)
    several = graph.in_company(count, child, parent)
    packed = pack(
        count,
        np.bincount(label, minlength=count),
        child,
        parent,
        graph.group_of(label, count),
        limit,
        enough=int((~several).sum()) + int(several[label].sum()) // ENOUGH,
    )
    label, count = packed[label], int(packed.max(initial=-1)) + 1
    child, parent = graph.dependencies(label, count)
    return _write(task, graph, label, count, child, parent)


class _Graph:
    """The ingest's items and edges beside what is held."""

    def __init__(self, task: Task) -> None:
        self._folder = task.folder
        items = np.load(task.folder / "held.npy", mmap_mode="r")
        self.held: I64 = np.asarray(items)
        self.new = self.held < 0
        self.at = np.flatnonzero(self.new)
        """The places of new items."""
        self.tables: I32 = np.load(task.folder / "tables.npy")[self.new]
        self.snapshot = Snapshot(task.layout, task.commit) if task.commit else None

    @cached_property
    def _index(self) -> I32:
        """Each place's position among new items."""
        return np.cumsum(self.new, dtype=np.int32) - np.int32(1)

    def _new_edges(self) -> Iterator[tuple[I32, I32]]:
        for src, dst in chunks(self._folder):
            inside = self.new[src] & self.new[dst]
            yield self._index[src[inside]], self._index[dst[inside]]

    @cached_property
    def pieces(self) -> I32:
        """The piece of each new item, from 0."""
        return dense(weak_components(len(self.at), self._new_edges()))[0]

    def edges_within(self, theta: int) -> tuple[I32, I32]:
        """The edges of pieces of at least ``theta`` items."""
        large = np.bincount(self.pieces, minlength=1)[self.pieces] >= theta
        kept = [(src[large[src]], dst[large[src]]) for src, dst in self._new_edges()]
        none = np.empty(0, np.int32)
        return (
            np.concatenate([none, *(src for src, _ in kept)]),
            np.concatenate([none, *(dst for _, dst in kept)]),
        )

    @cached_property
    def _held_rows(self) -> tuple[I64, I64]:
        """The sets of held items (as rows of the snapshot), and which of them each place is in."""
        if self.snapshot is None:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        return np.unique(self.snapshot.set_rows(self.held[~self.new]), return_inverse=True)

    @cached_property
    def _held_components(self) -> tuple[I64, I64]:
        """The components of held items, and which of them each held set's is."""
        if self.snapshot is None:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        components = self.snapshot.set_components[self._held_rows[0]]
        return np.unique(components, return_inverse=True)

    @cached_property
    def _groups(self) -> tuple[I32, I32]:
        """The component that each new item and each held component is in now, as a root."""
        count = len(self.at)
        ids, of_set = self._held_components
        node = np.empty(len(self.held), np.int32)
        node[self.at] = np.arange(count, dtype=np.int32)
        node[~self.new] = count + of_set[self._held_rows[1]]
        parent = np.arange(count + len(ids), dtype=np.int32)
        for src, dst in chunks(self._folder):
            join(parent, node[src], node[dst])
        flatten(parent)
        return parent[:count], parent[count:]

    def group_of(self, label: I32, count: int) -> I32:
        """The component of each set, as a root."""
        group = np.zeros(count, np.int32)
        group[label] = self._groups[0]
        return group

    def dependencies(self, label: I32, count: int) -> tuple[I32, I32]:
        """Distinct pairs (set, set that it derives from); held sets follow the new ones."""
        node = np.empty(len(self.held), np.int32)
        node[self.at] = label
        node[~self.new] = count + self._held_rows[1]
        parts = [np.empty(0, np.int64)]
        for src, dst in chunks(self._folder):
            child, parent = node[dst], node[src]
            across = child != parent
            parts.append(distinct(coded(child[across], parent[across])))
            if sum(map(len, parts[1:])) > max(CHUNK, len(parts[0])):  # not once for each small file
                parts = [distinct(np.concatenate(parts))]
        return decoded(distinct(np.concatenate(parts)))

    def in_company(self, count: int, child: I32, parent: I32) -> Bools:
        """Which new sets are not all of their component."""
        several = np.zeros(count, bool)
        for ends in (child, parent):
            several[ends[ends < count]] = True
        return several

    def components(self, group: I32, first: I64) -> tuple[I64, list[tuple[int, int]], int]:
        """The id of each set's component, the merges, and how many components there are more."""
        ids, _ = self._held_components
        roots = self._groups[1]
        smallest: dict[int, int] = {}
        for root, number in zip(group.tolist(), first.tolist(), strict=True):
            smallest[root] = min(smallest.get(root, number), number)
        born = len(smallest)
        merges: list[tuple[int, int]] = []
        kept: dict[int, int] = {}
        for root, component in zip(roots.tolist(), ids.tolist(), strict=True):
            if root in kept:  # ids come in order, so the one kept is smaller
                merges.append((component, kept[root]))
            else:
                kept[root] = component
                born -= root in smallest
        smallest.update(kept)
        ids_of_sets = [smallest[root] for root in group.tolist()]
        return np.array(ids_of_sets, np.int64), merges, born - len(merges)


def _write(task: Task, graph: _Graph, label: I32, count: int, child: I32, parent: I32) -> Cut:
    items = np.bincount(label, minlength=count)
    group = graph.group_of(label, count)
    several = graph.in_company(count, child, parent)
    order = set_order(items, group, child, parent)
    position = np.empty(count, np.int64)
    position[order] = np.arange(count)
    numbers = graph.held.copy()
    numbers[graph.at[np.argsort(position[label], kind="stable")]] = task.first_item + np.arange(
        len(graph.at)
    )
    np.save(task.folder / "numbers.npy", numbers)
    first = task.first_item + np.cumsum(items[order]) - items[order]
    component, merges, more = graph.components(group[order], first)
    sets = {
        SET: task.first_set + np.arange(count),
        COMPONENT: component,
        FIRST: first,
        ITEMS: items[order],
        TABLES_OF: _tables_of(position[label], graph.tables, task.tables, count),
        NODE: several[order] | _largest(items[order], ~several[order], task.plain_nodes),
    }
    _save(task.folder / "sets.arrow", pa.table(sets))
    pairs = np.array(merges, np.int64).reshape(-1, 2)
    _save(task.folder / "merges.arrow", pa.table({COMPONENT: pairs[:, 0], INTO: pairs[:, 1]}))
    return Cut(len(graph.at), count, more, _bounds(task, numbers))


def _bounds(task: Task, numbers: I64) -> tuple[int, ...]:
    """Numbers that divide the triples, by their dst, into ranges of about the same size."""
    if task.ranges == 1:
        return ()
    sample = np.concatenate([numbers[dst[::SAMPLE]] for _, dst in chunks(task.folder)])
    cuts = np.quantile(sample, np.arange(1, task.ranges) / task.ranges, method="nearest")
    return tuple(np.unique(cuts).tolist())


def _tables_of(sets: I64, table: I32, names: Sequence[str], count: int) -> pa.Array:
    """The tables that the items of each set are in, in order of name."""
    width = max(len(names), 1)
    owner, code = np.divmod(distinct(sets * width + table), width)
    named = np.array([bool(name) for name in names], bool)[code] if len(code) else code.astype(bool)
    offsets = np.searchsorted(owner[named], np.arange(count + 1)).astype(np.int32)
    texts = pa.array(names, pa.string()).take(pa.array(code[named]))
    return pa.ListArray.from_arrays(pa.array(offsets), texts)


def _save(path: Path, table: pa.Table) -> None:
    with pa.ipc.new_stream(str(path), table.schema) as out:
        out.write_table(table)


def _largest(items: I64, among: Bools, limit: int) -> Bools:
    """The largest of some sets, so many at most."""
    rows = np.flatnonzero(among)
    chosen = np.zeros(len(items), bool)
    chosen[rows[np.argsort(-items[rows], kind="stable")[:limit]]] = True
    return chosen
