"""Step 3: cut the new items into sets, and give items and sets their numbers.

One task does this; it needs neither the rows nor the names. A stored item keeps its number and its
set, so only new items are cut. New items that are connected by triples between new items form a
piece. Each piece is cut into sets, and small sets are packed. The items of a set get consecutive
numbers, and so do the items of a component. Stored components that new triples connect are merged.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I32, I64, Bools, ItemNumbers
from provhouse.model.columns import COMPONENT, FIRST, INTO, ITEMS, NODE, SET, TABLES_OF
from provhouse.runtime.storage import load_array, open_array, save_array, write_stream
from provhouse.sets.cut import cut as cut_pieces
from provhouse.sets.distinct import distinct
from provhouse.sets.item_graph import ItemGraph, StoredSets, with_neighbours
from provhouse.sets.ordering import set_order
from provhouse.sets.packing import pack
from provhouse.sets.search import ENOUGH
from provhouse.sets.splits import restricted, split_codes
from provhouse.store.tables.snapshot import Snapshot

from ..job import Job
from ..staging import Staging
from .grouping import writable_at_once
from .number import NumberResult
from .read import ReadResult

RANGE_TRIPLES = 4 << 20
"""The approximate number of triples that are sorted at once."""
SAMPLE = 64
"""The bounds of the ranges are estimated from a sample: one of every ``SAMPLE`` edges."""


@dataclass(frozen=True)
class CutResult:
    """The results of the cut, except the arrays that it writes to the staging folder."""

    items: int
    sets: int
    components: int
    """The change in the number of components."""
    bounds: tuple[int, ...]
    """The item numbers at which the second and later ranges of dst begin."""


def cut(job: Job, read: ReadResult, numbered: NumberResult) -> CutResult:
    """Cut the new items into sets and give them numbers."""
    task = CutItems(
        staging=job.staging,
        snapshot=job.snapshot(),
        theta=job.theta,
        pack=job.settings.pack,
        plain_nodes=job.settings.plain_nodes,
        splits=_levels(job, numbered.tables),
        tables=numbered.tables,
        first_item=job.ids.item,
        first_set=job.ids.set,
        ranges=writable_at_once(math.ceil(read.rows / RANGE_TRIPLES)),
    )
    (result,) = job.run([task])
    job.progress.count("new items", result.items)
    job.progress.count("new sets", result.sets)
    return result


def _levels(job: Job, tables: Sequence[str]) -> list[I32]:
    """Return the given splits as arrays, without tables that have no item in this ingest."""
    if not job.inputs.splits:
        return []
    return split_codes(restricted(job.inputs.splits[1], set(tables)), tables)


@dataclass(frozen=True)
class CutItems:
    """The task that cuts the items; ``first_item`` and ``first_set`` are the next free numbers."""

    staging: Staging
    snapshot: Snapshot | None
    theta: int
    pack: int
    plain_nodes: int
    splits: Sequence[I32]
    tables: Sequence[str]
    """The table names, by number."""
    first_item: int
    first_set: int
    ranges: int
    """The number of ranges of item numbers that triples are divided into before sorting."""

    def run(self) -> CutResult:
        """Write ``numbers`` (by place), ``sets`` and ``merges`` to the staging folder."""
        stored: I64 = np.asarray(open_array(self.staging.stored))
        graph = self._graph(stored)
        limit = min(self.pack, self.theta - 1)
        label, count = cut_pieces(
            graph.pieces,
            *graph.edges_within(self.theta),
            graph.table,
            self.theta,
            self.splits,
            limit,
        )
        child, parent = graph.dependencies(label, count)
        several = with_neighbours(count, child, parent)
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
        return self._write(graph, stored, label, count, child, parent)

    def _graph(self, stored: I64) -> ItemGraph:
        is_new = stored < 0
        table: I32 = load_array(self.staging.tables)[is_new]

        def stored_sets() -> StoredSets:
            if self.snapshot is None:
                return StoredSets(np.empty(0, np.int64), np.empty(0, np.int64))
            rows = self.snapshot.set_rows(ItemNumbers(stored[~is_new]))
            sets, of_place = np.unique(rows, return_inverse=True)
            return StoredSets(of_place, self.snapshot.set_components[sets])

        return ItemGraph(is_new, table, self.staging.edge_chunks, stored_sets)

    def _write(
        self, graph: ItemGraph, stored: I64, label: I32, count: int, child: I32, parent: I32
    ) -> CutResult:
        items = np.bincount(label, minlength=count)
        group = graph.group_of(label, count)
        several = with_neighbours(count, child, parent)
        order = set_order(items, group, child, parent)
        position = np.empty(count, np.int64)
        position[order] = np.arange(count)
        new = len(graph.new_places)
        numbers = stored.copy()
        numbers[graph.new_places[np.argsort(position[label], kind="stable")]] = (
            self.first_item + np.arange(new)
        )
        save_array(self.staging.numbers, numbers)
        first = self.first_item + np.cumsum(items[order]) - items[order]
        component, merges, more = graph.components(group[order], first)
        sets = {
            SET: self.first_set + np.arange(count),
            COMPONENT: component,
            FIRST: first,
            ITEMS: items[order],
            TABLES_OF: _tables_of(position[label], graph.table, self.tables, count),
            NODE: several[order] | _largest(items[order], ~several[order], self.plain_nodes),
        }
        write_stream(self.staging.sets, pa.table(sets))
        pairs = np.array(merges, np.int64).reshape(-1, 2)
        merged = pa.table({COMPONENT: pairs[:, 0], INTO: pairs[:, 1]})
        write_stream(self.staging.merges, merged)
        return CutResult(new, count, more, self._bounds(numbers))

    def _bounds(self, numbers: I64) -> tuple[int, ...]:
        """Return item numbers that divide the triples, by dst, into ranges of about equal size."""
        if self.ranges == 1:
            return ()
        sample = np.concatenate([numbers[dst[::SAMPLE]] for _, dst in self.staging.edge_chunks()])
        cuts = np.quantile(sample, np.arange(1, self.ranges) / self.ranges, method="nearest")
        return tuple(np.unique(cuts).tolist())


def _tables_of(sets: I64, table: I32, names: Sequence[str], count: int) -> pa.Array:
    """Return for each set the sorted names of the tables that its items are in."""
    width = max(len(names), 1)
    owner, code = np.divmod(distinct(sets * width + table), width)
    named = np.array([bool(name) for name in names], bool)[code] if len(code) else code.astype(bool)
    offsets = np.searchsorted(owner[named], np.arange(count + 1)).astype(np.int32)
    texts = pa.array(names, pa.string()).take(pa.array(code[named]))
    return pa.ListArray.from_arrays(pa.array(offsets), texts)


def _largest(items: I64, among: Bools, limit: int) -> Bools:
    """Return a mask that marks the ``limit`` largest of the sets marked in ``among``."""
    rows = np.flatnonzero(among)
    chosen = np.zeros(len(items), bool)
    chosen[rows[np.argsort(-items[rows], kind="stable")[:limit]]] = True
    return chosen
