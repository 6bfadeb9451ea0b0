"""Number cut items and their sets, and stage the numbers."""

from collections.abc import Sequence
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I32, I64, Bools
from provhouse.model.columns import COMPONENT, FIRST, INTO, ITEMS, NODE, SET, TABLES_OF
from provhouse.runtime.storage import create_array, stream_writer, write_stream
from provhouse.sets.distinct import distinct
from provhouse.sets.item_graph import ItemGraph, with_neighbours
from provhouse.sets.ordering import set_order

from ..staging import CHUNK, Staging

_SETS = pa.schema(
    [
        (SET, pa.int64()),
        (COMPONENT, pa.int64()),
        (FIRST, pa.int64()),
        (ITEMS, pa.int64()),
        (TABLES_OF, pa.list_(pa.string())),
        (NODE, pa.bool_()),
    ]
)


class Numbering:
    """A context manager that stages ``numbers`` (by place), ``sets`` and ``merges``.

    ``stored`` has the stored number of the item at each place, or -1 for a new item. ``first_item``
    and ``first_set`` are the next free numbers. ``plain_nodes`` is the largest number of uncut
    components that get a node in Neo4j.
    """

    def __init__(
        self,
        staging: Staging,
        stored: I64,
        tables: Sequence[str],
        first_item: int,
        first_set: int,
        plain_nodes: int,
    ) -> None:
        self.items = self.sets = self.components = 0
        self._staging, self._tables = staging, tables
        self._first_item, self._first_set = first_item, first_set
        self._plain_nodes = plain_nodes
        self._merges: list[tuple[int, int]] = []
        self.numbers: I64 = np.asarray(create_array(staging.numbers, np.int64, (len(stored),)))
        for start in range(0, len(stored), CHUNK):
            self.numbers[start : start + CHUNK] = stored[start : start + CHUNK]

    def __enter__(self) -> Self:
        self._out = stream_writer(self._staging.sets, _SETS, compression=None)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._out.close()
        pairs = np.array(sorted(self._merges), np.int64).reshape(-1, 2)
        write_stream(self._staging.merges, pa.table({COMPONENT: pairs[:, 0], INTO: pairs[:, 1]}))

    def add(self, graph: ItemGraph, new_places: I64, label: I32, count: int) -> None:
        """Number the sets of complete components, from the largest component to the smallest.

        ``new_places`` has the places of the graph's new items, and ``label`` has their sets.
        """
        child, parent = graph.dependencies(label, count)
        items = np.bincount(label, minlength=count)
        group = graph.group_of(label, count)
        several = with_neighbours(count, child, parent)
        order = set_order(items, group, child, parent)
        position = np.empty(count, np.int64)
        position[order] = np.arange(count)
        items, several = items[order], several[order]
        first_item = self._first_item + self.items
        self.numbers[new_places[np.argsort(position[label], kind="stable")]] = (
            first_item + np.arange(len(label))
        )
        first = first_item + np.cumsum(items) - items
        component, merges, more = graph.components(group[order], first)
        plain = _largest(items, ~several, self._plain_nodes)
        sets = {
            SET: self._first_set + self.sets + np.arange(count),
            COMPONENT: component,
            FIRST: first,
            ITEMS: items,
            TABLES_OF: _tables_of(position[label], graph.table, self._tables, count),
            NODE: several | plain,
        }
        self._out.write_table(pa.table(sets, _SETS))
        self._merges += merges
        self._plain_nodes -= int(plain.sum())
        self.items += len(label)
        self.sets += count
        self.components += more


def _tables_of(sets: I64, table: I32, names: Sequence[str], count: int) -> pa.Array:
    """Return, for each set, the sorted names of the tables of its items."""
    width = max(len(names), 1)
    owner, code = np.divmod(distinct(sets * width + table), width)
    named = np.array([bool(name) for name in names], bool)[code] if len(code) else code.astype(bool)
    offsets = np.searchsorted(owner[named], np.arange(count + 1)).astype(np.int32)
    texts = pa.array(names, pa.string()).take(pa.array(code[named]))
    return pa.ListArray.from_arrays(pa.array(offsets), texts)


def _largest(items: I64, among: Bools, limit: int) -> Bools:
    """Return a mask of the ``limit`` largest of the sets that ``among`` marks."""
    rows = np.flatnonzero(among)
    chosen = np.zeros(len(items), bool)
    chosen[rows[np.argsort(-items[rows], kind="stable")[:limit]]] = True
    return chosen
