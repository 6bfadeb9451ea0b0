"""Find, for each input of an aggregate, the aggregate's value without this input.

Leaving out one input is a what-if question with one deletion. All of these questions are answered
together, from the lineage of the item.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.answer import Header, Read
from provhouse.model.arrays import I64, Bools, ItemNumbers, among
from provhouse.model.columns import ITEM, OP, TABLE
from provhouse.model.operations import FUNCTIONS
from provhouse.model.progress import Stopwatch

from ..lineage.ask import Asker
from ..locate import locate_versions
from ..passed_samples import common_fields
from .deletion.derivation_index import AGGREGATE, COPY, Derivations
from .deletion.described import Described
from .deletion.leave_out import has_exact_parts, leading_to, with_all, without_each
from .deletion.new_values import Tensors
from .deletion.recompute import COUNT, DISTINCT, F64, SUM, is_exact
from .depends import lineage_of, samples_above

_FUNCTION, _BEFORE, _AFTER = "function", "before", "after"
_VALUES = pa.schema(
    [
        (OP, pa.string()), (_FUNCTION, pa.string()), (_BEFORE, pa.float64()),
        ("inputs", pa.int64()), ("reason", pa.string()),
    ]
)  # fmt: skip
_INPUTS = pa.schema(
    [
        (OP, pa.string()), (ITEM, pa.string()), (TABLE, pa.string()), (_AFTER, pa.float64()),
        ("change", pa.float64()),
    ]
)  # fmt: skip
_NO_FUNCTION = "its op has no function that can be computed again"
_NO_VALUE = "an input has no value"
_INEXACT = "double precision does not have its exact value"
_OTHERS = "an input is derived from another one, or from the item"


@dataclass(frozen=True, kw_only=True)
class WhatIfEach(Header):
    """For each input of an item's aggregates, the aggregate's value without this input."""

    item: str
    values: pa.Table
    """A row for each aggregate: op, function, before, inputs (their number) and reason.

    ``reason`` states why the alternatives are unknown, or is null.
    """
    inputs: pa.Table
    """A row for each aggregate and input: op, item, table, after and change, the largest change
    first. ``after`` and ``change`` are null if the aggregate has no other input.
    """
    cut: bool
    """Whether the limit left out inputs."""
    erased: int
    """The number of erased inputs, which are counted but not listed."""
    complete: bool
    read: Read


@dataclass(frozen=True)
class Alternatives:
    """For each input of an aggregate, the aggregate's value without this input."""

    function: int
    before: float
    sources: I64
    """The places of the inputs."""
    after: F64
    reason: str | None
    """The reason why the alternatives are unknown, or None.

    If there is a reason, all values of ``after`` are NaN.
    """


def what_if_each(asker: Asker, item: str, limit: int) -> WhatIfEach:
    """Return, for each input of an item's aggregates, the aggregate's value without this input.

    Lists up to ``limit`` inputs. Reads the same data as the lineage of the item. Raises NotFound if
    the item is not stored.
    """
    return asker.snapshot.names.settled(lambda: _what_if_each(asker, item, limit))


def _what_if_each(asker: Asker, item: str, limit: int) -> WhatIfEach:
    watch, snapshot = Stopwatch(), asker.snapshot
    with watch.step("locate"):
        located = locate_versions(snapshot, item)
    described, read = lineage_of(asker, located.first, watch)
    with watch.step("recurse"):
        graph = Derivations(described.rows)
        tensors = described.tensors(graph)
        places = graph.place(located.numbers)
        found = [*alternatives(graph, tensors, int(places[0]))] if tensors and len(places) else []
    with watch.step("name"):
        values, inputs, left, erased = _named(asker, described, graph, found, limit)
    samples = samples_above(asker, located.numbers, described)
    return WhatIfEach(
        **common_fields(snapshot, watch, read, samples),
        item=located.names[0],
        values=values,
        inputs=inputs,
        cut=left,
        erased=erased,
    )


def alternatives(
    graph: Derivations, tensors: Tensors, place: int
) -> Iterator[tuple[int, Alternatives]]:
    """Yield the derivation and the alternatives of each aggregate of the item at a place."""
    for way in _aggregates(graph, place):
        rows = np.flatnonzero(graph.of == way)
        source = graph.src[rows]
        if (np.bincount(source - source.min()) > 1).any():
            rows = rows[np.argsort(source, kind="stable")]
            source = graph.src[rows]
        starts = np.append(np.flatnonzero(np.append(True, source[1:] != source[:-1])), len(rows))
        sources = source[starts[:-1]].astype(np.int64)
        how, values = int(tensors.function[way]), tensors.value[rows]
        times = tensors.times[rows]
        before, reason = np.nan, _reason(graph, how, values, times, sources, place)
        known = SUM <= how <= DISTINCT and not (how != COUNT and np.isnan(values).any())
        if known and is_exact(how, values, times, len(values)):
            before = with_all(how, values, times)
        after = np.full(len(sources), np.nan)
        if reason is None:
            after = without_each(how, values, times, starts)
        yield way, Alternatives(how, before, sources, after, reason)


def _aggregates(graph: Derivations, place: int) -> Iterator[int]:
    """Yield the aggregates among the derivations of a place, or of the group that it copies."""
    for way in range(graph.first[place], graph.first[place + 1]):
        if graph.kind[way] == AGGREGATE:
            yield way
        elif graph.kind[way] == COPY:
            group = int(graph.src[np.flatnonzero(graph.of == way)[0]])
            yield from _aggregates(graph, group)


def _reason(
    graph: Derivations, how: int, values: F64, times: I64, sources: I64, place: int
) -> str | None:
    if not SUM <= how <= DISTINCT:
        return _NO_FUNCTION
    if how != COUNT and np.isnan(values).any():
        return _NO_VALUE
    if not has_exact_parts(how, values, times):
        return _INEXACT
    marked = np.zeros(graph.places, bool)
    marked[sources] = True
    leading: Bools = leading_to(graph.src, graph.of, graph.dst, marked)
    return _OTHERS if leading[sources].any() or leading[place] else None


def _named(
    asker: Asker, described: Described, graph: Derivations, found: list[tuple[int, Alternatives]],
    limit: int,
) -> tuple[pa.Table, pa.Table, bool, int]:  # fmt: skip
    """Return the aggregates, and their inputs up to a limit.

    Also return whether inputs are left out, and the number of erased inputs.
    """
    snapshot = asker.snapshot
    ways = np.array([way for way, _ in found], np.int32)
    ops = described.op_of(graph, ways) if len(ways) else pa.array([], pa.string())
    values = pa.table(
        [
            ops,
            [FUNCTIONS[one.function] if one.function >= 0 else None for _, one in found],
            pa.array([one.before for _, one in found], pa.float64(), from_pandas=True),
            [len(one.sources) for _, one in found],
            [one.reason for _, one in found],
        ],
        schema=_VALUES,
    )
    parts, erased, left = [_INPUTS.empty_table()], 0, False
    for op, (_, one) in zip(ops, found, strict=True):
        if one.reason is not None:
            continue
        items = graph.items(one.sources.astype(np.int32))
        gone = among(items, snapshot.names.erased)
        erased += int(gone.sum())
        change = one.after - one.before
        size = np.where(np.isnan(change), np.inf, np.abs(change))
        shown = np.flatnonzero(~gone)
        most = shown[np.argsort(-size[shown], kind="stable")[: limit + 1]]
        left |= len(most) > limit
        most = most[:limit]
        most = most[np.argsort(items[most])]
        names, tables = snapshot.names.described(ItemNumbers(items[most]))
        columns = [
            pa.repeat(op, len(most)), names, tables,
            *(pa.array(each[most], from_pandas=True) for each in (one.after, change)),
        ]  # fmt: skip
        parts.append(pa.table(columns, schema=_INPUTS))
    inputs = pa.concat_tables(parts).combine_chunks()
    size = pc.fill_null(pc.abs(inputs["change"]), np.inf)
    order = [("size", "descending"), (OP, "ascending"), (ITEM, "ascending")]
    inputs = inputs.append_column("size", size).sort_by(order).select(_INPUTS.names)
    return values, inputs[:limit], left or len(inputs) > limit, erased
