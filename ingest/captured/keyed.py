"""Sources whose rows have no numbers of their own: a tap wrote the declared key of each row."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64
from provhouse.model.errors import BadInput

from .associations import read_keys_tap


@dataclass(frozen=True)
class KeyedSource:
    """A scan of a source such as CSV files or a table of another database."""

    number: int
    """The first of its numbers in the ids of its rows; each partition that was read has one."""
    partitions: int
    table: str
    key: tuple[str, ...]
    tap: Path


@dataclass(frozen=True)
class SourceKeys:
    """The keys of all rows that a scan read, by their ids in ascending order."""

    ids: I64
    keys: pa.Array

    def at(self, ids: I64) -> pa.Array:
        """Return the keys of rows."""
        return self.keys.take(pa.array(np.searchsorted(self.ids, ids)))


def source_keys(source: KeyedSource) -> SourceKeys:
    """Return the keys of a source.

    Raises BadInput if a key is NULL or not unique, or if Spark read the source twice and found
    other rows.
    """
    ids, keys = read_keys_tap(source.tap)
    by = ", ".join(source.key)
    if keys.null_count:
        raise BadInput(
            f"{keys.null_count:,} keys of {source.table} are NULL",
            f"The declared key is {by}",
            "Declare another key",
        )
    distinct = pa.table([pa.array(ids), keys], ["id", "key"]).group_by(["id", "key"]).aggregate([])
    found = np.asarray(distinct["id"])
    order = np.argsort(found)
    if len(np.unique(found)) != len(found):
        raise BadInput(
            f"The rows of {source.table} have changed while the job ran",
            "Spark has read them twice and found other rows",
            "Run the job again; sources must stay as they are until the block has ended",
        )
    values = int(pc.count_distinct(distinct["key"]).as_py())
    if values != len(found):
        raise BadInput(
            f"The key of {source.table} is not unique",
            f"{len(found):,} rows have {values:,} values of {by}",
            "Declare all columns of the key, as in keys={'table': ['a', 'b']}",
        )
    return SourceKeys(found[order], distinct["key"].combine_chunks().take(pa.array(order)))
