"""Build the nodes and edges of a view, or of the table graph of a warehouse."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64, ItemNumber, ItemNumbers
from provhouse.model.columns import (
    DST_TABLE,
    EXECUTION,
    INGEST,
    INVOCATION,
    ITEMS,
    MODULE,
    OP,
    OPS,
    RUN,
    SRC_TABLE,
    TABLE,
    TRIPLES,
)
from provhouse.model.question import Direction
from provhouse.model.zoom import Level
from provhouse.store.tables.snapshot import Snapshot

from ..catalogue import links, table_names
from ..methods.method import MethodResult
from .fold import Folded
from .numbering import dense_distinct
from .zoom_flow import NumberedFlow

_TEXT = pa.string()
NODES = pa.schema(
    [
        ("node", pa.int64()),
        ("kind", _TEXT),
        ("name", _TEXT),
        (TABLE, _TEXT),
        (MODULE, _TEXT),
        (RUN, _TEXT),
        (EXECUTION, _TEXT),
        (INVOCATION, _TEXT),
        (ITEMS, pa.int64()),
        ("invocations", pa.int64()),
    ]
)
"""The columns of a view's nodes. ``kind`` is ``item``, ``set``, ``table``, ``module``,
``invocation`` or ``dataset``. ``items`` is the number of items that the node stands for; a module
or an invocation counts only its hidden items. A column that does not apply to a node is null."""
EDGES = pa.schema([("from", pa.int64()), ("to", pa.int64()), (OP, _TEXT), (TRIPLES, pa.int64())])
"""The columns of a view's edges, from the node of a src to the node of a dst."""


@dataclass(frozen=True)
class GroupedEdges:
    """The groups that a view shows as nodes, and the edges between them.

    The first groups are the asked items. Then come groups of items, then modules or invocations.
    """

    level: Level
    items: I64
    """The group of each item; -1 for a hidden item."""
    calls: I64
    """The group of each invocation."""
    labels: I64
    """The item, set or table (depending on the level) for which each group of items stands."""
    start: I64
    end: I64
    """The groups at both ends of each edge of the view; two groups may have several edges."""


def grouped(flow: NumberedFlow, view: Folded, level: Level, snapshot: Snapshot) -> GroupedEdges:
    """Group the items and folded invocations of a view by level."""
    keys = _keys(flow, level, snapshot)
    keys[view.hidden] = -1
    keys[flow.asked] = -2
    asked = len(flow.asked)
    shown = np.flatnonzero(keys >= 0)
    each = level == "record"
    labels, places = (shown, np.arange(len(shown))) if each else dense_distinct(keys[shown])
    items = np.full(len(keys), -1)
    items[shown], items[flow.asked] = places + asked, np.arange(asked)
    before = len(labels) + asked
    of = np.arange(len(flow.calls.calls)) if level == "record" else flow.calls.module
    calls = before + of.astype(np.int64)
    groups = np.append(items, calls)
    return GroupedEdges(level, items, calls, labels, groups[view.start], groups[view.end])


def counted(of: GroupedEdges, view: Folded, found: MethodResult) -> pa.Table:
    """Return the edges between groups, with the number of triples of each op."""
    ops = found.triples[OP].combine_chunks()
    ops = ops if pa.types.is_dictionary(ops.type) else ops.dictionary_encode()
    order = pc.sort_indices(ops.dictionary)
    rank = np.empty(len(order), np.int64)
    rank[np.asarray(order)] = np.arange(len(order))
    width = max(len(order), 1)
    count = int(max(of.start.max(initial=0), of.end.max(initial=0))) + 1
    codes = (of.start * count + of.end) * width + rank[np.asarray(ops.indices)[view.row]]
    codes.sort()  # a code contains from, to and op, so this sorts by all three
    new = np.ones(len(codes), bool)
    new[1:] = codes[1:] != codes[:-1]
    begins = np.flatnonzero(new)
    edges, triples = codes[begins], np.diff(begins, append=len(codes))
    several = np.flatnonzero(triples > 1)  # mostly few; edges of one triple need no sort
    most = several[np.argsort(-triples[several], kind="stable")]
    most = np.concatenate([most, np.flatnonzero(triples == 1)])
    ends, op = np.divmod(edges[most], width)
    start, end = np.divmod(ends, count)
    texts = ops.dictionary.take(order).take(pa.array(op))
    return pa.table([start, end, texts, triples[most]], schema=EDGES)


def _keys(flow: NumberedFlow, level: Level, snapshot: Snapshot) -> I64:
    """Return, for each item, the number of the item, set or table that represents it."""
    if level == "record":
        return np.arange(flow.flow.items)
    if level == "set":
        return np.array(snapshot.sets_of(flow.numbers), np.int64)
    return flow.flow.table.astype(np.int64)


def named(flow: NumberedFlow, view: Folded, grouped: GroupedEdges, snapshot: Snapshot) -> pa.Table:
    """Return the nodes of a view, with names."""
    asked = _items(flow, flow.asked, snapshot, 0)
    return pa.concat_tables([asked, _shown(flow, grouped, snapshot), _folded(flow, view, grouped)])


def _items(flow: NumberedFlow, items: I64, snapshot: Snapshot, first: int) -> pa.Table:
    names = snapshot.names.names(ItemNumbers(flow.numbers[items]))
    tables = pa.array(flow.tables, _TEXT).take(pa.array(flow.flow.table[items]))
    return _nodes("item", first, names, np.ones(len(items), np.int64), {TABLE: tables})


def _shown(flow: NumberedFlow, grouped: GroupedEdges, snapshot: Snapshot) -> pa.Table:
    labels, first = grouped.labels, len(flow.asked)
    if grouped.level == "record":
        return _items(flow, labels, snapshot, first)
    shown = grouped.items[grouped.items >= first] - first
    sizes = np.bincount(shown, minlength=len(labels))
    if grouped.level == "set":
        return _nodes("set", first, pa.array(labels).cast(_TEXT), sizes, {})
    names = pa.array([flow.tables[at] for at in labels.tolist()], _TEXT)
    return _nodes("table", first, names, sizes, {TABLE: names})


def _folded(flow: NumberedFlow, view: Folded, grouped: GroupedEdges) -> pa.Table:
    """Return the nodes for folded invocations, or for their modules."""
    made = np.full(flow.flow.items, -1, np.int64)
    made[flow.flow.dst] = flow.flow.invocation
    inner = np.bincount(made[view.hidden & (made >= 0)], minlength=len(flow.calls.calls))
    if grouped.level == "record":
        at = view.invocations
        texts = [flow.calls.calls[n] for n in at.tolist()]
        columns = [pa.array(list(column), _TEXT) for column in zip(*texts, strict=True)]
        more = dict(zip((MODULE, RUN, EXECUTION, INVOCATION), columns, strict=False))
        names = more.get(MODULE, pa.array([], _TEXT))
        return _nodes("invocation", grouped.calls[at], names, inner[at], more)
    of = flow.calls.module[view.invocations]
    modules, number = np.unique(of, return_counts=True)
    names = pa.array([flow.calls.modules[n] for n in modules.tolist()], _TEXT)
    hidden = np.bincount(flow.calls.module, weights=inner, minlength=len(flow.calls.modules))
    first = len(grouped.labels) + len(flow.asked) + modules.astype(np.int64)
    more = {MODULE: names, "invocations": pa.array(number)}
    return _nodes("module", first, names, hidden[modules].astype(np.int64), more)


def _nodes(
    kind: str, numbers: int | I64, names: pa.Array, items: I64, more: dict[str, pa.Array]
) -> pa.Table:
    """Return nodes with the given numbers.

    If ``numbers`` is a single number, it is the number of the first node, and the other nodes get
    the numbers that follow. Columns that are not given are null.
    """
    count = len(names)
    node = np.arange(numbers, numbers + count) if isinstance(numbers, int) else numbers
    known = {
        "node": pa.array(node, pa.int64()),
        "kind": pa.repeat(pa.scalar(kind), count),
        "name": names,
        ITEMS: pa.array(items),
        **more,
    }
    columns = [known.get(field.name, pa.nulls(count, field.type)) for field in NODES]
    return pa.table([c.cast(f.type) for c, f in zip(columns, NODES, strict=True)], schema=NODES)


def reached_tables(
    snapshot: Snapshot, asked: ItemNumber, direction: Direction, depth: int | None
) -> tuple[pa.Table, pa.Table]:
    """Return the tables that an item's table may derive from, or that may derive from it.

    The table graph has a link for each pair of tables that a triple of the warehouse has ever
    linked, so the item's real answer may have fewer tables. The graph also has the links of the
    catalogue.
    """
    table, rows = _table_of(snapshot, asked), _table_graph(snapshot)
    reached = _reached(rows, table, direction, depth)
    return _tables(snapshot, rows, [table, *sorted(reached - {table})])


def tables_between(
    snapshot: Snapshot, first: ItemNumber, last: ItemNumber
) -> tuple[pa.Table, pa.Table]:
    """Return the tables on all paths between two items' tables, or nothing if there is no path.

    The first nodes are the tables of the two items.
    """
    rows = _table_graph(snapshot)
    start, end = _table_of(snapshot, first), _table_of(snapshot, last)
    after = _reached(rows, start, "downstream", None)
    between = after & _reached(rows, end, "upstream", None)
    if start == end and not any(link == (start, end) for link in _links(rows)):
        between = between if len(between) > 1 else set()
    ends = dict.fromkeys((start, end))
    return _tables(snapshot, rows, [*ends, *sorted(between - {*ends})] if between else [])


def _table_graph(snapshot: Snapshot) -> pa.Table:
    """Return the links between tables, and the links of jobs in the catalogue, with 0 triples."""
    stored = snapshot.rows("workflow")
    found = [
        {SRC_TABLE: source, DST_TABLE: target, TRIPLES: 0, OPS: [job], INGEST: 0}
        for source, target, job in links(snapshot.layout, table_names(snapshot))
    ]
    return pa.concat_tables([stored, pa.Table.from_pylist(found, schema=stored.schema)])


def _table_of(snapshot: Snapshot, item: ItemNumber) -> str:
    return str(snapshot.names.tables(ItemNumbers(np.array([item])))[0].as_py() or "")


def _links(rows: pa.Table) -> list[tuple[str, str]]:
    return list(zip(*(rows[name].to_pylist() for name in (SRC_TABLE, DST_TABLE)), strict=True))


def _reached(rows: pa.Table, table: str, direction: Direction, depth: int | None) -> set[str]:
    """Return ``table``, and the tables that can be reached from it in the table graph."""
    links = [link if direction == "downstream" else link[::-1] for link in _links(rows)]
    reached, level, hops = {table}, {table}, 0
    while level and (depth is None or hops < depth):
        level = {far for near, far in links if near in level} - reached
        reached |= level
        hops += 1
    return reached


def _tables(snapshot: Snapshot, rows: pa.Table, names: Sequence[str]) -> tuple[pa.Table, pa.Table]:
    """Return the tables ``names`` as nodes, and the links between them as edges."""
    edges = _table_edges(rows, names)
    counts = snapshot.rows("tables").group_by(TABLE).aggregate([(ITEMS, "sum")])
    sizes = dict(zip(counts[TABLE].to_pylist(), counts[f"{ITEMS}_sum"].to_pylist(), strict=True))
    of_tables = [name if name in sizes or not name else None for name in names]
    kinds = pa.array(["dataset" if name is None else "table" for name in of_tables], _TEXT)
    items = np.array([sizes.get(name, 0) for name in names], np.int64)
    more = {"kind": kinds, TABLE: pa.array(of_tables, _TEXT)}
    return _nodes("table", 0, pa.array(names, _TEXT), items, more), edges


def _table_edges(rows: pa.Table, names: Sequence[str]) -> pa.Table:
    ends = [pc.index_in(rows[name], pa.array(names, _TEXT)) for name in (SRC_TABLE, DST_TABLE)]
    ops = [", ".join(sorted(filter(None, ops))) for ops in rows[OPS].to_pylist()]
    edges = pa.table([*ends, pa.array(ops, _TEXT), rows[TRIPLES]], names=EDGES.names)
    edges = edges.filter(pc.and_(pc.is_valid(edges["from"]), pc.is_valid(edges["to"])))
    edges = edges.group_by(["from", "to", OP]).aggregate([(TRIPLES, "sum")])
    edges = edges.rename_columns(EDGES.names).cast(EDGES)
    order = [(TRIPLES, "descending"), ("from", "ascending"), ("to", "ascending"), (OP, "ascending")]
    return edges.sort_by(order)
