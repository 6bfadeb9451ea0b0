"""Draw random items for each of the paper's classes of questions (CSProv, section V).

The classes are SC-SL, LC-SL and LC-LL. SC means that the item is in a small component, which is
not cut into sets, and LC that it is in a large one. SL means that the answer is small, and LL that
it is large. The paper asks only for lineage. Here the same sizes also define classes for impact.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from benchmarks.traces.draw import Graph
from provhouse.model.arrays import Bools, ItemNumbers
from provhouse.model.columns import DST, SRC
from provhouse.model.question import Direction
from provhouse.store.tables.partitions import partition_path, read_partition
from provhouse.store.tables.snapshot import Snapshot

DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")


@dataclass(frozen=True)
class Kind:
    """A class of questions whose answers have from ``least`` to ``most`` items."""

    name: str
    direction: Direction
    large: bool
    """Whether the component of the item asked for has at least theta items."""
    least: int
    most: int


@dataclass(frozen=True)
class Questions:
    """The items to ask for, and the number of items that were tried to find them."""

    kind: Kind
    items: ItemNumbers
    tried: int


KINDS = tuple(
    Kind(name, direction, large, least, most)
    for direction in DIRECTIONS
    for name, large, least, most in (
        ("SC-SL", False, 100, 200),
        ("LC-SL", True, 100, 200),
        ("LC-LL", True, 5_000, 10_000),
    )
)


def drawn(
    snapshot: Snapshot,
    triples: pa.Table,
    theta: int,
    kinds: Sequence[Kind],
    wanted: int,
    seed: int,
) -> Iterator[Questions]:
    """Yield up to ``wanted`` items for each class. All items that fit are equally likely."""
    items, large = by_component(snapshot, theta)
    count = int(items.max()) + 1
    graphs = {one: Graph(triples, one, count) for one in {kind.direction for kind in kinds}}
    rng = np.random.default_rng(seed)
    for kind in kinds:
        among = rng.permutation(items[large == kind.large])
        graph = graphs[kind.direction]
        items_drawn, tried = graph.draw(among, kind.least, kind.most, wanted)
        yield Questions(kind, ItemNumbers(items_drawn), tried)


def by_component(snapshot: Snapshot, theta: int) -> tuple[ItemNumbers, Bools]:
    """Return all items, and whether the component of each has at least theta items."""
    size = np.bincount(snapshot.set_components, snapshot.set_items)
    firsts, counts = snapshot.set_firsts, snapshot.set_items
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    large = size[snapshot.set_components] >= theta
    items = ItemNumbers(np.repeat(firsts, counts) + within)
    return items, np.repeat(large, counts)


def all_triples(snapshot: Snapshot) -> pa.Table:
    """Read the two ends of all triples of a snapshot without Spark, and return them."""
    folder = snapshot.layout.table(snapshot.commit.base, "triples")
    paths = (partition_path(folder, partition) for partition in snapshot.partitions.tolist())
    return pa.concat_tables(read_partition(path, (SRC, DST)) for path in paths)
