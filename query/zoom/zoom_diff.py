"""Compare an answer in two generations at the level of modules, tables, sets or records.

In each generation, the answer is folded as ``zoom`` folds it. The two views are compared by the
names of their nodes, and by the triples that each edge stands for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import ItemNumber, ItemNumbers
from provhouse.model.columns import ATTRIBUTES, EXECUTION, INVOCATION, MODULE, OP, RUN, TABLE
from provhouse.model.errors import NotFound
from provhouse.model.progress import Stopwatch
from provhouse.model.question import AsOf, Direction, Question
from provhouse.model.zoom import Level

from ..lineage.ask import Asker
from ..lineage.diff import Askers, Side
from ..listing.modules import check_modules
from ..locate import locate_versions
from ..methods.method import plain_texts
from ..passed_samples import samples_passed
from .zoom_rows import reached_tables
from .zoom_view import ShownAt
from .zoomed import answer_at, check_question

_TEXT = pa.string()
_NAMES = ("kind", "name", TABLE, MODULE, RUN, EXECUTION, INVOCATION)
_CHANGES = (("came", pa.int64()), ("went", pa.int64()))
NODES = pa.schema([("node", pa.int64()), *((name, _TEXT) for name in _NAMES), *_CHANGES])
"""The columns of nodes: their identity, and how many of their items came and went."""
EDGES = pa.schema([("from", pa.int64()), ("to", pa.int64()), (OP, _TEXT), *_CHANGES])
"""The columns of edges, including how many of their triples came and went."""
_KEY, _START, _END, _ITEM = "key", "start", "end", "item"
_TRIPLE = ("src", "dst", OP, ATTRIBUTES, "call")


@dataclass(frozen=True)
class ZoomedDiff:
    """The differences between two views of an answer.

    The node 0 shows the asked item. Every other node has items or edges that differ.
    """

    item: str
    direction: Direction
    since: Side
    until: Side
    zoom: Level
    folded: tuple[str, ...]
    nodes: pa.Table
    """The nodes, with the columns ``NODES``."""
    edges: pa.Table
    """The edges, with the columns ``EDGES``. Edges with the most differences come first."""
    seconds: dict[str, float]


@dataclass(frozen=True)
class _View:
    """The view in one generation, with names instead of numbers."""

    side: Side
    folded: tuple[str, ...]
    modules: tuple[str, ...]
    nodes: pa.Table
    """A row for each node: ``key`` and the columns ``_NAMES``. The first row is the asked item."""
    items: pa.Table
    """A row for each item: the key of the node that stands for the item, and the item's name."""
    edges: pa.Table
    """A row for each triple of each edge: the keys of the edge's nodes, and the triple."""


_COUNT = "count"
_ITEMS = pa.schema([(_KEY, _TEXT), (_ITEM, _TEXT), (_COUNT, pa.int64())])
_EDGES = pa.schema(
    [*((name, _TEXT) for name in (_START, _END, *_TRIPLE)), (_COUNT, pa.int64())]
)  # fmt: skip
_KEYED = pa.schema([(name, _TEXT) for name in (_KEY, *_NAMES)])


def zoom_diff(
    question: Question, until: AsOf | None, level: Level, folded: Sequence[str], askers: Askers
) -> ZoomedDiff:
    """Compare an answer as of the question's own ``as_of`` and as of ``until``, at a level.

    If ``until`` is None, it means the current generation. Raises NotFound if neither generation has
    the item, or a module to fold, and UsageError for options that the level does not support.
    """
    check_question(question, level, folded)
    with askers(question.as_of) as before, askers(until) as after:
        one, other = before.snapshot.names, after.snapshot.names
        compared = partial(_compare, question, level, folded, before, after)
        return one.settled(lambda: other.settled(compared))


def _compare(
    question: Question, level: Level, folded: Sequence[str], before: Asker, after: Asker
) -> ZoomedDiff:
    watch = Stopwatch()
    with watch.step("from"):
        one = _view(before, question, level, folded, watch.inner())
    with watch.step("to"):
        other = _view(after, question, level, folded, watch.inner())
    if not (one.side.stored or other.side.stored):
        raise NotFound(
            f"Item {question.item!r} is not in generation {one.side.generation} or "
            f"{other.side.generation}",
            "Neither of them has it",
            "Names must match exactly; check spelling and case",
        )
    with watch.step("compare"):
        check_modules(folded, (*one.modules, *other.modules), after.snapshot, before.snapshot)
        nodes, edges = _differences(one, other)
    return ZoomedDiff(
        item=question.item,
        direction=question.direction,
        since=one.side,
        until=other.side,
        zoom=level,
        folded=tuple(sorted({*one.folded, *other.folded})),
        nodes=nodes,
        edges=edges,
        seconds=watch.total(),
    )


def _view(
    asker: Asker, question: Question, level: Level, folded: Sequence[str], watch: Stopwatch
) -> _View:
    """Return the view in one generation, which is empty if the generation lacks the item."""
    snapshot = asker.snapshot
    commit = snapshot.commit
    side = Side(commit.generation, commit.time, stored=True, erased=0)
    try:
        located = locate_versions(snapshot, question.item, every=question.all_versions)
    except NotFound:
        side = replace(side, stored=False)
        return _View(side, (), (), _KEYED.empty_table(), _ITEMS.empty_table(), _EDGES.empty_table())
    if level == "catalogue":
        return _catalogue(asker, question, located.first, side)
    view, found, shown = answer_at(asker, question, level, folded, located.numbers, watch)
    samples = samples_passed(snapshot, question.direction, located.numbers, found.items)
    side = replace(side, erased=shown.erased, samples=samples)
    nodes = _with_keys(view.nodes(), question.item)
    numbers = np.asarray(nodes["node"])
    keys = np.full(int(max(view.groups.calls.max(initial=0), numbers.max())) + 1, "", object)
    keys[numbers] = nodes[_KEY].to_pylist()
    texts = pa.array(keys, _TEXT)
    return _View(
        side, view.folded, view.modules, nodes.select([_KEY, *_NAMES]), _items(view, texts),
        _edges(view, texts),
    )  # fmt: skip


def _with_keys(nodes: pa.Table, item: str) -> pa.Table:
    """Return ``nodes`` with keys that identify them; versions of the asked item share one key."""
    rows = nodes.set_column(
        nodes.column_names.index("name"),
        "name",
        pa.array([item, *nodes["name"].to_pylist()[1:]], _TEXT),
    )
    parts = [rows[name].fill_null("\0") for name in _NAMES]
    keys = pc.binary_join_element_wise(*parts, "\0\0").combine_chunks()
    first = pa.array(np.arange(len(keys)) == 0)
    return rows.append_column(_KEY, pc.if_else(first, "asked", keys))


def _items(view: ShownAt, keys: pa.Array) -> pa.Table:
    """Return the items that each node stands for."""
    flow, of = view.flow, view.nodes_of_items
    at = np.flatnonzero(of >= 0)
    at = at[~np.isin(at, flow.asked)]
    names = view.snapshot.names.names(ItemNumbers(flow.numbers[at]))
    count = pa.array(np.ones(len(at), np.int64))
    return pa.table([keys.take(pa.array(of[at])), names.cast(_TEXT), count], schema=_ITEMS)


def _edges(view: ShownAt, keys: pa.Array) -> pa.Table:
    """Return the triples that each edge stands for."""
    flow, groups, rows = view.flow, view.groups, pa.array(view.view.row)
    triples = plain_texts(view.found).triples
    names = view.snapshot.names.names(flow.numbers).cast(_TEXT)
    ends = (names.take(pa.array(each[view.view.row])) for each in (flow.flow.src, flow.flow.dst))
    calls = ["\0".join(each or "" for each in call) for call in flow.calls.calls]
    of = flow.flow.invocation[view.view.row] % (len(calls) + 1)  # NONE becomes the last number
    call = pa.array([*calls, ""], _TEXT).take(pa.array(of))
    columns = [
        *(keys.take(pa.array(each)) for each in (groups.start, groups.end)),
        *ends,
        *(triples[name].combine_chunks().take(rows) for name in (OP, ATTRIBUTES)),
        call,
    ]
    texts = [each.cast(_TEXT) for each in columns]
    return pa.table([*texts, np.ones(len(rows), np.int64)], schema=_EDGES)


def _catalogue(asker: Asker, question: Question, asked: ItemNumber, side: Side) -> _View:
    """Return the tables that an answer could have, with counts instead of items and triples."""
    snapshot = asker.snapshot
    nodes, edges = reached_tables(snapshot, asked, question.direction, question.depth)
    side = replace(side, samples=tuple(each.sample for each in snapshot.samples))
    keys = nodes["name"].combine_chunks()
    none = pa.repeat(pa.scalar(""), len(edges))
    ends = (keys.take(edges[name].combine_chunks()) for name in ("from", "to"))
    triples = {_START: next(ends), _END: next(ends), OP: edges[OP], _COUNT: edges["triples"]}
    counts = {_KEY: keys, _ITEM: pa.repeat(pa.scalar(""), len(keys)), _COUNT: nodes["items"]}
    return _View(
        side,
        (),
        (),
        nodes.append_column(_KEY, keys).select(_KEYED.names),
        pa.table([counts[name] for name in _ITEMS.names], schema=_ITEMS),
        pa.table([triples.get(name, none) for name in _EDGES.names], schema=_EDGES),
    )


def _differences(one: _View, other: _View) -> tuple[pa.Table, pa.Table]:
    """Return the nodes and edges that differ, with the columns ``NODES`` and ``EDGES``."""
    items = _changed(one.items, other.items, [_KEY])
    edges = _changed(one.edges, other.edges, [_START, _END, OP])
    nodes = _differing(pa.concat_tables([other.nodes, one.nodes]), items, edges)
    keys = nodes[_KEY].combine_chunks()
    at = pc.index_in(keys, items[_KEY].combine_chunks())
    counts = [items[name].combine_chunks().take(at).fill_null(0) for name, _ in _CHANGES]
    numbers = pa.array(np.arange(len(nodes)))
    shown = pa.table([numbers, *(nodes[name] for name in _NAMES), *counts], schema=NODES)
    ends = [pc.index_in(edges[end], keys).cast(pa.int64()) for end in (_START, _END)]
    lines = pa.table([*ends, edges[OP], edges["came"], edges["went"]], schema=EDGES)
    lines = lines.append_column("most", pc.add(lines["came"], lines["went"]))
    order = [("most", "descending"), ("from", "ascending"), ("to", "ascending"), (OP, "ascending")]
    return shown, lines.sort_by(order).select(EDGES.names)


def _differing(nodes: pa.Table, items: pa.Table, edges: pa.Table) -> pa.Table:
    """Return the first node, and the nodes whose items or edges differ, without duplicates."""
    keys = nodes[_KEY].combine_chunks()
    columns = (nodes[_KEY][:1], items[_KEY], edges[_START], edges[_END])
    used = pa.concat_arrays([each.combine_chunks() for each in columns])
    first = pc.index_in(pc.unique(used), keys)  # the first place of each key
    return nodes.take(first.take(pc.sort_indices(first)))


def _changed(one: pa.Table, other: pa.Table, keys: list[str]) -> pa.Table:
    """Return for each key how many rows came and how many went, unless both numbers are 0."""
    less = one.set_column(len(one.column_names) - 1, _COUNT, pc.negate(one[_COUNT]))
    rows = pa.concat_tables([less, other])
    whole = rows.group_by(rows.column_names[:-1]).aggregate([(_COUNT, "sum")])
    more = whole[f"{_COUNT}_sum"]
    changed = whole.select(keys)
    for name, count in (("came", more), ("went", pc.negate(more))):
        changed = changed.append_column(name, pc.max_element_wise(count, 0))
    found = changed.group_by(keys).aggregate([("came", "sum"), ("went", "sum")])
    found = found.rename_columns([*keys, "came", "went"])
    return found.filter(pc.greater(pc.add(found["came"], found["went"]), 0))
