"""Show a connected set by its id: its component, its size and its items."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import ItemNumbers, SetId, SetIds, SetPositions, among
from provhouse.model.columns import ITEM, TABLE
from provhouse.model.errors import NotFound
from provhouse.model.progress import Stopwatch
from provhouse.store.tables.snapshot import Snapshot


@dataclass(frozen=True)
class ShownSet:
    """A connected set as of one generation.

    ``size`` counts all its items, ``erased`` only the items without a name. ``triples`` counts the
    triples whose dst is in the set. ``items`` has the columns item and table (string), ordered by
    table, then item, and at most ``limit`` rows.
    """

    set_id: SetId
    component: int
    generation: int
    time: str
    size: int
    erased: int
    triples: int
    truncated: str | None
    items: pa.Table
    seconds: float


def show_set(snapshot: Snapshot, set_id: SetId, limit: int) -> ShownSet:
    """Return a set with up to ``limit`` of its items; raise NotFound if it does not exist."""
    watch = Stopwatch()
    return snapshot.names.settled(lambda: _show_set(snapshot, set_id, limit, watch))


def _show_set(snapshot: Snapshot, set_id: SetId, limit: int, watch: Stopwatch) -> ShownSet:
    found = snapshot.rows_of_sets(SetIds(np.array([set_id])))
    if not len(found):
        raise NotFound(
            f"Set {set_id} is not in generation {snapshot.commit.generation}",
            f"It has {len(snapshot.set_ids):,} sets",
            "Find the set of an item with: provhouse lineage ITEM --estimate",
        )
    place = int(found[0])
    first, size = int(snapshot.set_firsts[place]), int(snapshot.set_items[place])
    numbers = np.arange(first, first + size)
    numbers = numbers[~among(numbers, snapshot.groups)]
    size = len(numbers)
    named = ItemNumbers(numbers[~among(numbers, snapshot.names.erased)])
    texts, tables = snapshot.names.described(ItemNumbers(named[:limit]))
    items = pa.table({ITEM: texts, TABLE: tables.cast(pa.string())})
    return ShownSet(
        set_id=set_id,
        component=int(snapshot.set_components[place]),
        generation=snapshot.commit.generation,
        time=snapshot.commit.time,
        size=size,
        erased=size - len(named),
        triples=int(snapshot.triples_of(SetPositions(found))[0]),
        truncated="limit" if len(named) > limit else None,
        items=items.sort_by([(TABLE, "ascending"), (ITEM, "ascending")]),
        seconds=watch.total()["total"],
    )
