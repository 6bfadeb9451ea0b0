"""Write and open segment files: the names and tables of items, in the order of item numbers.

If the pattern of an item's table makes its name from an id, only the id is stored. A segment with
such names has the column ``id``, and the patterns in its metadata.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I32, I64, Bools, Column
from provhouse.model.columns import NAME, TABLE
from provhouse.model.patterns import Pattern
from provhouse.runtime.storage import batch_reader, batch_writer

from .id_columns import decoded, encoded
from .printed import parsed, printed_rows

BATCH = 1024
"""The number of names in a compressed batch."""
LEVEL = 3
"""The level of zstd. Ids in order take a sixth less than at level 1, in the same time."""
LARGEST = (1 << 31) - 1
"""The maximum size in bytes of an array of the type string."""
SCHEMA = pa.schema([(NAME, pa.string()), (TABLE, pa.dictionary(pa.int32(), pa.string()))])
ID = "id"
_IDS = SCHEMA.append(pa.field(ID, pa.int64()))
_PATTERNS = b"patterns"


@dataclass(frozen=True)
class RowIds:
    """The row ids that a segment stores instead of names."""

    ids: I64
    given: Bools
    """For each item, whether an id is stored instead of a name."""
    patterns: Mapping[str, Pattern]
    """The patterns of the tables whose items have ids, by table name."""


def names_file(first: int, ingest: int) -> str:
    """Return the file name of a segment that begins with item ``first``."""
    return f"{first:016d}-{ingest:08d}.arrow"


def write_names(path: Path, names: Column, tables: Column, row_ids: RowIds | None = None) -> None:
    """Write a segment. The rows of all columns must be in the order of item numbers.

    The names of one batch must take less than 2 GB. All names together may take more if they are an
    array of the type large_string.
    """
    coded = pa.table({TABLE: tables}).cast(pa.schema([SCHEMA.field(TABLE)])).unify_dictionaries()
    rows = coded.add_column(0, NAME, one_array(pa.table({NAME: names})[NAME])).combine_chunks()
    if row_ids and not row_ids.given.any():
        row_ids = None
    schema = _IDS.with_metadata(_as_metadata(row_ids.patterns)) if row_ids else SCHEMA
    with batch_writer(path, schema, LEVEL) as out:
        for start in range(0, rows.num_rows, BATCH):
            end = min(start + BATCH, rows.num_rows)
            (batch,) = _part(rows, start, end).to_batches()
            columns = batch.columns
            if row_ids:
                ids, given = row_ids.ids[start:end], row_ids.given[start:end]
                columns.append(encoded(ids, _codes(batch), given))
            out.write_batch(pa.record_batch(columns, schema=schema))


def _part(rows: pa.Table, start: int, end: int) -> pa.Table:
    if rows.schema.equals(SCHEMA):
        return rows.slice(start, end - start)
    # A slice of large_string cannot be cast, because its offsets can still be beyond 2 GB.
    return rows.take(pa.array(np.arange(start, end))).cast(SCHEMA).combine_chunks()


def _as_metadata(patterns: Mapping[str, Pattern]) -> dict[bytes, str]:
    texts = {table: (each.before, each.after) for table, each in patterns.items()}
    return {_PATTERNS: json.dumps(texts)}


def one_array(texts: pa.ChunkedArray) -> pa.Array:
    """Return a column of text as one array, of the type large_string if it takes 2 GB or more.

    An array of the type string cannot be that large, because its offsets have 32 bits.
    """
    if texts.nbytes > LARGEST:
        texts = texts.cast(pa.large_string())
    return texts.combine_chunks()


def ids_among(names: Column, tables: Column, patterns: Mapping[str, Pattern]) -> tuple[I32, I64]:
    """Return, as two arrays, which of the given names are row ids.

    The first array contains the position of each name's table among the patterns, or -1 if the name
    is not a row id of its own table. The second array contains the ids.
    """
    codes, ids = np.full(len(names), -1, np.int32), np.zeros(len(names), np.int64)
    if not patterns:
        return codes, ids
    of = pc.index_in(tables, pa.array(list(patterns), pa.string()))
    known = np.flatnonzero(np.asarray(of.is_valid()))
    some = one_array(pa.table({NAME: names.take(pa.array(known)).fill_null("")})[NAME])
    found, numbers = parsed(some, list(patterns.values()))
    right = found == np.asarray(of.take(pa.array(known)))
    codes[known[right]], ids[known[right]] = found[right], numbers[right]
    return codes, ids


class SegmentReader:
    """A reader of some columns of a segment, batch by batch. It turns row ids into names.

    It is not thread-safe.
    """

    def __init__(self, path: Path, columns: Iterable[str]) -> None:
        self._columns = list(columns)
        schema = batch_reader(path, []).schema  # the schema of all columns
        self._patterns = _patterns(schema)
        self._prints = ID in schema.names and NAME in self._columns
        wanted = schema.names if self._prints else self._columns
        self._reader = batch_reader(path, [schema.get_field_index(name) for name in wanted])

    @property
    def num_record_batches(self) -> int:
        """The number of batches; all except the last contain ``BATCH`` names."""
        return int(self._reader.num_record_batches)

    def get_batch(self, number: int) -> pa.RecordBatch:
        """Return a batch; only the needed columns are decompressed."""
        batch = self._reader.get_batch(number)
        if self._prints:
            batch = _with_names(batch, self._patterns).select(self._columns)
        return batch.replace_schema_metadata(None)


def _patterns(schema: pa.Schema) -> dict[str, Pattern]:
    texts = json.loads((schema.metadata or {}).get(_PATTERNS, "{}"))
    return {table: Pattern(*each) for table, each in texts.items()}


def _with_names(batch: pa.RecordBatch, patterns: Mapping[str, Pattern]) -> pa.RecordBatch:
    """Return a stored batch with a name for every item, even if only an id is stored."""
    codes = _codes(batch)
    ids, given = decoded(batch.column(ID), codes)
    tables = batch.column(TABLE).dictionary.to_pylist()
    known = [patterns.get(table, _NO_PATTERN) for table in tables]
    names = printed_rows(known, np.where(given, codes, np.int32(-1)), ids)
    if not given.all():
        names = pc.if_else(pa.array(given), names, batch.column(NAME))
    return batch.set_column(batch.schema.get_field_index(NAME), NAME, names)


_NO_PATTERN = Pattern("")


def _codes(batch: pa.RecordBatch) -> I32:
    """Return the position of each item's table in the dictionary, or 0 if the item has no table."""
    codes: I32 = np.asarray(batch.column(TABLE).indices.fill_null(0))
    return codes


def without_rows(batch: pa.RecordBatch, rows: Sequence[int]) -> pa.RecordBatch:
    """Return a stored batch without any trace of the names and ids in the given rows."""
    gone = set(rows)
    texts = batch.column(NAME).to_pylist()  # Arrow's own functions keep the bytes under a null
    left = [None if row in gone else text for row, text in enumerate(texts)]
    batch = batch.set_column(batch.schema.get_field_index(NAME), NAME, pa.array(left, pa.string()))
    if ID not in batch.schema.names:
        return batch
    codes = _codes(batch)
    ids, given = decoded(batch.column(ID), codes)
    given[list(rows)] = False
    at = batch.schema.get_field_index(ID)
    return batch.set_column(at, ID, encoded(ids, codes, given))
