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
    MODULE,
    OP,
    OP_KIND,
    ROLE,
    SHARED,
    SQL,
    SRC,
    SRC_TABLE,
)

from .associations import NONE
from .description import ROWS, TapTable
from .names import Named
from .op_texts import op_of
from .output import Output
from .trace import Pairs, Tracer, distinct, through

TRACE = pa.schema(
    [
        (name, pa.string())
        for name in (
            SRC, DST, OP, SRC_TABLE, DST_TABLE, DERIVATION, SHARED, OP_KIND, ROLE, EXECUTION
        )
    ]
)  # fmt: skip
_OPERATION = pa.schema([(name, pa.string()) for name in (OP, KIND, MODULE, SQL, JOB, EXACTNESS)])


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

    number: int
    """Its position among those of the write."""
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
    waiting = list[tuple[int, Pairs]]()
    """Taps, and pairs of a position in the output and a key of a group."""
    for slot, tap in enumerate(output.write.slots):
        values = output.carried[slot]
        row = np.flatnonzero(values != NONE)
        if tap == ROWS:
            direct.append(Direct(slot, row, values[row]))
            continue
        waiting.append((tap, Pairs(row, values[row])))
    while waiting:
        tap, pairs = waiting.pop(0)
        keys, group = np.unique(pairs.row, return_inverse=True)
        order = np.argsort(group, kind="stable")
        found, row = tracer.sources(tap, keys), pairs.at
        of = output.write.taps[tap]
        grouped.append(Grouped(len(grouped), of, row[order], group[order], found.rows))
        for kept in found.kept:
            below = through(Pairs(row, group), kept.at, kept.key)
            waiting.append((kept.tap, distinct([Pairs(*below)])))
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
            **_sources(named, named.at(each.src), found),
            dst=names.take(pa.array(each.row)),
            dst_table=table,
            op=op_of(found.output.write, table, None),
            derivation="rows" if together else None,
            op_kind="all" if together else None,
        )
    for group in found.grouped:
        yield from _grouped(group, found, named, names, table, run)


def operations(found: Traced, table: str, run: str) -> pa.Table:
    """Return the descriptions of all ops of a write."""
    write = found.output.write
    rows: list[tuple[str, str, str | None, str]] = [
        (op_of(write, table, each.tap), each.tap.op_kind, each.tap.sql, each.tap.exactness)
        for each in found.grouped
    ]
    if found.direct:
        rows.append((op_of(write, table, None), "all", None, "exact"))
    weakest, module = "absence" if write.absence else None, write.module or None
    distinct = {op: (op, kind, module, sql, run, weakest or exact) for op, kind, sql, exact in rows}
    columns = list(zip(*distinct.values(), strict=True)) or [()] * len(_OPERATION)
    return pa.table([pa.array(column, pa.string()) for column in columns], schema=_OPERATION)


def _grouped(
    group: Grouped, found: Traced, named: Named, names: pa.Array, table: str, run: str
) -> Iterator[pa.Table]:
    uses = np.bincount(group.group, minlength=int(group.sources.at.max(initial=-1)) + 1)
    first = np.searchsorted(group.group, np.arange(len(uses)))
    at, src = group.sources.at, named.at(group.sources.row)
    single = uses[at] == 1
    op = op_of(found.output.write, table, group.tap)
    common = {"op": op, "op_kind": group.tap.op_kind}
    alone = src.filter(pa.array(single))
    yield _table(
        len(alone),
        run,
        **_sources(named, alone, found),
        dst=names.take(pa.array(group.row[first[at[single]]])),
        dst_table=table,
        derivation=_derivations(group, at[single]),
        **common,
    )
    shared = src.filter(pa.array(~single))
    yield _table(
        len(shared),
        run,
        **_sources(named, shared, found),
        shared=_labels(found, group, at[~single]),
        **common,
    )
    filled = np.bincount(at, minlength=len(uses)) > 0
    several = ((uses > 1) & filled)[group.group]
    yield _table(
        int(several.sum()),
        run,
        dst=names.take(pa.array(group.row[several])),
        dst_table=table,
        shared=_labels(found, group, group.group[several]),
    )


def _derivations(group: Grouped, at: I64) -> pa.Array | str:
    """Return the labels of groups that one row derives from; the row may derive from several."""
    if len(np.unique(group.row)) == len(group.row):
        return f"group {group.number}"
    prefix = f"group {group.number} "
    return pc.binary_join_element_wise(prefix, pa.array(at).cast(pa.string()), "")


def _labels(found: Traced, group: Grouped, at: I64) -> pa.Array:
    prefix = f"{found.output.write.path} {group.number} "
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


def _sources(named: Named, at: pa.Array, found: Traced) -> dict[str, pa.Array | None]:
    """Return the columns of these source rows; rows of its module's state have the role state."""
    tables = named.tables.take(at)
    state = found.output.write.state_tables
    kept = pc.is_in(tables, pa.array(state, pa.string())) if state else None
    role = pc.if_else(kept, "state", pa.scalar(None, pa.string())) if state else None
    return {SRC: named.names.take(at), SRC_TABLE: tables, ROLE: role}
