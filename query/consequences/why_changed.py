"""Explain why an item changed between two generations, through changes in its inputs.

An aggregate changes because inputs were added or removed, or because their values changed. The
*share* of an input is its part of the aggregate's difference. For sum and count, it is the
difference in the input's own contribution. For an average, let an input contribute ``s`` to the sum
and ``n`` to the count. Let ``N`` be the count of all inputs afterwards, and ``a`` the average
before. The share is (``s - a n`` afterwards minus ``s - a n`` before), divided by ``N``. So the
shares add up to the difference. For other functions, shares would not add up, so their inputs have
no shares.
"""

from dataclasses import dataclass
from math import fsum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64
from provhouse.model.columns import OP
from provhouse.model.errors import NotFound
from provhouse.model.operations import FUNCTIONS
from provhouse.model.progress import Stopwatch
from provhouse.model.question import AsOf

from ..lineage.ask import Asker
from ..lineage.diff import Askers, Side
from ..locate import locate_versions
from .deletion.derivation_index import AGGREGATE, Derivations
from .deletion.inputs import DerivationInputs
from .deletion.recompute import F64, is_exact, value_of
from .depends import lineage_of, samples_above

LIMIT = 100
"""The default limit for the number of inputs that are shown."""
ERASED = "(erased)"
CHANGES = ("came", "went", "changed")
"""The ways in which an input may change."""
_VERSION = r"@[0-9]+$"
_INPUT, _CHANGE, _FUNCTION, _SHARE, _KEY = "input", "change", "function", "share", "key"
_VALUES = pa.schema(
    [
        (OP, pa.string()), (_FUNCTION, pa.string()), ("before", pa.float64()),
        ("after", pa.float64()), ("difference", pa.float64()), ("reason", pa.string()),
    ]
)  # fmt: skip
_INPUTS = pa.schema(
    [
        (OP, pa.string()), (_INPUT, pa.string()), (_CHANGE, pa.string()), ("before", pa.float64()),
        ("after", pa.float64()), ("times_before", pa.int64()), ("times_after", pa.int64()),
        (_SHARE, pa.float64()),
    ]
)  # fmt: skip
NO_FUNCTION = "its op has no function that can be computed again"
NO_VALUE = "an input has no value"
INEXACT = "double precision does not have its exact value"
SEVERAL = "the op has made it in several ways"
OTHER_FUNCTION = "the op has another function now"
COMPUTED = ("sum", "count", "min", "max", "avg", "count_distinct")
SHARED = ("sum", "count", "avg")
"""The functions for which the shares of the inputs add up to the difference."""


@dataclass(frozen=True, kw_only=True)
class WhyChanged:
    """The difference of an item between two generations, and the inputs that make the difference.

    ``values`` has a row for each op that is an aggregate in at least one of the generations: op,
    function, before, after, difference and reason (why the values are unknown, or null). ``inputs``
    has the inputs that came, went or changed, the largest share first: op, input, change, before
    and after (the value that the input gives; the mean if it gives several), times_before,
    times_after and share.
    """

    item: str
    since: Side
    until: Side
    came: int
    went: int
    changed: int
    values: pa.Table
    inputs: pa.Table
    cut: bool
    """Whether the limit left out inputs; ``came``, ``went`` and ``changed`` count all inputs."""
    seconds: dict[str, float]


def why_changed(
    item: str, since: AsOf, until: AsOf | None, limit: int, askers: Askers
) -> WhyChanged:
    """Return why an item as of ``until`` differs from the item as of ``since``.

    If ``until`` is None, it means the current generation. Reads the lineage of the item in both
    generations. Raises NotFound if neither generation has the item.
    """
    with askers(since) as before, askers(until) as after:
        one, other = before.snapshot.names, after.snapshot.names
        return one.settled(lambda: other.settled(lambda: _compare(item, before, after, limit)))


@dataclass(frozen=True)
class _Value:
    """The value of an aggregate in one generation, or the reason why it is unknown."""

    function: str | None = None
    value: float | None = None
    reason: str | None = None


_ABSENT = _Value()
_MADE = pa.schema(
    [(OP, pa.string()), (_INPUT, pa.string()), ("total", pa.float64()), ("times", pa.int64())]
)


@dataclass(frozen=True)
class _Made:
    """An item in one generation: the values of its aggregates by op, and its inputs.

    ``inputs`` has a row for each triple: op, input, total (the input's value times ``times``) and
    times (how often the input counts). ``versioned`` means that the item itself was not stored, and
    its newest version was used.
    """

    side: Side
    values: dict[str, _Value]
    inputs: pa.Table
    versioned: bool


def _compare(item: str, before: Asker, after: Asker, limit: int) -> WhyChanged:
    watch = Stopwatch()
    with watch.step("from"):
        one = _made(before, item, watch.inner())
    with watch.step("to"):
        other = _made(after, item, watch.inner())
    if not (one.side.stored or other.side.stored):
        raise NotFound(
            f"Item {item!r} is not in generation {one.side.generation} or {other.side.generation}",
            "Neither of them has it",
            "Names must match exactly; check spelling and case",
        )
    with watch.step("compare"):
        inputs = _changed(one, other)
        values = _values(one, other, inputs)
        counted = pc.value_counts(inputs[_CHANGE]).to_pylist()
        counts = {each["values"]: each["counts"] for each in counted}
    return WhyChanged(
        item=item, since=one.side, until=other.side, values=values, inputs=inputs.slice(0, limit),
        cut=inputs.num_rows > limit, seconds=watch.total(),
        **{change: counts.get(change, 0) for change in CHANGES},
    )  # fmt: skip


def _made(asker: Asker, item: str, watch: Stopwatch) -> _Made:
    snapshot = asker.snapshot
    commit = snapshot.commit
    try:
        located = locate_versions(snapshot, item)
    except NotFound:
        side = Side(commit.generation, commit.time, stored=False, erased=0)
        return _Made(side, {}, _MADE.empty_table(), versioned=False)
    described, _ = lineage_of(asker, located.first, watch)
    graph = Derivations(described.rows)
    inputs = DerivationInputs(graph, snapshot.groups)
    places = graph.place(located.numbers)
    ways = [*inputs.ways(int(places[0]))] if len(places) else []
    each = [inputs.rows(way) for way in ways]
    rows = np.concatenate([np.empty(0, np.int64), *each])
    tensors = described.tensors(graph)
    value = tensors.value[rows] if tensors else np.full(len(rows), np.nan)
    times = tensors.times[rows] if tensors else np.ones(len(rows), np.int64)
    codes, ops = described.ops
    names = snapshot.names.names(graph.items(graph.src[rows]))
    samples = samples_above(asker, located.numbers, described)
    side = Side(
        commit.generation, commit.time, stored=True, erased=names.null_count, samples=samples
    )
    made = [ops.take(pa.array(codes[rows])).fill_null(""), names.fill_null(ERASED)]
    values = dict[str, _Value]()
    for way, mine in zip(ways, each, strict=True):
        if tensors and graph.kind[way] == AGGREGATE:
            op = described.op_of(graph, np.array([way], np.int32))[0].as_py() or ""
            found = _value(int(tensors.function[way]), tensors.value[mine], tensors.times[mine])
            values[op] = _Value(found.function, None, SEVERAL) if op in values else found
    table = pa.table([*made, value * times, times], schema=_MADE)
    return _Made(side, values, table, versioned=located.names[0] != item)


def _value(function: int, values: F64, times: I64) -> _Value:
    if function < 0 or FUNCTIONS[function] not in COMPUTED:
        return _Value(None, None, NO_FUNCTION)
    name = FUNCTIONS[function]
    if name != "count" and np.isnan(values).any():
        return _Value(name, None, NO_VALUE)
    if not is_exact(function, values, times, len(values)):
        return _Value(name, None, INEXACT)
    return _Value(name, float(value_of(function, values, times, len(values))))


def _changed(one: _Made, other: _Made) -> pa.Table:
    """Return the inputs that came, went or changed, the largest share first."""
    versioned = one.versioned or other.versioned
    sides = [_by_input(made.inputs, versioned) for made in (one, other)]
    rows = sides[0].join(sides[1], [OP, _KEY], join_type="full outer", left_suffix="_before",
                         right_suffix="_after", use_threads=False)  # fmt: skip
    names = pc.coalesce(rows["name_after"], rows["name_before"])
    had, has = (np.asarray(rows[f"times_{end}"].is_valid()) for end in ("before", "after"))
    times, totals = (
        [np.asarray(rows[f"{name}_{end}"].fill_null(0)) for end in ("before", "after")]
        for name in ("times", "total")
    )
    same = (times[0] == times[1]) & ((totals[0] == totals[1]) | np.isnan(totals[0] + totals[1]))
    share = np.full(len(had), np.nan)
    ops = rows[OP]
    for op, function in _shared(one, other).items():
        mine = np.asarray(pc.equal(ops, op))
        more = times[1] - times[0]
        if function == "count":
            share[mine] = more[mine]
            same[mine] = (more == 0)[mine]
        elif function == "sum":
            share[mine] = (totals[1] - totals[0])[mine]
        elif (mean := one.values.get(op, _ABSENT).value) is not None:
            count = max(int(times[1][mine].sum()), 1)
            share[mine] = ((totals[1] - totals[0] - mean * more) / count)[mine]
    change = np.where(had, np.where(has, 2, 1), 0)
    given = [
        pa.array(total / np.maximum(time, 1), mask=~known | np.isnan(total))
        for total, time, known in zip(totals, times, (had, has), strict=True)
    ]
    table = pa.table(
        [ops, names, pa.array(CHANGES).take(pa.array(change)), *given, rows["times_before"],
         rows["times_after"], pa.array(share, from_pandas=True)], schema=_INPUTS,
    )  # fmt: skip
    table = table.filter(pa.array(~(same & had & has)))
    size = pc.negate(pc.abs(table[_SHARE]))
    order = pc.sort_indices(
        table.append_column("size", size),
        [("size", "ascending"), (OP, "ascending"), (_INPUT, "ascending")],
    )
    return table.take(order)


def _by_input(inputs: pa.Table, versioned: bool) -> pa.Table:
    """Return a row for each op and input, with the sums of its totals and times."""
    names = inputs[_INPUT]
    key = pc.replace_substring_regex(names, _VERSION, "") if versioned else names
    keyed = inputs.append_column(_KEY, key)
    found = keyed.group_by([OP, _KEY], use_threads=False).aggregate(
        [(_INPUT, "min"), ("total", "sum"), ("times", "sum")]
    )
    return found.rename_columns([OP, _KEY, "name", "total", "times"])


def _shared(one: _Made, other: _Made) -> dict[str, str]:
    """Return the functions of the ops whose difference is the sum of shares, by op."""
    found = {op: _both(one, other, op) for op in {**one.values, **other.values}}
    return {
        op: function
        for op, (function, reason) in found.items()
        if function in SHARED and not reason
    }


def _both(one: _Made, other: _Made, op: str) -> tuple[str | None, str | None]:
    """Return the function of an op, and the reason if its two values cannot be compared."""
    before, after = one.values.get(op, _ABSENT), other.values.get(op, _ABSENT)
    reason = before.reason or after.reason
    if not reason and before.function and after.function and before.function != after.function:
        reason = OTHER_FUNCTION
    return after.function or before.function, reason


def _values(one: _Made, other: _Made, inputs: pa.Table) -> pa.Table:
    rows = []
    for op in sorted({**one.values, **other.values}):
        function, reason = _both(one, other, op)
        before, after = (made.values.get(op, _ABSENT).value for made in (one, other))
        shares = inputs[_SHARE].filter(pc.equal(inputs[OP], op))
        difference = None
        if not reason and function in SHARED and not shares.null_count:
            difference = fsum(shares.to_pylist())
        elif before is not None and after is not None and not reason:
            difference = after - before
        rows.append((op, function, before, after, difference, reason))
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[]] * len(_VALUES)
    return pa.table(columns, schema=_VALUES)
