"""Turn the triples of an answer into a flow: items as numbers, with the invocation of each triple.

A module, a run, an execution and a call identify an invocation. The module of a triple comes from
the triple's own column, or else from its op.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from provhouse.model.arrays import I32, I64, Column, ItemNumbers, distinct
from provhouse.model.columns import EXECUTION, INVOCATION, MODULE, OP, ORIGIN, ROLE
from provhouse.store.tables.modules import known_modules, modules_of_ops, runs_of
from provhouse.store.tables.snapshot import Snapshot

from ..methods.method import MethodResult, src_and_dst
from .fold import INPUT_TABLE, NONE, OTHER_TABLE, OUTPUT_TABLE, STATE_TABLE, Flow
from .numbering import dense_distinct

Texts = Sequence[str | None]


@dataclass(frozen=True)
class Calls:
    """The module invocations of triples."""

    of: I32
    """The invocation of each triple, or ``NONE``."""
    calls: Sequence[tuple[str | None, ...]]
    """The module, run, execution and call of each invocation."""
    modules: tuple[str, ...]
    module: I32
    """The module of each invocation, as a position in ``modules``."""


@dataclass(frozen=True)
class NumberedFlow:
    """A flow, with the items, tables and calls that its numbers stand for."""

    flow: Flow
    numbers: ItemNumbers
    """The number that each item has in the warehouse, in ascending order."""
    asked: I64
    """The asked items, as numbers in the flow. Each has a node of its own at every level."""
    tables: Texts
    calls: Calls

    @property
    def modules(self) -> npt.NDArray[np.object_]:
        """The names of the modules."""
        return np.array(self.calls.modules, object)

    @property
    def outside(self) -> int:
        """The number of items that were made outside of all modules."""
        made = np.zeros(self.flow.items, bool)
        made[self.flow.dst[self.flow.invocation == NONE]] = True
        return int(made.sum())


def _calls_of(snapshot: Snapshot, triples: pa.Table) -> Calls:
    own, modules = _codes(triples[MODULE])
    ops, op_texts = _codes(triples[OP])
    of_ops = modules_of_ops(snapshot)
    names = sorted({one for one in modules if one} | {*of_ops.values()})
    code = {name: at for at, name in enumerate(names)}
    by_op = np.array([code.get(of_ops.get(op or "", ""), NONE) for op in op_texts] + [NONE])
    mine = np.array([code[one] for one in modules if one is not None] + [NONE])[own]
    module = np.where(own < 0, by_op[ops], mine)
    runs = runs_of(snapshot) if len(names) else {}
    columns = [
        (module, cast(Texts, names)),
        _runs(triples, runs),
        *(_codes(triples[name]) for name in (EXECUTION, INVOCATION)),
    ]
    return _numbered(columns, np.flatnonzero(module >= 0), len(module))


def _numbered(columns: Sequence[tuple[I64, Texts]], rows: I64, count: int) -> Calls:
    """Number the distinct combinations of codes in the given rows."""
    key = np.zeros(count, np.int64)
    for codes, texts in columns:
        if texts:
            key *= len(texts) + 1
            key += codes + 1
    keys, places = dense_distinct(key if len(rows) == count else key[rows])
    of = np.full(count, NONE, np.int32)
    of[rows] = places
    parts = list[I64]()
    for _, texts in reversed(columns):
        keys, part = np.divmod(keys, len(texts) + 1)
        parts.insert(0, part - 1)
    texts_of = ([*texts, None] for _, texts in columns)
    named = (
        [texts[at] for at in part.tolist()] for texts, part in zip(texts_of, parts, strict=True)
    )
    calls = list(zip(*named, strict=True))
    used, module = distinct(parts[0])
    return Calls(
        of, calls, tuple(str(columns[0][1][n]) for n in used.tolist()), module.astype(np.int32)
    )


def _runs(triples: pa.Table, runs: Mapping[int, str | None]) -> tuple[I64, Texts]:
    """Return a code for the run of each triple, and the runs that the codes stand for."""
    names = sorted({run for run in runs.values() if run is not None})
    code: dict[str | None, int] = {run: at for at, run in enumerate(names)}
    origins, places = dense_distinct(np.asarray(triples[ORIGIN], np.int64))
    of = np.array([code.get(runs.get(one), NONE) for one in origins.tolist()], np.int64)
    return of[places] if len(of) else places, names


def _codes(column: Column) -> tuple[I64, Texts]:
    """Return a code for each string, or -1 for null, and the strings that the codes stand for."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    coded = whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()
    indices = coded.indices.fill_null(NONE) if coded.null_count else coded.indices
    return np.asarray(indices, np.int64), coded.dictionary.to_pylist()


def flow_of(snapshot: Snapshot, found: MethodResult, asked: ItemNumbers) -> NumberedFlow:
    """Return the triples of a result as a flow between the items of the result and the asked items.

    The triples must have the columns of ``DESCRIBED``.
    """
    calls = _calls_of(snapshot, found.triples)
    src, dst = src_and_dst(found.triples)
    numbers, places = dense_distinct(np.concatenate([src, dst, found.items, asked]))
    codes, texts = _codes(snapshot.names.coded_tables(ItemNumbers(numbers)))
    role = np.asarray(found.triples[ROLE].combine_chunks().fill_null(NONE), np.int8)
    flow = Flow(
        items=len(numbers),
        src=places[: len(src)],
        dst=places[len(src) : 2 * len(src)],
        invocation=calls.of,
        role=role,
        module=calls.module,
        table=codes.astype(np.int32),
        declared=_declared(snapshot, calls.modules, texts),
    )
    ends = places[len(places) - len(asked) :]
    return NumberedFlow(flow, ItemNumbers(numbers), ends, texts, calls)


def _declared(snapshot: Snapshot, names: Sequence[str], tables: Texts) -> npt.NDArray[np.int8]:
    """Return the part that each module declares for each table; see ``Flow.declared``."""
    parts = np.zeros((len(names), len(tables) + 1), np.int8)
    known = {each.module: each for each in known_modules(snapshot)} if names else {}
    for row, module in zip(parts, map(known.get, names), strict=True):
        if module is None:
            continue
        if module.inputs:
            row[:-1] = OTHER_TABLE
        if module.outputs:
            row[-1] = OUTPUT_TABLE
        for part, of in (
            (OUTPUT_TABLE, module.outputs),
            (INPUT_TABLE, module.inputs),
            (STATE_TABLE, module.state),
        ):
            row[:-1][np.isin(np.array(tables, object), [*of])] = part
    return parts
