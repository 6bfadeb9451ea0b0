"""Count the items and triples of an answer so that a page can fold and unfold its modules itself.

Items of one node are in the same class if they are hidden by the same folded modules. Triples are
in the same class if the classes of their ends are the same; see ``TRIPLE_CLASSES``. Every view of
the answer can be computed from the classes alone, without the triples.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools, distinct
from provhouse.model.columns import EXECUTION, INVOCATION, MODULE, OP, RUN, TRIPLES
from provhouse.model.errors import UsageError
from provhouse.model.zoom import Level
from provhouse.store.tables.snapshot import Snapshot

from ..methods.method import MethodResult
from .conditions import MOST_MODULES, conditions
from .fold import NONE, fold
from .zoom_flow import NumberedFlow
from .zoom_rows import NODES, grouped, named

MOST_CLASSES: Final = 5_000
"""The largest number of classes of items."""
ITEM_CLASSES = pa.schema(
    [
        ("node", pa.int64()),
        ("hidden_by", pa.list_(pa.int64())),
        ("made_in", pa.int64()),
        ("items", pa.int64()),
    ]
)
"""The columns of classes of items. ``hidden_by`` has the numbers of the modules that hide the items
if all of them are folded; it is null if a view always shows the items. ``made_in`` is the node of
the module or invocation that made the items, or null."""
CALL = (MODULE, RUN, EXECUTION, INVOCATION)
"""The columns that identify an invocation, in the order of ``Calls.calls``."""
TRIPLE_CLASSES = pa.schema(
    [
        ("from", pa.int64()),
        ("to", pa.int64()),
        ("node", pa.int64()),
        ("own", pa.bool_()),
        (OP, pa.string()),
        (TRIPLES, pa.int64()),
    ]
)
"""The columns of classes of triples. ``from`` and ``to`` are classes of items. ``node`` is the node
of the module or invocation that made the triples, or null. ``own`` is whether the invocation that
made the triples made their src too.
"""


@dataclass(frozen=True)
class Foldable:
    """The data for all views of an answer, for any choice of folded modules."""

    modules: tuple[str, ...]
    nodes: pa.Table
    """The nodes of all views, with the columns ``NODES``; the number of a node is its row's
    position.
    """
    items: pa.Table
    """The classes of items, with the columns ``ITEM_CLASSES``; a class's number is its row's
    position.
    """
    triples: pa.Table
    """The classes of triples, with the columns ``TRIPLE_CLASSES``."""


def classes_of(
    flow: NumberedFlow, level: Level, snapshot: Snapshot, found: MethodResult
) -> Foldable:
    """Return the classes of the items and triples of an answer at a level.

    Raises UsageError if there are too many classes or modules for a page.
    """
    _check("modules", len(flow.calls.modules), MOST_MODULES)
    nothing = fold(flow.flow, np.zeros(len(flow.calls.modules), bool), flow.asked)
    groups = grouped(flow, nothing, level, snapshot)
    nodes = pa.concat_tables([named(flow, nothing, groups, snapshot), _callers(flow, level)])
    when = conditions(flow.flow, flow.asked)
    caller = np.append(groups.calls, NONE)
    masks, mask = distinct(when.modules)
    made_in = caller[np.maximum(when.made, NONE)] + 1
    width = len(nodes) + 1
    classes, of = distinct((groups.items * len(masks) + mask) * width + made_in)
    _check("kinds of items", len(classes), MOST_CLASSES)
    rest, made_in = np.divmod(classes, width)
    node, mask = np.divmod(rest, len(masks))
    items = [
        pa.array(node),
        pa.array([_bits(masks[at]) for at in mask.tolist()], pa.list_(pa.int64())),
        pa.array(made_in - 1, mask=made_in == 0),
        pa.array(np.bincount(of, minlength=len(classes))),
    ]
    own = (when.made[flow.flow.src] == flow.flow.invocation) & (flow.flow.invocation != NONE)
    return Foldable(
        flow.calls.modules,
        nodes.combine_chunks(),
        pa.table(items, schema=ITEM_CLASSES),
        _triples(of[flow.flow.src], of[flow.flow.dst], caller[flow.flow.invocation], own, found),
    )


def _check(what: str, count: int, most: int) -> None:
    if count > most:
        raise UsageError(
            f"The answer is too large for a page that folds modules: it has {count:,} {what}",
            f"At most {most:,} fit in a page",
            "Choose a coarser level, such as --zoom module, or narrow the question",
        )


def _bits(mask: int) -> list[int] | None:
    """Return the numbers of the bits that are set in ``mask``, or None for -1."""
    return None if mask < 0 else [bit for bit in range(MOST_MODULES) if mask >> bit & 1]


def _callers(flow: NumberedFlow, level: Level) -> pa.Table:
    """Return the nodes of all modules, or of all invocations at the level ``record``.

    The nodes do not have numbers or items yet: a page counts the items that a view hides in them.
    """
    calls = flow.calls
    if level == "record":
        texts = [*zip(*calls.calls, strict=True)] or [()] * len(CALL)
        known: dict[str, Any] = dict(zip(CALL, texts, strict=True))
        known |= {"kind": ["invocation"] * len(calls.calls), "name": known[MODULE]}
    else:
        invocations = np.bincount(calls.module, minlength=len(calls.modules))
        known = {MODULE: calls.modules, "name": calls.modules}
        known |= {"kind": ["module"] * len(calls.modules), "invocations": invocations}
    count = len(known["kind"])
    columns = [pa.array(known.get(field.name, [None] * count), field.type) for field in NODES]
    return pa.table(columns, schema=NODES)


def _triples(src: I64, dst: I64, node: I64, own: Bools, found: MethodResult) -> pa.Table:
    """Count triples by the classes of their ends, by their module or invocation, and by op."""
    ops = found.triples[OP].combine_chunks()
    ops = ops if pa.types.is_dictionary(ops.type) else ops.dictionary_encode()
    rows = pa.table([src, dst, pa.array(node, mask=node < 0), own, ops.indices],
                    names=TRIPLE_CLASSES.names[:-1])  # fmt: skip
    rows = rows.group_by(rows.column_names, use_threads=False).aggregate([([], "count_all")])
    op = ops.dictionary.take(rows[OP].combine_chunks())
    columns = [*rows.columns[:4], op, rows["count_all"]]
    return pa.table(columns, names=TRIPLE_CLASSES.names).cast(TRIPLE_CLASSES)
