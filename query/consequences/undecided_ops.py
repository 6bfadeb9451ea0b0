"""Name the ops because of which a deletion leaves the fates of items undecided."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I32, Bools
from provhouse.model.columns import KIND, OP
from provhouse.model.deletion import Deletion
from provhouse.model.derivations import KINDS
from provhouse.model.progress import Stopwatch
from provhouse.store.tables.operations import operations_of
from provhouse.store.tables.snapshot import Snapshot

from ..lineage.ask import Asker
from ..methods.csprov import CSProv
from .deletion.codes import UNDECIDED, UNREACHED
from .deletion.derivation_index import AGGREGATE, ALL, ANY, COPY
from .deletion.described import Described
from .deletion.supposed import select
from .what_if import Settled, downstream, settle

_NAMES = {code: kind for kind, code in KINDS.items()}


@dataclass(frozen=True, order=True)
class UndecidedOp:
    """An op that made items whose fate is undecided, and what is recorded about it."""

    op: str
    kind: str | None
    """The kind of its triples, or None if no kind is recorded.

    ``all``, ``any`` and ``aggregate`` are kinds of captured ops: the conditions of their job may
    use any value of its sources.
    """


def undecided_ops(asker: Asker, deletion: Deletion) -> list[UndecidedOp]:
    """Return the ops whose triples do not determine the fates of items, in order.

    Ops of items that are undecided only because one of their inputs is undecided are left out.
    Raises the errors of ``what_if``.
    """
    return asker.snapshot.names.settled(lambda: _undecided_ops(asker, deletion))


def _undecided_ops(asker: Asker, deletion: Deletion) -> list[UndecidedOp]:
    watch, snapshot = Stopwatch(), asker.snapshot
    deleted = select(snapshot, deletion)
    walk = downstream(asker, deleted, watch)
    triples, _ = CSProv(snapshot, asker.spark, watch, walk).read("downstream")
    found = settle(Described(snapshot, triples, walk.partitions), deleted, walk)
    rows = _doubtful_rows(found)
    codes, ops = found.described.ops
    kinds = found.graph.kind[found.graph.of[rows]]
    pairs = {*zip(codes[rows].tolist(), kinds.tolist(), strict=True)}
    recorded = _recorded(snapshot)
    named = ((ops[code].as_py() or "", kind) for code, kind in pairs)
    return sorted(
        {UndecidedOp(op, _NAMES.get(kind, recorded.get(op))) for op, kind in named},
        key=lambda each: (each.op, each.kind or ""),
    )


def _doubtful_rows(found: Settled) -> I32:
    """Return the triples from changed or missing inputs whose derivations may hold or not."""
    graph, fate = found.graph, found.fates.fate
    doubtful: Bools = ~np.isin(graph.kind, (ALL, ANY, AGGREGATE, COPY)) | graph.conditional
    doubtful &= fate[graph.dst] == UNDECIDED
    affected = fate[graph.src] != UNREACHED
    affected[found.ended] = True
    return np.flatnonzero(doubtful[graph.of] & affected).astype(np.int32)


def _recorded(snapshot: Snapshot) -> dict[str, str]:
    """Return the recorded kinds of ops; a deletion ignores some kinds of captured ops."""
    operations = operations_of(snapshot)
    known: pa.Table = operations.filter(operations[KIND].is_valid())
    return dict(zip(known[OP].to_pylist(), known[KIND].to_pylist(), strict=True))
