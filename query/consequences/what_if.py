"""Find the items that would die or have another value if some items or triples did not exist.

The question reads the same data as the impact of the deleted items. A triple is stored with the set
of its dst. So the partitions read for an impact contain all triples that lead to items of the
impact, even triples whose src is not in the impact. The Lipstick paper (definition 4.2) defines
deletion; ``deletion/fates.py`` describes how deletion here differs from it.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa

from provhouse.model.answer import Header, Read
from provhouse.model.arrays import I32, I64, ItemNumber, ItemNumbers, among, union, unique
from provhouse.model.columns import ITEM, OP, TABLE
from provhouse.model.deletion import Deletion
from provhouse.model.operations import FUNCTIONS, Weakest
from provhouse.model.progress import Stopwatch

from ..lineage.ask import Asker
from ..lineage.exactness import NOT_STATED, Stated
from ..methods.csprov import CSProv
from ..passed_samples import common_fields, samples_passed
from ..reading.verify import check_dependencies
from ..reading.walk import Walk, walk_downstream
from .deletion.codes import DELETED, DIES, SURVIVES, UNDECIDED
from .deletion.derivation_index import COPY, EXCEPT, Derivations
from .deletion.described import Described
from .deletion.fates import Fates, fates
from .deletion.new_values import NOTHING, NewValues, Recomputed, Tensors
from .deletion.recompute import REASONS
from .deletion.supposed import Deleted, select

FATES = ("dies", "changed", "undecided", "survives")
"""The fates of items, in the order in which an answer lists them."""
_FATE = "fate"
_CHANGED = pa.schema(
    [
        (ITEM, pa.string()), (TABLE, pa.string()), (OP, pa.string()), ("function", pa.string()),
        ("before", pa.float64()), ("after", pa.float64()), ("inputs_lost", pa.int64()),
    ]
)  # fmt: skip
_UNKNOWN = pa.schema([(name, pa.string()) for name in (ITEM, TABLE, OP, "reason")])
_TABLES = pa.schema([(TABLE, pa.string()), *((fate, pa.int64()) for fate in FATES)])
_ITEMS = pa.schema([(name, pa.string()) for name in (ITEM, TABLE, _FATE)])
_MAY_CREATE = pa.schema([(OP, pa.string()), ("inputs_lost", pa.int64())])


@dataclass(frozen=True, kw_only=True)
class WhatIf(Header):
    """The consequences of a deletion for all items downstream.

    ``dies``, ``survives`` and ``undecided`` count the reached items, without deleted and erased
    items. ``tables`` has the counts by table. ``survives`` includes the items that ``tables``
    counts as ``changed``. A summary has no rows in ``items``, ``changed`` and ``unknown``.
    """

    deletion: Deletion
    deleted: int
    """The number of deleted items."""
    deleted_triples: int
    """The number of triples that are deleted because of their op, file or run."""
    dies: int
    survives: int
    undecided: int
    """The number of items whose fate the triples do not determine."""
    tables: pa.Table
    """A row for each table, by name: table, dies, changed, undecided, survives."""
    items: pa.Table
    """A row for each item: item, table and fate, in the order of ``FATES``, then by name."""
    changed: pa.Table
    """A row for each aggregate that changes: item, table, op, function, before, after, inputs_lost.

    ``after`` is null if nothing is left to compute it from.
    """
    unknown: pa.Table
    """A row for each value that may change but cannot be computed again: item, table, op,
    reason.
    """
    changed_items: int
    """The number of items with an aggregate that changes."""
    not_recomputed: int
    """The number of items with a value in ``unknown``."""
    may_create: pa.Table
    """The ops of the kind ``except`` that lose an input, and the number of inputs that each loses.

    A lost input may have prevented other items.
    """
    erased: int
    """The number of erased items reached, which are not counted."""
    complete: bool
    read: Read
    exactness: Weakest | None = None
    """The weakest exactness of the triples between the items, as in ``Answer``."""
    exactness_triples: dict[str, int] = field(default_factory=dict)


def what_if(
    asker: Asker, deletion: Deletion, *, summary: bool = False, watch: Stopwatch | None = None
) -> WhatIf:
    """Return the consequences of a deletion of items and triples.

    Raises NotFound if an item, op, file or run is not stored, UsageError if nothing is named, and
    Damaged if the answer would be incomplete.
    """
    names = asker.snapshot.names
    return names.settled(lambda: _what_if(asker, deletion, summary, watch or Stopwatch()))


def _what_if(asker: Asker, deletion: Deletion, summary: bool, watch: Stopwatch) -> WhatIf:
    snapshot = asker.snapshot
    with watch.step("locate"):
        deleted = select(snapshot, deletion)
    walk = downstream(asker, deleted, watch)
    triples, read = CSProv(snapshot, asker.spark, watch, walk).read("downstream")
    with watch.step("recurse"):
        described = Described(snapshot, triples, walk.partitions)
        found = settle(described, deleted, walk)
        values = found.values()
    with watch.step("name"):
        return found.answer(asker, deletion, values, summary, read, watch)


def downstream(asker: Asker, deleted: Deleted, watch: Stopwatch) -> Walk:
    """Return the walk downstream from all deleted items and triples."""
    sets = deleted.sets(asker.snapshot)
    if len(sets) == 1:
        first = ItemNumber(int(asker.snapshot.set_firsts[sets[0]]))
        return asker.walk(first, "downstream", watch)
    with watch.step("walk"):
        asker.started(watch)  # checks that Neo4j has the generation, as every walk does
        check_dependencies(asker.snapshot)
        return walk_downstream(asker.snapshot, sets)


def settle(described: Described, deleted: Deleted, walk: Walk) -> "Settled":
    """From the triples of a walk, compute the fates of all items downstream of a deletion."""
    graph = Derivations(described.rows)
    places = graph.place(deleted.items)
    ended = deleted.rows(described.triples, walk.partitions)
    return Settled(described, deleted, graph, places, ended, fates(graph, places, ended))


@dataclass(frozen=True)
class Settled:
    """The fates after a deletion, and the graph from which they were computed."""

    described: Described
    deleted: Deleted
    graph: Derivations
    places: I32
    """The places of the deleted items."""
    ended: I32
    """The rows of the deleted triples."""
    fates: Fates

    @cached_property
    def _tensors(self) -> Tensors | None:
        return self.described.tensors(self.graph)

    def values(self) -> NewValues:
        """Return the changed values of all items that an answer shows."""
        if self._tensors is None:
            return NOTHING
        found = Recomputed(self.graph, self._tensors, self.fates).values(self.places, self.ended)
        return self.visible(found)

    def answer(
        self, asker: Asker, deletion: Deletion, values: NewValues, summary: bool, read: Read,
        watch: Stopwatch,
    ) -> WhatIf:  # fmt: skip
        """Return the answer with names. For a summary, names of items are not looked up."""
        snapshot = self.described.snapshot
        items = self.graph.items(self.fates.reached)
        erased = int(among(items, snapshot.erased_items).sum())
        shown, code = self.codes(values)
        changed, unknown = self._items_of(values.ways), self._items_of(values.unknown)
        counts = dict(zip(FATES, np.bincount(code, minlength=len(FATES)).tolist(), strict=True))
        stated = self._stated(asker)
        deleted = (self.deleted.items, self.described.rows.src[self.ended])
        samples = samples_passed(snapshot, "downstream", items, *map(ItemNumbers, deleted))
        return WhatIf(
            **common_fields(snapshot, watch, read, samples),
            deletion=deletion,
            deleted=len(self.deleted.items),
            deleted_triples=len(self.deleted.triples),
            dies=counts["dies"],
            survives=counts["survives"] + counts["changed"],
            undecided=counts["undecided"],
            tables=_by_table(asker, shown, code),
            items=_ITEMS.empty_table() if summary else _items(asker, shown, code),
            changed=_CHANGED.empty_table() if summary else self._changed(asker, values),
            unknown=_UNKNOWN.empty_table() if summary else self._unknown(asker, values),
            changed_items=len(changed),
            not_recomputed=len(unknown),
            may_create=self._may_create(),
            erased=erased,
            exactness=stated.weakest,
            exactness_triples=dict(stated.triples),
        )

    def codes(self, values: NewValues) -> tuple[ItemNumbers, I64]:
        """Return the reached items and the codes of their fates.

        Groups and erased items are left out. A code is a position in ``FATES``.
        """
        snapshot = self.described.snapshot
        items = self.graph.items(self.fates.reached)
        kept = ~among(items, union(snapshot.names.erased, snapshot.groups))
        shown, fate = ItemNumbers(items[kept]), self.fates.fates[kept]
        code = np.choose(fate, [FATES.index(each) for each in ("dies", "survives", "undecided")])
        changed = among(shown, self._items_of(values.ways))
        code[(fate == SURVIVES) & changed] = FATES.index("changed")
        return shown, code

    def _items_of(self, ways: I32) -> ItemNumbers:
        """Return the items that the given derivations make, in order."""
        return self.graph.items(unique(self.graph.dst[ways]))

    def visible(self, values: NewValues) -> NewValues:
        """Return the values, except those of groups and erased items, which are never shown."""
        hidden = union(self.described.snapshot.names.erased, self.described.snapshot.groups)
        if not len(hidden):
            return values
        kept, known = (
            ~among(self.graph.items(self.graph.dst[ways]), hidden)
            for ways in (values.ways, values.unknown)
        )
        return values.select(kept, known)

    def _changed(self, asker: Asker, values: NewValues) -> pa.Table:
        if not len(values.ways):
            return _CHANGED.empty_table()
        made = self._made(values.ways)
        functions = self._tensors.function[made] if self._tensors else np.empty(0, np.int8)
        table = pa.table(
            {
                **self._rows(asker, values.ways, made),
                "function": pa.array(FUNCTIONS, pa.string()).take(pa.array(functions)),
                "before": values.before, "after": pa.array(values.after, from_pandas=True),
                "inputs_lost": values.inputs_lost,
            }
        )  # fmt: skip
        return _named(table.cast(_CHANGED))

    def _unknown(self, asker: Asker, values: NewValues) -> pa.Table:
        if not len(values.unknown):
            return _UNKNOWN.empty_table()
        rows = self._rows(asker, values.unknown, self._made(values.unknown))
        reasons = pa.array(REASONS).take(pa.array(values.reasons))
        return _named(pa.table({**rows, "reason": reasons}).cast(_UNKNOWN))

    def _made(self, ways: I32) -> I32:
        """Return the derivation that made each value; for a copy, the derivation of the group."""
        copied = self.graph.kind[ways] == COPY
        if not copied.any():
            return ways
        row = np.zeros(len(self.graph.dst), np.int64)
        row[self.graph.of] = np.arange(len(self.graph.of))
        group = self.graph.src[row[ways]]
        return np.where(copied, self.graph.first[group], ways).astype(np.int32)

    def _rows(self, asker: Asker, ways: I32, made: I32) -> dict[str, pa.Array]:
        items, at = np.unique(self.graph.items(self.graph.dst[ways]), return_inverse=True)
        names, tables = asker.snapshot.names.described(ItemNumbers(items))
        ops = self.described.op_of(self.graph, made)
        return {ITEM: names.take(pa.array(at)), TABLE: tables.take(pa.array(at)), OP: ops}

    def _may_create(self) -> pa.Table:
        """Return the ops of the kind ``except`` that lose inputs, and how many each op loses."""
        graph, fate = self.graph, self.fates.fate
        if not (graph.kind == EXCEPT).any():
            return _MAY_CREATE.empty_table()
        lost = graph.kind[graph.of] == EXCEPT
        lost &= (fate[graph.src] == DIES) | (fate[graph.src] == DELETED)
        lost[self.ended[graph.kind[graph.of[self.ended]] == EXCEPT]] = True
        codes, ops = self.described.ops
        found, counts = np.unique(codes[lost], return_counts=True)
        return pa.table([ops.take(pa.array(found)), counts], schema=_MAY_CREATE).sort_by(OP)

    def _stated(self, asker: Asker) -> Stated:
        if asker.declared.weakest is None:
            return NOT_STATED
        codes, ops = self.described.ops
        on_paths = np.isin(self.fates.fate[self.graph.src], (DIES, SURVIVES, UNDECIDED, DELETED))
        return asker.declared.of_triples(ops.take(pa.array(codes[on_paths])))


def _by_table(asker: Asker, items: ItemNumbers, code: I64) -> pa.Table:
    tables = asker.snapshot.names.tables(items)
    rows = pa.table({TABLE: tables.cast(pa.string()), _FATE: code})
    found = rows.group_by([TABLE, _FATE], use_threads=False).aggregate([([], "count_all")])
    counts = {name: [0] * len(FATES) for name in sorted(set(found[TABLE].to_pylist()))}
    for row in found.to_pylist():
        counts[row[TABLE]][row[_FATE]] = row["count_all"]
    columns = zip(*counts.values(), strict=True) if counts else ((),) * len(FATES)
    return pa.table([[*counts], *(list(one) for one in columns)], schema=_TABLES)


def _items(asker: Asker, items: ItemNumbers, code: I64) -> pa.Table:
    order = np.argsort(items)
    texts, tables = asker.snapshot.names.described(ItemNumbers(items[order]))
    rows = pa.table({ITEM: texts, TABLE: tables, _FATE: code[order]})
    rows = rows.sort_by([(_FATE, "ascending"), (ITEM, "ascending")])
    fate = pa.array(FATES).take(rows[_FATE].combine_chunks())
    return rows.set_column(2, _FATE, fate).cast(_ITEMS)


def _named(rows: pa.Table) -> pa.Table:
    """Return ``rows``, sorted by item and op."""
    return rows.sort_by([(ITEM, "ascending"), (OP, "ascending")])
