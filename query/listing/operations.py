"""List the described ops with their descriptions, without reading a triple."""

from dataclasses import dataclass

import pyarrow as pa

from provhouse.store.tables.operations import operations_of
from provhouse.store.tables.snapshot import Snapshot


@dataclass(frozen=True)
class Operations:
    """The descriptions of ops in one generation.

    ``operations`` has the columns op, kind, function, module, sql, job, place and exactness, which
    are strings, and born, which is the generation that added the description. Its rows are in order
    of the ops.
    """

    generation: int
    time: str
    operations: pa.Table


def list_operations(snapshot: Snapshot) -> Operations:
    """Return the newest description of each op that the generation shows."""
    commit = snapshot.commit
    found = snapshot.names.settled(lambda: operations_of(snapshot))
    return Operations(commit.generation, commit.time, found)
