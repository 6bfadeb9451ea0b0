"""Set aside the rows of shared derivations, which have a label in the column ``shared``.

Such a row has either a src, which is an input of the derivation, or a dst, which shares the
derivation with the label's other dst. The rows are staged in buckets by the hashes of their labels,
with names as strings. Then ``read_groups`` combines the rows of each label.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import Bools
from provhouse.model.columns import (
    ATTRIBUTES,
    DERIVATION,
    DST,
    DST_TABLE,
    OP,
    ROW,
    SHARED,
    SRC,
    SRC_TABLE,
)
from provhouse.runtime.storage import stream_writer
from provhouse.store.names.hashing import hashes

from ..formats.column_mapping import ID_OF, TABLE_OF
from ..formats.source import Batch
from ..staging import Staging
from .read_derivations import STAGED
from .read_ids import dictionary_or_text

CONTENT = "content"
SOURCE = "source"
"""The staged column with the number of each row's input file.

Only staged files with rows from several input files have this column.
"""
LABELLED = pa.schema(
    [
        *((name, pa.string()) for name in (SHARED, SRC, DST, SRC_TABLE, DST_TABLE, OP, ATTRIBUTES)),
        *((name, kind) for name, kind in STAGED.items() if name != DERIVATION),
        (SOURCE, pa.int32()),
        (ROW, pa.int64()),
        (CONTENT, pa.string()),
    ]
)
"""The columns of staged rows of shared derivations.

The last two columns are for rejected rows: the row's number in its file, and the row as JSON.
"""


def without_shared(batch: Batch) -> tuple[Batch, Batch | None]:
    """Return the rows without a label, and the rows with one (None if there are none)."""
    if SHARED not in batch.rows.column_names:
        return batch, None
    labelled = ~_empty(batch.rows, SHARED)
    plain = replace(batch, rows=batch.rows.drop_columns([SHARED]))
    if not labelled.any():
        return plain, None
    return _chosen(plain, ~labelled), replace(_chosen(batch, labelled), rejected=None)


def _chosen(batch: Batch, kept: Bools) -> Batch:
    mask = pa.array(kept)
    return replace(
        batch,
        rows=batch.rows.filter(mask),
        attributes=batch.attributes.filter(mask),
        scope=None if batch.scope is None else batch.scope.filter(mask),
        numbers=batch.numbers_at(np.flatnonzero(kept)),
    )


def shared_faults(rows: pa.Table) -> pa.Array:
    """Return, for each row, why it cannot be in a shared derivation; null if it can be."""
    src, dst = (~_empty(rows, end if end in rows.column_names else ID_OF[end]) for end in ID_OF)
    reasons = pa.nulls(rows.num_rows, pa.string())
    for wrong, reason in (
        (src & dst, "a row with shared has both src and dst"),
        (~src & ~dst, "no src and no dst"),
        (~_empty(rows, DERIVATION), "a row has both shared and derivation"),
        *((_lacks_table(rows, end), f"no {TABLE_OF[end]}") for end in ID_OF),
    ):
        reasons = pc.if_else(pc.and_(pa.array(wrong), reasons.is_null()), reason, reasons)
    return reasons


class SharedWriter:
    """The writer that stages one input file's rows of shared derivations in buckets of labels."""

    def __init__(self, staging: Staging, number: int, buckets: int) -> None:
        self._staging = staging
        self._number = number
        self._buckets = buckets
        self._streams: list[pa.ipc.RecordBatchStreamWriter] = []

    def close(self) -> None:
        """Close the files."""
        for stream in self._streams:
            stream.close()

    def write(self, columns: Mapping[str, pa.Array]) -> None:
        """Write rows; missing columns of ``LABELLED`` become null."""
        count = len(columns[SHARED])
        rows = pa.table(
            {field.name: columns.get(field.name, pa.nulls(count, field.type)) for field in LABELLED}
        ).cast(LABELLED)
        self._streams = self._streams or [
            stream_writer(self._staging.shared(bucket, self._number), LABELLED)
            for bucket in range(self._buckets)
        ]
        of = hashes(rows[SHARED].combine_chunks()) % np.uint64(self._buckets)
        for bucket, stream in enumerate(self._streams):
            stream.write_table(rows.filter(pa.array(of == bucket)))


def _lacks_table(rows: pa.Table, end: str) -> Bools:
    """Return a mask of the rows that have a row id but no table."""
    if end in rows.column_names:
        return np.zeros(rows.num_rows, bool)
    return ~_empty(rows, ID_OF[end]) & _empty(rows, TABLE_OF[end])


def _empty(rows: pa.Table, name: str) -> Bools:
    if name not in rows.column_names:
        return np.ones(rows.num_rows, bool)
    if pa.types.is_integer(rows[name].type):
        return np.asarray(rows[name].is_null(), dtype=bool)
    if pa.types.is_dictionary(rows[name].type):
        return np.asarray(
            pc.equal(dictionary_or_text(rows[name]).cast(pa.string()), ""), dtype=bool
        )
    return np.asarray(pc.equal(pc.fill_null(rows[name], ""), ""), dtype=bool)
