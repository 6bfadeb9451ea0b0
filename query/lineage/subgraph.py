"""Find the items around an item: ancestors, descendants, and the other inputs of descendants.

This is the subgraph query of the Lipstick paper (section 5.1). It contains every triple that
determines whether a descendant would exist without the item.
"""

from dataclasses import astuple, dataclass

import numpy as np
import pyarrow as pa

from provhouse.model.answer import FoundRows, Read
from provhouse.model.arrays import ItemNumber, ItemNumbers, among, unique
from provhouse.model.columns import ITEM, TABLE
from provhouse.model.progress import Stopwatch

from ..locate import locate_versions
from ..methods.csprov import CSProv
from ..methods.method import MethodResult, src_and_dst
from ..methods.written_out import written_out
from ..passed_samples import common_fields, samples_passed
from ..reading.recurse import recurse
from .ask import Asker
from .named_rows import name_rows
from .row_filters import without_erased

PARTS = ("ancestor", "descendant", "sibling")
"""The parts of a subgraph, in the order of its items."""
_ITEMS = pa.schema([(name, pa.string()) for name in (ITEM, TABLE, "part")])


@dataclass(frozen=True, kw_only=True)
class Subgraph(FoundRows):
    """The items around an item, and the triples between them.

    ``items`` has the columns item, table and part, ordered by part, then name. An item that is both
    an ancestor and a descendant counts as a descendant. Siblings are neither. ``triples`` has the
    columns src, dst, op and attributes, and is ordered by these columns.
    """

    item: str
    ancestors: int
    descendants: int
    siblings: int


def subgraph(asker: Asker, item: str) -> Subgraph:
    """Return all ancestors and descendants of an item, and the siblings of its descendants.

    Reads the same data as the lineage and the impact of the item. Raises NotFound if the item is
    not stored.
    """
    return asker.snapshot.names.settled(lambda: _subgraph(asker, item))


def _subgraph(asker: Asker, item: str) -> Subgraph:
    watch, snapshot = Stopwatch(), asker.snapshot
    with watch.step("locate"):
        located = locate_versions(snapshot, item)
    walk = asker.walk(located.first, "upstream", watch)
    up = CSProv(snapshot, asker.spark, watch, walk).find(located.first, "upstream", None)
    up = written_out(up, snapshot.groups, "upstream")
    down = _below(asker, located.first, watch)
    with watch.step("recurse"):
        every = _together(up, down, located.first)
        found = without_erased(every, snapshot.names.erased)
        part = np.where(among(found.items, up.items), 0, 2)
        part[among(found.items, down.items)] = 1
    with watch.step("name"):
        _, triples = name_rows(found.without_repeats(), snapshot.names)
        texts, tables = snapshot.names.described(found.items)
        items = pa.table([texts, tables, pa.array(PARTS).take(pa.array(part))], schema=_ITEMS)
    counts = np.bincount(part, minlength=len(PARTS))
    above = samples_passed(snapshot, "upstream", up.items, located.numbers)
    below = samples_passed(snapshot, "downstream", down.items, located.numbers)
    read = Read(*np.sum([astuple(each.read) for each in (up, down)], axis=0).tolist())
    return Subgraph(
        **common_fields(snapshot, watch, read, tuple(dict.fromkeys((*above, *below)))),
        item=located.names[0],
        items=items.sort_by([("part", "ascending"), (ITEM, "ascending")]),
        triples=triples,
        ancestors=int(counts[0]),
        descendants=int(counts[1]),
        siblings=int(counts[2]),
        erased=len(every.items) - len(found.items),
    )


def _below(asker: Asker, item: ItemNumber, watch: Stopwatch) -> MethodResult:
    """Return the descendants of an item, with all triples that lead to them.

    A triple is stored with the set of its dst, so the method has read all of these triples for the
    impact.
    """
    snapshot = asker.snapshot
    walk = asker.walk(item, "downstream", watch)
    triples, read = CSProv(snapshot, asker.spark, watch, walk).read("downstream")
    with watch.step("recurse"):
        below = np.asarray(recurse(triples.src, triples.dst, item).items)
        into = among(triples.dst, below)
        groups = unique(triples.src[into & among(triples.src, snapshot.groups)])
        rows = np.flatnonzero(into | among(triples.dst, groups))
        items = ItemNumbers(below[~among(below, snapshot.groups)])
        found = MethodResult(
            items,
            np.zeros(len(items), np.int32),
            triples.take(rows),
            np.zeros(len(rows), np.int32),
            ItemNumbers(np.empty(0, np.int64)),
            read,
        )
        return written_out(found, snapshot.groups, "downstream")


def _together(up: MethodResult, down: MethodResult, item: ItemNumber) -> MethodResult:
    """Combine both results. The items of the combined result include all inputs of descendants."""
    triples = pa.concat_tables([up.triples, down.triples]).unify_dictionaries().combine_chunks()
    items = unique(np.concatenate([up.items, down.items, *src_and_dst(down.triples)]))
    items = items[items != item]
    return MethodResult(
        ItemNumbers(items),
        np.zeros(len(items), np.int32),
        triples,
        np.zeros(len(triples), np.int32),
        ItemNumbers(np.empty(0, np.int64)),
        down.read,
    )
