"""Write the staged files of a task that reads input files: rows, names and rejected rows."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import I64, U64
from provhouse.model.columns import ATTRIBUTES, DST, NAME, OP, SRC, TABLE
from provhouse.model.derivations import GROUP_PREFIX
from provhouse.model.errors import BadInput
from provhouse.model.patterns import Pattern
from provhouse.runtime.storage import parquet_writer, stream_writer
from provhouse.store.names.hashing import hashes

from ..formats.column_mapping import ID_OF, TABLE_OF
from ..staging import Staging
from .grouping import writable_at_once
from .read_derivations import STAGED
from .read_ids import (
    CODE_OF,
    NO_TABLE,
    IdWriter,
    dictionary_or_text,
    names_of,
    text_or_empty,
    with_name,
)
from .read_judge import REJECTS
from .read_shared import SOURCE, SharedWriter

HASH = "hash"
VOTES = "votes"
ROWS = pa.schema(
    [(SRC, pa.uint64()), (DST, pa.uint64()), (OP, pa.string()), (ATTRIBUTES, pa.string())]
)
NAMED = pa.schema(
    [(HASH, pa.uint64()), (NAME, pa.string()), (TABLE, pa.string()), (VOTES, pa.int64())]
)


class NameWriter:
    """The writer of a task's names; all files of the task share one staged file per bucket."""

    def __init__(self, staging: Staging, number: int, buckets: int, seed: int) -> None:
        self.buckets = buckets
        self._seed = seed
        writable_at_once(buckets)
        self._streams = [
            stream_writer(staging.names(bucket, number), NAMED) for bucket in range(buckets)
        ]

    def __enter__(self) -> "NameWriter":
        return self

    def __exit__(self, *_: object) -> None:
        for stream in self._streams:
            stream.close()

    def write(self, names: pa.DictionaryArray, tables: pa.Array) -> U64:
        """Write each pair of a name and its table once, with its number of occurrences.

        Returns the hash of each name.
        """
        hashed = hashes(names.dictionary, self._seed)
        ends = np.asarray(names.indices)
        encoded = tables.dictionary_encode()
        pair = ends.astype(np.int64) * len(encoded.dictionary) + np.asarray(encoded.indices)
        distinct, votes = np.unique(pair, return_counts=True)
        name, table = np.divmod(distinct, len(encoded.dictionary))
        bucket = _bucket_of(hashed[name], self.buckets)
        order = np.argsort(bucket, kind="stable")
        bounds = np.searchsorted(bucket[order], np.arange(self.buckets + 1))
        for stream, start, end in zip(self._streams, bounds, bounds[1:], strict=False):
            rows = order[start:end]
            stream.write_table(
                pa.table(
                    {
                        HASH: hashed[name[rows]],
                        NAME: names.dictionary.take(pa.array(name[rows])),
                        TABLE: encoded.dictionary.take(pa.array(table[rows])),
                        VOTES: votes[rows],
                    },
                    schema=NAMED,
                )
            )
        each: U64 = hashed[ends]
        return each


class RowWriter:
    """The writer of one file's rows. All files of a task share the writers ``names`` and ``ids``.

    ``source`` is the file's name in errors. It is None for a file of groups, the only kind of file
    that may contain the names of groups.
    """

    def __init__(
        self,
        source: str | None,
        staging: Staging,
        number: int,
        patterns: Mapping[str, Pattern],
        names: NameWriter,
        ids: IdWriter,
    ) -> None:
        self._source, self._staging, self._number = source, staging, number
        self._patterns = patterns
        self._names, self._ids = names, ids
        self._rows: pa.ipc.RecordBatchStreamWriter | None = None
        self._schema = ROWS
        self._rejects: pq.ParquetWriter | None = None
        self._shared = SharedWriter(staging, number, names.buckets)

    def __enter__(self) -> "RowWriter":
        return self

    def __exit__(self, *_: object) -> None:
        (self._rows or self._open(ROWS)).close()
        self._shared.close()
        if self._rejects:
            self._rejects.close()

    def _open(self, schema: pa.Schema) -> pa.ipc.RecordBatchStreamWriter:
        return stream_writer(self._staging.rows(self._number), schema)

    def reject(self, rows: pa.Table) -> None:
        """Write rejected rows, which have the columns of the table ``rejects``."""
        if not self._rejects:
            self._rejects = rejects_writer(self._staging.rejects(self._number))
        self._rejects.write_table(rows)

    def share(self, rows: pa.Table) -> None:
        """Write rows of shared derivations, which have columns that ``LABELLED`` lists."""
        source = pa.repeat(pa.scalar(self._number, pa.int32()), rows.num_rows)
        known = {name: text_or_empty(rows, name) for name in (OP, *TABLE_OF.values())}
        given = {name: rows[name].combine_chunks() for name in rows.column_names}
        self._shared.write(given | known | {SOURCE: source})

    def write(self, rows: pa.Table) -> None:
        """Write valid rows with hashes instead of names, and write the names and row ids.

        Raises BadInput for a name of a group, unless this is a file of groups.
        """
        by_id = [end for end in ID_OF if end not in rows.column_names]
        more = STAGED | {SOURCE: pa.int32()}
        described = [name for name in more if name in rows.column_names]
        if self._rows is None:
            codes = [(CODE_OF[end], pa.int32()) for end in by_id]
            schema = pa.schema([*ROWS, *codes, *((name, more[name]) for name in described)])
            self._rows, self._schema = self._open(schema), schema
        for end in by_id:
            if CODE_OF[end] not in self._schema.names:  # the first batch had no row ids
                rows = with_name(rows, end, names_of(rows, end, self._patterns))
        self._rows.write_table(
            pa.table(
                {
                    **self._ends(rows),
                    OP: text_or_empty(rows, OP),
                    ATTRIBUTES: rows[ATTRIBUTES],
                    **{name: rows[name] for name in described},
                }
            ).select(self._schema.names),
        )

    def _ends(self, rows: pa.Table) -> dict[str, Any]:
        """Write the names and row ids of both ends; return the staged columns of the ends."""
        named = [end for end in ID_OF if end in rows.column_names]
        ends: dict[str, Any] = dict(zip(named, self._write_names(rows, named), strict=True))
        for end in ID_OF:
            codes = np.full(rows.num_rows, NO_TABLE)
            if end not in ends:
                tables = dictionary_or_text(rows[TABLE_OF[end]])
                ids, codes = self._ids.write(rows[ID_OF[end]].combine_chunks(), tables)
                ends[end] = ids.view(np.uint64)
            if CODE_OF[end] in self._schema.names:
                ends[CODE_OF[end]] = codes
        return ends

    def _write_names(self, rows: pa.Table, ends: Sequence[str]) -> list[U64]:
        """Write the names at the given ends; return, for each end, the hashes of its names."""
        if not ends:
            return []
        chunks = [chunk for end in ends for chunk in rows[end].chunks]
        encoded = pa.chunked_array(chunks, pa.string()).combine_chunks().dictionary_encode()
        if self._source is not None:
            _check_names(encoded.dictionary, self._source)
        tables = pa.concat_arrays([text_or_empty(rows, TABLE_OF[end]) for end in ends])
        return np.split(self._names.write(encoded, tables), len(ends))


def rejects_writer(path: Path) -> pq.ParquetWriter:
    """Open a new file for rejected rows, with the columns of the table ``rejects``."""
    return parquet_writer(path, REJECTS, compression="zstd", write_statistics=False)


def _bucket_of(hashed: U64, buckets: int) -> I64:
    """Return the bucket of each hash. Hashes in a later bucket are higher."""
    if buckets == 1:
        return np.zeros(len(hashed), np.int64)
    return (hashed >> np.uint64(64 - (buckets.bit_length() - 1))).astype(np.int64)


def _check_names(names: pa.Array, place: str) -> None:
    """Raise BadInput if a name belongs to a group."""
    if pc.any(pc.starts_with(names, GROUP_PREFIX)).as_py():
        raise BadInput(
            f"{place}: a name begins with a zero byte and 'group/'",
            "The warehouse uses such names for derivations that many dst share",
            "Rename the item; nothing was ingested",
        )
