"""Check that the descriptions of ops are valid, and that no ingest has described an op twice."""

from collections import Counter
from collections.abc import Iterator

import pyarrow.compute as pc

from provhouse.model.columns import EXACTNESS, FUNCTION, INGEST, KIND, OP
from provhouse.model.derivations import KINDS
from provhouse.model.operations import FUNCTIONS, LEVELS
from provhouse.store.tables.operations import OPERATIONS
from provhouse.store.tables.snapshot import Snapshot

from .damage_report import RESTORE_FOLDER, Damage

_ALLOWED = {KIND: (*KINDS,), FUNCTION: FUNCTIONS, EXACTNESS: LEVELS}


def operation_damages(snapshot: Snapshot, counts: Counter[str]) -> Iterator[Damage]:
    """Yield a `Damage` for values that no ingest writes, and for an op with two descriptions."""
    if OPERATIONS not in snapshot.commit.tables:
        return
    rows = snapshot.rows(OPERATIONS)
    counts["operations"] += rows.num_rows
    for name, allowed in _ALLOWED.items():
        unknown = set(pc.unique(rows[name]).to_pylist()) - {*allowed, None}
        if unknown:
            wanted = f"The table {OPERATIONS} has an unknown {name}"
            yield Damage(f"table {OPERATIONS}", wanted, f"It is {min(unknown)!r}", RESTORE_FOLDER)
    rows = rows.filter(rows[OP].is_valid())  # an erased op is null
    repeated = rows.num_rows - rows.group_by([OP, INGEST]).aggregate([]).num_rows
    if repeated:
        wanted = "An ingest has described an op twice"
        found = f"{repeated:,} descriptions are repeated"
        yield Damage(f"table {OPERATIONS}", wanted, found, RESTORE_FOLDER)
