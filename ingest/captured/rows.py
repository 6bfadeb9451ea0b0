"""Turn what rows carried into triples with derivations."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64
from provhouse.model.columns import (
    DERIVATION,
    DST,
    DST_TABLE,
    EXACTNESS,
    EXECUTION,
    JOB,
    KIND,
    OP,
    OP_KIND,
    SHARED,
    SQL,
    SRC,
    SRC_TABLE,
)

from .associations import NONE
from .description import ROWS, TapTable
from .names import Named
from .output import Output
from .trace import Pairs, Tracer

_LONGEST_OP = 120
TRACE = pa.schema(
    [
        (name, pa.string())
        for name in (
            SRC, DST, OP, SRC_TABLE, DST_TABLE, DERIVATION, SHARED, OP_KIND, EXECUTION
        )
    ]
)  # fmt: skip
_OPERATION = pa.schema([(name, pa.string()) for name in (OP, KIND, SQL, JOB, EXACTNESS)])


@dataclass(frozen=True)
class Direct:
    """Source rows that rode on the rows of the output themselves."""

    slot: int
    row: I64
    """Positions in the output."""
    src: I64
    """Ids of source rows."""


@dataclass(frozen=True)
class Grouped:
    """Groups that rows of the output derive from, with the source rows of each."""

    slot: int
    tap: TapTable
    row: I64
    """Positions in the output, in ascending order of ``group``."""
    group: I64
    """For each of ``row``, the position of its group in ``sources``."""
    sources: Pairs


@dataclass(frozen=True)
class Traced:
    """All that the rows of one write derive from."""

    output: Output
    direct: tuple[Direct, ...]
    grouped: tuple[Grouped, ...]

    def source_ids(self) -> I64:
        """Return the ids of all source rows, distinct and in ascending order."""
        parts = [*(each.src for each in self.direct), *(each.sources.row for each in self.grouped)]
        return np.unique(np.concatenate([np.empty(0, np.int64), *parts]))


def traced(output: Output) -> Traced:
    """Follow everything that the rows of a write carried down to source rows."""
    tracer = Tracer(output.write)
    direct, grouped = list[Direct](), list[Grouped]()
    for slot, tap in enumerate(output.write.slots):
        values = output.carried[slot]
        row = np.flatnonzero(values != NONE)
        if tap == ROWS:
            direct.append(Direct(slot, row, values[row]))
            continue
        keys, group = np.unique(values[row], return_inverse=True)
        order = np.argsort(group, kind="stable")
        sources = tracer.sources(tap, keys)
        grouped.append(Grouped(slot, output.write.taps[tap], row[order], group[order], sources))
    return Traced(output, tuple(direct), tuple(grouped))


def triples(
    found: Traced, named: Named, names: pa.Array, table: str, run: str
) -> Iterator[pa.Table]:
    """Yield the triples of a write as tables with the columns ``TRACE``.

    ``names`` has the name of each row of the output. A group that one row derives from becomes a
    derivation of that row; a group of several rows becomes a shared derivation.
    """
    for each in found.direct:
        together = len(found.direct) > 1
        yield _table(
            len(each.row),
            run,
            src=named.names.take(named.at(each.src)),
            src_table=named.tables.take(named.at(each.src)),
            dst=names.take(pa.array(each.row)),
            dst_table=table,
            op=_direct_op(table, found),
            derivation="rows" if together else None,
            op_kind="all" if together else None,
        )
    for group in found.grouped:
        yield from _grouped(group, found, named, names, table, run)


def operations(found: Traced, table: str, run: str) -> pa.Table:
    """Return the descriptions of all ops of a write."""
    rows: list[tuple[str, str, str | None, str]] = [
        (_group_op(table, each.tap), each.tap.op_kind, each.tap.sql, each.tap.exactness)
        for each in found.grouped
    ]
    if found.direct:
        rows.append((_direct_op(table, found), "all", None, "exact"))
    weakest = "absence" if found.output.write.absence else None
    distinct = {op: (op, kind, sql, run, weakest or exact) for op, kind, sql, exact in rows}
    columns = list(zip(*distinct.values(), strict=True)) or [()] * len(_OPERATION)
    return pa.table([pa.array(column, pa.string()) for column in columns], schema=_OPERATION)


def _grouped(
    group: Grouped, found: Traced, named: Named, names: pa.Array, table: str, run: str
) -> Iterator[pa.Table]:
    uses = np.bincount(group.group, minlength=int(group.sources.at.max(initial=-1)) + 1)
    first = np.searchsorted(group.group, np.arange(len(uses)))
    at, src = group.sources.at, named.at(group.sources.row)
    single = uses[at] == 1
    common = {"op": _group_op(table, group.tap), "op_kind": group.tap.op_kind}
    alone = src.filter(pa.array(single))
    yield _table(
        len(alone),
        run,
        src=named.names.take(alone),
        src_table=named.tables.take(alone),
        dst=names.take(pa.array(group.row[first[at[single]]])),
        dst_table=table,
        derivation=f"group {group.slot}",
        **common,
    )
    shared = src.filter(pa.array(~single))
    yield _table(
        len(shared),
        run,
        src=named.names.take(shared),
        src_table=named.tables.take(shared),
        shared=_labels(found, group, at[~single]),
        **common,
    )
    several = uses[group.group] > 1
    yield _table(
        int(several.sum()),
        run,
        dst=names.take(pa.array(group.row[several])),
        dst_table=table,
        shared=_labels(found, group, group.group[several]),
    )


def _labels(found: Traced, group: Grouped, at: I64) -> pa.Array:
    prefix = f"{found.output.write.path} {group.slot} "
    labels: pa.Array = pc.binary_join_element_wise(prefix, pa.array(at).cast(pa.string()), "")
    return labels


def _table(count: int, run: str, **columns: pa.Array | str | None) -> pa.Table:
    found = {EXECUTION: run, **columns}
    arrays = [_column(found.get(name), count) for name in TRACE.names]
    return pa.table(arrays, schema=TRACE)


def _column(value: pa.Array | str | None, count: int) -> pa.Array:
    if value is None or isinstance(value, str):
        return pa.repeat(pa.scalar(value, pa.string()), count)
    return value


def _direct_op(table: str, found: Traced) -> str:
    return f"{table}: join" if len(found.direct) > 1 else f"{table}: row"


def _group_op(table: str, tap: TapTable) -> str:
    text = f"{table}: {tap.name}"
    return text if len(text) <= _LONGEST_OP else text[: _LONGEST_OP - 1] + "…"
