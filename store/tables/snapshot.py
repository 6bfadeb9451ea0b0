"""The view of one generation; sets, components, dependencies and placements are arrays."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import (
    I64,
    Bools,
    Column,
    ItemNumbers,
    PartitionNumbers,
    SetIds,
    SetPositions,
    among,
    unique,
)
from provhouse.model.columns import (
    COMPONENT,
    DERIVED,
    DERIVES_FROM,
    FIRST,
    INGEST,
    INTO,
    ITEM,
    ITEMS,
    NODE,
    PARTITION,
    ROW,
    ROWS,
    SET,
    TABLES,
    TRIPLES,
)
from provhouse.model.errors import Damaged
from provhouse.runtime.room import MEMORY, Growing, Room, ascends, slices
from provhouse.runtime.storage import Array

from ..warehouse.commits import Commit, Totals
from ..warehouse.layout import Layout
from .assertions import Assertions
from .delta_tables import count_rows, newest_version, read_rows
from .merged_components import merged_into
from .placements import Placements
from .ranges import Ranges, places
from .visible_rows import VisibleRows

_PLACED = [SET, PARTITION, TRIPLES]
_HALF = 32
"""The number of bits in each half of a sort key, which combines the positions of two sets."""


class Snapshot(VisibleRows):
    """The view of one generation, which no later ingest changes.

    Only an erasure changes the content of a snapshot: names, ops and attributes disappear, but rows
    never do. Read names, ops and attributes inside ``Names.settled``.

    Arrays of all sets, dependencies, placements, deaths, assertions, merges and groups are
    allocated in ``room``. ``earlier`` may be a snapshot with the same ingests, or with all but the
    last one. Its sets are then not read again.
    """

    def __init__(
        self,
        layout: Layout,
        commit: Commit,
        kept: int = 0,
        room: Room = MEMORY,
        earlier: "Snapshot | None" = None,
    ) -> None:
        super().__init__(layout, commit, kept, room)
        self._earlier = earlier

    def __reduce__(self) -> tuple[type["Snapshot"], tuple[Layout, Commit, int, Room]]:
        # Arrays are not sent along: a task in another process reads those that it needs.
        return Snapshot, (self.layout, self.commit, self._kept, self.room)

    @cached_property
    def _sets(self) -> dict[str, Array]:
        """The numeric columns of the table ``sets``, in the order of ``FIRST``."""
        version, earlier = self.commit.tables.get("sets"), self._earlier
        if earlier and earlier.commit.visible == self.commit.visible:
            return earlier._sets
        count, at = count_rows(self.folder("sets"), "sets", version), 0
        found: dict[str, Array] = {
            name: self.room.empty(count, bool if name == NODE else np.int64)
            for name in (SET, COMPONENT, FIRST, ITEMS, NODE)
        }
        if earlier:
            at = len(earlier.set_ids)
            for name, values in found.items():
                values[:at] = earlier._sets[name]
        added = self.ingests[INGEST][-1].as_py() if earlier else None
        for rows in self.pieces("sets", [*found], added):
            for name, values in found.items():
                values[at : at + rows.num_rows] = np.asarray(rows[name])
            at += rows.num_rows
        columns = {name: values[:at] for name, values in found.items()}
        if ascends(columns[FIRST]):  # always true for tables that provhouse has written
            return columns
        order = np.argsort(columns[FIRST], kind="stable")
        return {name: column[order] for name, column in columns.items()}

    @cached_property
    def set_ids(self) -> SetIds:
        """The ids of all visible sets, ascending. In this order, ``set_firsts`` ascends too."""
        return SetIds(self._sets[SET])

    @cached_property
    def set_firsts(self) -> ItemNumbers:
        """The first item of each set in ``set_ids``.

        The items of a set have consecutive numbers.
        """
        return ItemNumbers(self._sets[FIRST])

    @cached_property
    def set_items(self) -> I64:
        """The number of items of each set in ``set_ids``."""
        return self._sets[ITEMS]

    @cached_property
    def set_sizes(self) -> I64:
        """The number of items of each set in ``set_ids``, not counting groups as items."""
        if not len(self.groups):
            return self.set_items
        found = self.room.joined((self.set_items[rows] for rows in self._blocks()), np.int64)
        for rows in slices(len(self.groups)):
            np.subtract.at(found, self.set_rows(ItemNumbers(self.groups[rows])), 1)
        return found

    def _blocks(self) -> Iterator[slice]:
        """Yield slices that together cover all sets."""
        return slices(len(self.set_ids))

    def ids_of(self, sets: SetPositions) -> SetIds:
        """Return the ids of the sets at the given positions in ``set_ids``."""
        return SetIds(self.set_ids[sets])

    def sets_of(self, items: ItemNumbers) -> SetIds:
        """Return the id of the set of each item. Every item must be in a set."""
        return self.ids_of(self.set_rows(items))

    def triples_of(self, sets: SetPositions) -> I64:
        """Return, for each of these sets, the number of live triples whose dst is in it.

        ``sets`` are positions in ``set_ids``, in order.
        """
        ids = self.ids_of(sets)
        return (self.live_placements if len(self.deaths) else self.placements_of(ids)).counts(ids)

    @cached_property
    def set_triples(self) -> I64:
        """For each set in ``set_ids``, the number of live triples whose dst is in it."""
        found = self.room.zeros(len(self.set_ids), np.int64)
        for rows in self.pieces("placements", [SET, TRIPLES]):
            np.add.at(found, self.positions(SetIds(_ints(rows, SET))), _ints(rows, TRIPLES))
        if len(self.deaths):
            for placed, dead in self._placed_and(self.deaths):
                np.subtract.at(found, self.positions(placed.sets), dead)
        return found

    @cached_property
    def set_nodes(self) -> Bools:
        """For each set in ``set_ids``, whether it got a node in Neo4j when it was created."""
        return self._sets[NODE]

    @cached_property
    def set_components(self) -> I64:
        """For each set in ``set_ids``, the component to which it belongs now."""
        born = self._sets[COMPONENT]
        if not len(self._merges[0]):
            return born
        now = (self.components_now(born[rows]) for rows in self._blocks())
        return self.room.joined(now, np.int64)

    @cached_property
    def alone(self) -> Bools:
        """For each set in ``set_ids``, whether it is an entire component without dependencies."""
        alone: Bools = (np.bincount(self.set_components) == 1)[self.set_components]
        return alone

    def components_now(self, components: I64) -> I64:
        """Return, for each of the given components, the component that it is now a part of."""
        old, into = self._merges
        if not len(old):
            return components
        merged = np.flatnonzero(among(components, old))
        now = components.copy()
        now[merged] = into[np.searchsorted(old, components[merged])]
        return now

    @cached_property
    def _merges(self) -> tuple[I64, I64]:
        """The merged components, in order, and for each the component that it is now a part of."""
        old, into = Growing(self.room, np.int64), Growing(self.room, np.int64)
        for rows in self.pieces("merges", [COMPONENT, INTO]):
            old.add(np.asarray(rows[COMPONENT]))
            into.add(np.asarray(rows[INTO]))
        return merged_into(old.array(), into.array(), self.room)

    @cached_property
    def placements(self) -> Placements:
        """The placements of all sets, where dead triples are counted too."""
        return Placements.read(self.pieces("placements", _PLACED), self.room)

    @cached_property
    def live_placements(self) -> Placements:
        """The placements of all sets, where only live triples are counted."""
        if not len(self.deaths):
            return self.placements
        placed = self._placed_and(self.deaths)
        return Placements.read((one.table(one.triples - dead) for one, dead in placed), self.room)

    def sets_among(self, triples: Ranges) -> Iterator[SetIds]:
        """Yield the ids of the sets with which the given triples are stored.

        Some ids may be yielded several times.
        """
        if len(triples):
            for placed, found in self._placed_and(triples):
                yield SetIds(placed.sets[found > 0])

    def _placed_and(self, triples: Ranges) -> Iterator[tuple[Placements, I64]]:
        """Yield all placements, each with the number of the given triples in it.

        The rows of the table ``placements`` must be in the order of the triples in the partitions.
        Raises Damaged if they are not ordered by partition.
        """
        last, used = -1, 0
        for rows in self.pieces("placements", _PLACED):
            if not rows.num_rows:
                continue
            sets, partition, count = (_ints(rows, name) for name in _PLACED)
            if partition[0] < last or not ascends(partition):
                raise Damaged(
                    f"The table placements in {self.folder('placements')} is not in order",
                    "Its rows must be ordered by partition",
                    "Restore the folder from a backup",
                )
            before = np.cumsum(count) - count
            row = before - before[np.searchsorted(partition, partition)]
            row += np.where(partition == last, used, 0)
            first, end = (places(PartitionNumbers(partition), n) for n in (row, row + count))
            last, used = int(partition[-1]), int(row[-1] + count[-1])
            placed = Placements(SetIds(sets), PartitionNumbers(partition), count)
            yield placed, triples.below(end) - triples.below(first)

    @cached_property
    def deaths(self) -> Ranges:
        """The places of dead triples."""
        return Ranges.read(self.pieces("deaths", [PARTITION, ROW, ROWS]), self.room)

    @cached_property
    def derived(self) -> bool:
        """Whether any stored triple, dead or alive, has a value in a column of ``DESCRIPTION``."""
        return bool(pc.sum(self.ingests[DERIVED]).as_py())

    @cached_property
    def groups(self) -> ItemNumbers:
        """The numbers of all groups, in order.

        A group stands for a derivation that many dst share. Groups are stored like items, but no
        question shows them.
        """
        pieces = self.pieces("groups", [ITEM])
        return ItemNumbers(self.room.distinct(_ints(rows, ITEM) for rows in pieces))

    @property
    def erased_items(self) -> ItemNumbers:
        """The numbers of erased items, in order, not including nameless groups."""
        erased, groups = self.names.erased, self.groups
        return erased if not len(groups) else ItemNumbers(erased[~among(erased, groups)])

    def locate(self, names: Column) -> ItemNumbers:
        """Return the number of the item of each name, or -1 if no item has it.

        Groups are not found.
        """
        found = self.names.locate(names)
        return ItemNumbers(np.where(among(found, self.groups), -1, found))

    @cached_property
    def assertions(self) -> Assertions:
        """The visible assertions and retractions of triples."""
        return Assertions(self.pieces("assertions", TABLES["assertions"].names), self.room)

    def placements_of(self, sets: SetIds) -> Placements:
        """Return the placements of the sets with these ids, which are in order.

        For a few sets, this is faster than ``placements``, because the placements of all other sets
        are not sorted.
        """
        pieces = self.pieces("placements", _PLACED)
        return Placements.read(
            (rows.filter(pa.array(among(_ints(rows, SET), sets))) for rows in pieces), self.room
        )

    @cached_property
    def set_dependencies(self) -> tuple[SetPositions, SetPositions]:
        """All set dependencies, as parallel arrays: a set, and a set that it derives from."""
        child, parent = Growing(self.room, np.int64), Growing(self.room, np.int64)
        for rows in self.pieces("set_dependencies", [SET, DERIVES_FROM]):
            child.add(self.positions(SetIds(_ints(rows, SET))))
            parent.add(self.positions(SetIds(_ints(rows, DERIVES_FROM))))
        return SetPositions(child.array()), SetPositions(parent.array())

    @cached_property
    def dependency_pairs(self) -> int:
        """The number of distinct set dependencies."""
        child, parent = self.set_dependencies
        return len(unique(child * len(self.set_ids) + parent))

    @cached_property
    def dependents(self) -> tuple[SetPositions, SetPositions]:
        """All set dependencies, as parallel arrays: a set, and a set that derives from it.

        The first array is in order.
        """
        child, parent = self.set_dependencies
        parents = self.room.empty(len(child), np.int64)
        for rows in slices(len(child)):
            parents[rows] = parent[rows] << _HALF | child[rows]
        parents.sort()
        children = self.room.empty(len(child), np.int64)
        for rows in slices(len(child)):
            children[rows] = parents[rows] & ((1 << _HALF) - 1)
            parents[rows] >>= _HALF
        return SetPositions(parents), SetPositions(children)

    def set_rows(self, items: ItemNumbers) -> SetPositions:
        """Return the position in ``set_ids`` of each item's set. Every item must be in a set."""
        return SetPositions(np.searchsorted(self.set_firsts, items, "right") - 1)

    def known_set_rows(self, items: ItemNumbers) -> SetPositions:
        """Return the position in ``set_ids`` of each item's set, or -1 if the item is in no set."""
        at = self.set_rows(items)
        inside = (at >= 0) & (items < self.set_firsts[at] + self.set_items[at])
        return SetPositions(np.where(inside, at, -1))

    def item_ranges(self, sets: SetPositions) -> tuple[ItemNumbers, ItemNumbers]:
        """Return the items of the given sets as ranges: the first and the last item of each range.

        Sets whose items have consecutive numbers share a range. ``sets`` are positions in
        ``set_ids``, in order.
        """
        first = self.set_firsts[sets]
        last = first + self.set_items[sets] - 1
        gap = np.ones(len(first), bool)
        gap[1:] = first[1:] != last[:-1] + 1
        begins = np.flatnonzero(gap)
        ends = last[np.append(begins[1:] - 1, len(last) - 1)]
        return ItemNumbers(first[begins]), ItemNumbers(ends)

    def rows_of_sets(self, sets: SetIds) -> SetPositions:
        """Return the positions in ``set_ids`` of the sets with these ids.

        Invisible sets are left out.
        """
        at = self.positions(sets)
        inside = at < len(self.set_ids)
        found = at[inside]
        return SetPositions(found[self.set_ids[found] == sets[inside]])

    def positions(self, sets: SetIds) -> SetPositions:
        """Return the positions in ``set_ids`` at which the sets with these ids are, if visible.

        For an invisible set, this is the position of the next higher id.
        """
        ids = self.set_ids
        if len(ids) and ids[-1] - ids[0] == len(ids) - 1:  # no id is missing
            return SetPositions(np.clip(sets - ids[0], 0, len(ids)))
        return SetPositions(np.searchsorted(ids, sets))


def all_of_base(layout: Layout, base: int, room: Room = MEMORY) -> Snapshot:
    """Return a view of everything in a base, including ingests that were rolled back or pruned.

    Only the writer may call this, after ``recover``, because the newest version of each table then
    contains exactly the committed rows. The versions are determined without a commit record,
    because a base may still be in use after its records have been pruned.
    """
    versions = {name: newest_version(layout.table(base, name)) for name in TABLES}
    tables = {name: version for name, version in versions.items() if version is not None}
    rows = read_rows(layout.table(base, "ingests"), "ingests", tables.get("ingests"), [INGEST])
    ingests = np.asarray(rows[INGEST])
    visible = ((int(ingests.min()), int(ingests.max())),) if len(ingests) else ()
    commit = Commit(base, 0, "", "", visible, tables, Totals())
    return Snapshot(layout, commit, room=room)


def _ints(table: pa.Table, column: str) -> I64:
    return np.ascontiguousarray(np.asarray(table[column]), dtype=np.int64)
