"""Step 3: cut the new items into sets, and number items and sets.

One task cuts all items. The task reads neither rows nor names. A stored item keeps its number and
set, so only new items are cut. New items form a piece if triples between new items connect them.
Each piece is cut into sets, and small sets are packed. Within each set, items get consecutive
numbers, and so do the new items within each component. Stored components that new triples connect
are merged.

If the arrays of all items would take too much memory, the components are divided into groups, which
are stored in files, and one group is cut at a time. The result is the same.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from provhouse.model.arrays import I32, I64, unique
from provhouse.model.errors import Unavailable
from provhouse.runtime.free_memory import free_memory
from provhouse.runtime.storage import load_arrays, save_arrays
from provhouse.sets.appended import cut_appended
from provhouse.sets.component_groups import Weights
from provhouse.sets.cut import cut as cut_pieces
from provhouse.sets.item_graph import ItemGraph, with_neighbours
from provhouse.sets.packing import RULES, pack, packings
from provhouse.sets.search import ENOUGH, Plans
from provhouse.sets.split_arrays import restricted, split_codes
from provhouse.store.tables.snapshot import Snapshot

from ..job import Job
from ..staging import Staging
from .cut_groups import GroupedItems, GroupSource
from .cut_numbers import Numbering
from .grouping import writable_at_once
from .number import NumberResult
from .read import ReadResult

RANGE_TRIPLES = 4 << 20
"""The approximate number of triples to sort at once."""
SAMPLE = 64
"""The sampling interval: every 64th edge is used to find the bounds of the ranges."""
ITEM_BYTES, EDGE_BYTES = 150, 150
"""The most memory that cutting takes: bytes per item, and bytes per edge."""
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class CutResult:
    """The results of the cut, except the staged arrays."""

    items: int
    sets: int
    components: int
    """The change in the number of components."""
    bounds: tuple[int, ...]
    """The first item number of each range of dst except the first range."""


def cut(job: Job, read: ReadResult, numbered: NumberResult) -> CutResult:
    """Cut the new items into sets, and number both."""
    task = CutItems(
        staging=job.staging,
        snapshot=job.snapshot(),
        theta=job.theta,
        pack=job.settings.pack,
        plain_nodes=job.settings.plain_nodes,
        memory_mb=job.settings.cut_mb,
        rows=read.rows,
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
    """Return the given splits as arrays. Tables without items in this ingest are omitted."""
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
    memory_mb: int
    """The setting ``cut_mb``."""
    rows: int
    """The number of edges."""
    splits: Sequence[I32]
    tables: Sequence[str]
    """The table names, by number."""
    first_item: int
    first_set: int
    ranges: int
    """The number of ranges of item numbers that divide the triples before sorting."""

    def run(self) -> CutResult:
        """Write ``numbers`` (by place), ``sets`` and ``merges`` to the staging folder."""
        source = GroupSource(self.staging, self.snapshot)
        weights = Weights(
            ITEM_BYTES, EDGE_BYTES, self.memory_mb * MEGABYTE or free_memory() * 3 // 4
        )
        numbering = Numbering(
            self.staging,
            source.stored,
            self.tables,
            self.first_item,
            self.first_set,
            self.plain_nodes,
        )
        with numbering:
            if weights.of(len(source.stored), self.rows) <= weights.limit:
                self._cut_whole(source, numbering)
            else:
                self._cut_groups(self._grouped(source, weights), numbering)
        return CutResult(
            numbering.items, numbering.sets, numbering.components, self._bounds(numbering.numbers)
        )

    def _cut_whole(self, source: GroupSource, numbering: Numbering) -> None:
        graph, places = source.whole()
        found = self._cut(graph, {})
        packed = pack(*found.sets, found.most.enough)
        numbering.add(graph, places, packed[found.label], int(packed.max(initial=-1)) + 1)

    def _cut_groups(self, items: GroupedItems, numbering: Numbering) -> None:
        """Cut the groups one at a time, then number their sets, again one group at a time.

        Packing ends with the first rule after which the total numbers of sets and dependencies are
        small enough. These totals are known only after all groups are packed. So every rule is
        applied to each group, and a file stores the sets that result from each rule.
        """
        plans: Plans = {}
        most, sizes = Most(0, 0), np.zeros(len(RULES) + 1, np.int64)
        for number in range(len(items)):
            found = self._cut(items.part(number).graph, plans)
            most += found.most
            steps = list(packings(*found.sets))
            steps += [steps[-1]] * (len(sizes) - len(steps))
            sizes += [step.size for step in steps]
            labels = {f"packed{rules}": step.label for rules, step in enumerate(steps)}
            save_arrays(self.staging.cut_sets(number), label=found.label, **labels)
        rules = next((n for n, size in enumerate(sizes) if size <= most.enough), len(RULES))
        for number in range(len(items)):
            saved = load_arrays(self.staging.cut_sets(number))
            packed = saved[f"packed{rules}"]
            label, count = packed[saved["label"]], int(packed.max(initial=-1)) + 1
            numbering.add(*items.part(number), label, count)

    def _grouped(self, source: GroupSource, weights: Weights) -> GroupedItems:
        """Divide the items into groups; raise Unavailable if a component exceeds ``cut_mb``."""
        items = GroupedItems(source, weights)
        largest = int(items.groups.weights.max(initial=0))
        if self.memory_mb and largest > weights.limit:
            raise Unavailable(
                "A component of this ingest is too large to cut in the allowed memory",
                f"It needs about {largest // MEGABYTE + 1:,} MB; the setting cut_mb is "
                f"{self.memory_mb:,}",
                "Raise cut_mb, or set it to 0 to use all free memory",
            )
        return items

    def _cut(self, graph: ItemGraph, plans: Plans) -> "_Found":
        limit, bars = min(self.pack, self.theta - 1), graph.bars(self.theta)

        def cut(piece: I32, src: I32, dst: I32, table: I32) -> tuple[I32, int]:
            how = self.theta, self.splits, limit, plans, bars
            return cut_pieces(piece, src, dst, table, *how)

        edges = graph.edges_within(bars)
        if self.splits:
            label, count = cut(graph.pieces, *edges, graph.table)
        else:
            outside = graph.outside(bars)
            label, count = cut_appended(outside, graph.pieces, *edges, graph.table, cut)
        child, parent = graph.dependencies(label, count)
        several = with_neighbours(count, child, parent)
        items, group = np.bincount(label, minlength=count), graph.group_of(label, count)
        return _Found(
            label,
            (count, items, child, parent, group, limit),
            Most(int((~several).sum()), int(several[label].sum())),
        )

    def _bounds(self, numbers: I64) -> tuple[int, ...]:
        """Return item numbers that divide the triples by dst into ranges of about equal size."""
        if self.ranges == 1:
            return ()
        sample = np.concatenate([numbers[dst[::SAMPLE]] for _, dst in self.staging.edge_chunks()])
        cuts = np.quantile(sample, np.arange(1, self.ranges) / self.ranges, method="nearest")
        return tuple(unique(cuts).tolist())


@dataclass(frozen=True)
class Most:
    """The counts from which the largest acceptable number of sets and dependencies is computed."""

    alone: int
    """The number of sets that consist of a complete component."""
    items: int
    """The number of items in all other sets."""

    def __add__(self, other: "Most") -> "Most":
        return Most(self.alone + other.alone, self.items + other.items)

    @property
    def enough(self) -> int:
        """The largest number of sets and dependencies for which no further packing is needed."""
        return self.alone + self.items // ENOUGH


class _Found(NamedTuple):
    """The sets of new items before they are packed."""

    label: I32
    """The number of each new item's set."""
    sets: tuple[int, I64, I32, I32, I32, int]
    """The arguments for a call of ``packings``."""
    most: Most
