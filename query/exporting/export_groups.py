"""Write out shared derivations for an export, piece by piece, so that memory stays small.

In the exported files, a triple leads from each input to each dst. Other programs, and warehouses
that import the files, do not see groups.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, ItemNumbers, PartitionNumber, among, expand_ranges, unique
from provhouse.model.columns import ATTRIBUTES, BORN, DERIVATION, DST, INGEST, OP, SRC
from provhouse.store.tables.group_counts import partitions_into
from provhouse.store.tables.lost_derivations import WayNumbers, description_texts, in_ways
from provhouse.store.tables.partitions import read_partition
from provhouse.store.tables.ranges import places
from provhouse.store.tables.snapshot import Snapshot

PIECE = 1 << 18
"""The number of triples to write out at once; exceeded only if a dst has more inputs."""


_KEPT = (OP, ATTRIBUTES, INGEST, BORN)


def written_out_rows(
    snapshot: Snapshot, rows: pa.Table, broken: WayNumbers, operations: pa.Table
) -> Iterator[pa.Table]:
    """Yield the live triples of a partition with the columns of an export.

    Unlike in an export, the ends of the triples are numbers, not names. Triples that lead to groups
    are left out. A triple from a group to a dst is replaced by triples to this dst from all inputs
    of the group. ``broken`` are the derivations that have lost a row, and ``operations`` are the
    descriptions of ops.
    """
    groups = snapshot.groups
    if not len(groups):
        yield _described(snapshot, rows, broken, operations)
        return
    src, dst = (np.asarray(rows[end], np.int64) for end in (SRC, DST))
    uses = np.flatnonzero(among(src, groups))
    plain = ~among(src, groups) & ~among(dst, groups)
    yield _described(snapshot, rows.filter(pa.array(plain)), broken, operations)
    met = ItemNumbers(unique(src[uses]))
    for partition in partitions_into(snapshot, met).tolist() if len(met) else ():
        inputs = _inputs(snapshot, partition, met, rows.column_names)
        group = np.asarray(inputs[DST], np.int64)
        described = _described(snapshot, inputs, broken, operations)
        yield from _pairs(described, group, rows.take(pa.array(uses)))


def _described(
    snapshot: Snapshot, rows: pa.Table, broken: WayNumbers, operations: pa.Table
) -> pa.Table:
    """Replace the stored columns of derivations, if any, by the columns of an export."""
    if not snapshot.derived:
        return rows
    texts = description_texts(rows, in_ways(rows, broken), operations)
    kept = rows.select([SRC, DST, *(n for n in rows.column_names if n in _KEPT)])
    for name, column in texts.items():
        kept = kept.append_column(name, column)
    return kept


def _inputs(
    snapshot: Snapshot, partition: PartitionNumber, groups: ItemNumbers, columns: list[str]
) -> pa.Table:
    """Return the live triples of a partition that lead to one of the groups, in order of dst."""
    rows = read_partition(snapshot.partition_path(partition), columns)
    dead = snapshot.deaths.has(places(partition, np.arange(rows.num_rows)))
    into = among(np.asarray(rows[DST], np.int64), groups)
    return rows.filter(pa.array(into & ~dead)).combine_chunks()


def _pairs(inputs: pa.Table, group: I64, uses: pa.Table) -> Iterator[pa.Table]:
    """Yield a triple for each pair of an input and a use of the same group.

    A *use* of a group is a triple from the group to a dst. ``group`` has the group of each input,
    in ascending order.
    """
    of = np.asarray(uses[SRC], np.int64)
    low = np.searchsorted(group, of, "left")
    counts = np.searchsorted(group, of, "right") - low
    piece = np.cumsum(counts) // PIECE
    for some in np.split(np.arange(len(of)), np.flatnonzero(np.diff(piece)) + 1):
        at = pa.array(expand_ranges(low[some], counts[some]))
        use = pa.array(np.repeat(some, counts[some]))
        rows = inputs.take(at)
        for name in (DST, INGEST, BORN):
            rows = rows.set_column(rows.column_names.index(name), name, uses[name].take(use))
        label = pa.array([f"shared {number}" for number in of[some].tolist()], pa.string())
        label = label.take(pa.array(np.repeat(np.arange(len(some)), counts[some])))
        yield rows.set_column(rows.column_names.index(DERIVATION), DERIVATION, label)
