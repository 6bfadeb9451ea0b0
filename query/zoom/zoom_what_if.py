"""Show the consequences of a deletion at the level of modules, tables or sets."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from provhouse.model.answer import Read
from provhouse.model.arrays import I64, ItemNumbers, among, union
from provhouse.model.deletion import Deletion
from provhouse.model.errors import UsageError
from provhouse.model.progress import Stopwatch
from provhouse.model.zoom import Level

from ..consequences.deletion.described import Described
from ..consequences.deletion.supposed import select
from ..consequences.what_if import FATES, Settled, WhatIf, downstream, settle
from ..lineage.ask import Asker
from ..lineage.row_filters import without_erased
from ..listing.modules import check_modules
from ..methods.csprov import CSProv
from ..methods.method import MethodResult
from ..methods.written_out import written_out
from .zoom_view import LevelView, ShownAt, shown_at

COUNTS = ("deleted", *FATES)
"""The columns with the counts of a node's items: the deleted items, and the items by fate."""


@dataclass(frozen=True, kw_only=True)
class ZoomedWhatIf(LevelView):
    """The consequences of a deletion for the nodes of a view.

    ``nodes`` also has the columns ``COUNTS``: the number of deleted items of each node, and the
    number of its items with each fate.
    """

    summary: WhatIf
    """The consequences as counts by table; at the level ``record``, also all values that change."""


def zoom_what_if(
    asker: Asker, deletion: Deletion, level: Level, folded: Sequence[str] = ()
) -> ZoomedWhatIf:
    """Return the consequences of a deletion of items and triples, at a level.

    Raises the errors of ``what_if``, NotFound for an unknown module, and UsageError for the level
    ``catalogue``, which has no items.
    """
    if level == "catalogue":
        raise UsageError(
            "A deletion cannot be shown at the level catalogue",
            "Only items have fates, and this level reads no items",
            "Choose the level table, or module",
        )
    names = asker.snapshot.names
    return names.settled(lambda: _zoom_what_if(asker, deletion, level, folded))


def _zoom_what_if(
    asker: Asker, deletion: Deletion, level: Level, folded: Sequence[str]
) -> ZoomedWhatIf:
    watch, snapshot = Stopwatch(), asker.snapshot
    with watch.step("locate"):
        deleted = select(snapshot, deletion)
    walk = downstream(asker, deleted, watch)
    triples, read = CSProv(snapshot, asker.spark, watch, walk, described=True).read("downstream")
    with watch.step("recurse"):
        found = settle(Described(snapshot, triples, walk.partitions), deleted, walk)
        values = found.values()
        items, codes = found.codes(values)
    with watch.step("fold"):
        result = without_erased(_between(found, read), snapshot.names.erased)
        view = shown_at(
            snapshot, result, level, folded,
            asked=ItemNumbers(np.empty(0, np.int64)),
            kept=ItemNumbers(deleted.items[~among(deleted.items, snapshot.names.erased)]),
        )  # fmt: skip
    with watch.step("name"):
        check_modules(folded, view.modules, snapshot)
        fields = view.fields()
        counts = _counts(view, items, codes, fields["nodes"])
    for name, column in zip(COUNTS, counts.T, strict=True):
        fields["nodes"] = fields["nodes"].append_column(name, pa.array(column))
    summary = found.answer(asker, deletion, values, level != "record", read, watch)
    summary = replace(summary, items=summary.items.slice(0, 0))  # the nodes say the same
    return ZoomedWhatIf(**fields, summary=summary)


def _between(found: Settled, read: Read) -> MethodResult:
    """Return the triples between the items that a deletion reaches, including the deleted items."""
    snapshot, graph = found.described.snapshot, found.graph
    inside = np.zeros(graph.places, bool)
    inside[found.places] = inside[found.fates.reached] = True
    rows = np.flatnonzero(inside[graph.src] & inside[graph.dst[graph.of]])
    items = union(found.deleted.items, graph.items(found.fates.reached))
    items = items[~among(items, snapshot.groups)]
    result = MethodResult(
        ItemNumbers(items),
        np.zeros(len(items), np.int32),
        found.described.triples.take(rows),
        np.zeros(len(rows), np.int32),
        ItemNumbers(np.empty(0, np.int64)),
        read,
    )
    return written_out(result, snapshot.groups, "downstream")


def _counts(view: ShownAt, items: ItemNumbers, codes: I64, nodes: pa.Table) -> I64:
    """Return, for each node, the number of its deleted items and of its items with each fate."""
    flow, of = view.flow, view.nodes_of_items
    column = np.zeros(flow.flow.items, np.int64)  # an item without a fate is deleted
    column[np.searchsorted(flow.numbers, items)] = 1 + codes
    numbers = np.asarray(nodes["node"])
    counts = np.zeros((int(numbers.max(initial=0)) + 1, len(COUNTS)), np.int64)
    shown = of >= 0
    np.add.at(counts, (of[shown], column[shown]), 1)
    found: I64 = counts[numbers]
    return found
