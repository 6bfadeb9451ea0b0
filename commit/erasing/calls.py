"""Find the names of modules and invocations that occur only in triples of erased items."""

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import ItemNumbers, PartitionNumber, minus
from provhouse.model.columns import DST, EXECUTION, INVOCATION, MODULE, SRC
from provhouse.store.tables.partitions import read_partition
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.tables.touching import partitions_touching, touching

_CALL = (MODULE, EXECUTION, INVOCATION)
Text = tuple[str, str]
"""The name of a column, and a string in it."""


def has_lone_calls(snapshot: Snapshot, items: ItemNumbers) -> bool:
    """Return whether a module or call occurs only in triples that touch the items.

    If so, Neo4j may contain the name of this module or call, and an erasure must remove the name.
    """
    if not snapshot.derived:
        return False
    touched = partitions_touching(snapshot, items).tolist()
    lone = set[Text]()
    for partition in touched:
        rows = read_partition(snapshot.partition_path(partition), (SRC, DST, *_CALL))
        lone |= _texts(rows.filter(pa.array(touching(rows, items))))
    others = _others(snapshot, items, touched)
    while lone and (texts := next(others, None)) is not None:
        lone -= texts
    return bool(lone)


def _others(
    snapshot: Snapshot, items: ItemNumbers, touched: Sequence[PartitionNumber]
) -> Iterator[set[Text]]:
    """Yield the strings of the triples that do not touch the items, partition by partition."""
    for partition in touched:
        rows = read_partition(snapshot.partition_path(partition), (SRC, DST, *_CALL))
        yield _texts(rows.filter(pa.array(~touching(rows, items))))
    for partition in minus(snapshot.partitions, touched).tolist():
        yield _texts(read_partition(snapshot.partition_path(partition), _CALL))


def _texts(rows: pa.Table) -> set[Text]:
    found = ((name, text) for name in _CALL for text in pc.unique(rows[name]).to_pylist())
    return {(name, text) for name, text in found if text is not None}
