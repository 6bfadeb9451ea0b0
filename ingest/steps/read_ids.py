"""Stage the ends of rows that are row ids, which are pairs of a table and a 64-bit integer.

Row ids are not converted to strings. They are distributed over shards. Ids that differ only in
their lowest bits form a block, which stays together, so that consecutive ids are found and numbered
quickly.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I32, I64
from provhouse.model.columns import DST, SRC
from provhouse.model.compiled import compiled
from provhouse.model.patterns import Pattern, pattern_of
from provhouse.runtime.storage import stream_writer
from provhouse.store.names.hashing import hashes

from ..formats.column_mapping import ID_OF, TABLE_OF
from ..staging import Staging

CODE_OF = {SRC: "src_code", DST: "dst_code"}
"""For each end, the staged column that has the code of the end's table in files with row ids."""
NO_TABLE = np.int32(-1)
"""The code that marks an end that is staged as the hash of a name instead of a row id."""
CODE, ID, VOTES = "code", "id", "votes"
PARTS = pa.schema([(CODE, pa.int32()), (ID, pa.int64()), (VOTES, pa.int32())])
BLOCK_BITS = 16
"""The number of lowest bits in which ids of the same block may differ."""
_KEPT = 14
"""The base-2 logarithm of the number of row ids whose votes can be counted at the same time."""


class IdWriter:
    """The writer of the row ids that a task stages. The first row id creates the files."""

    def __init__(self, staging: Staging, number: int, shards: int) -> None:
        self._staging, self._number, self._shards = staging, number, shards
        self._codes: dict[str, int] = {}
        self._starts: list[int] = []
        self._streams: list[pa.ipc.RecordBatchStreamWriter] = []

    def __enter__(self) -> "IdWriter":
        return self

    def __exit__(self, *_: object) -> None:
        for stream in self._streams:
            stream.close()

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables of the row ids written so far. A table's position is its code."""
        return tuple(self._codes)

    def write(self, ids: pa.Array, tables: pa.Array) -> tuple[I64, I32]:
        """Write the row ids of one end; return the row ids and their table codes.

        A row id may be written several times. The sum of its votes is the number of its
        occurrences.
        """
        coded = tables if pa.types.is_dictionary(tables.type) else tables.dictionary_encode()
        known = np.array([self._code(table) for table in coded.dictionary.to_pylist()], np.int32)
        numbers: I64 = np.asarray(ids)
        codes: I32 = known[np.asarray(coded.indices)]
        self._spread(*_counted(numbers, codes))
        return numbers, codes

    def note(self, valid: pa.Table, given: pa.Table) -> None:
        """Record tables whose ids become names, because such names fix the tables' patterns too.

        ``valid`` has the rows of ``given`` that are not rejected.
        """
        for end in ID_OF:
            if end not in given.column_names:
                tables = dictionary_or_text(valid[TABLE_OF[end]]).unique().to_pylist()
                for table in filter(None, tables):
                    self._code(table)

    def _code(self, table: str) -> int:
        if table not in self._codes:
            self._codes[table] = len(self._codes)
            self._starts.append(int(hashes(pa.array([table]))[0] >> np.uint64(32)))
        return self._codes[table]

    def _spread(self, ids: I64, codes: I32, votes: I32) -> None:
        if not self._streams:
            paths = [self._staging.id_parts(shard, self._number) for shard in range(self._shards)]
            self._streams = [stream_writer(path, PARTS, compression=None) for path in paths]
        if self._shards == 1:
            self._streams[0].write_batch(_part(codes, ids, votes))
            return
        start = np.array(self._starts, np.int64)[codes]
        shard = ((ids >> BLOCK_BITS) + start).astype(np.uint64) % np.uint64(self._shards)
        for number, stream in enumerate(self._streams):
            rows = np.flatnonzero(shard == number)
            stream.write_batch(_part(codes[rows], ids[rows], votes[rows]))


def _part(codes: I32, ids: I64, votes: I32) -> pa.RecordBatch:
    return pa.record_batch([codes, ids, votes], schema=PARTS)


@compiled()
def _counted(ids: I64, codes: I32) -> tuple[I64, I32, I32]:
    """Return row ids, each with its code and its votes, which count its occurrences.

    An occurrence soon after another one adds a vote. If many other row ids come in between, the row
    id may instead be returned again, with separate votes.
    """
    out_ids = np.empty(len(ids), np.int64)
    out_codes = np.empty(len(ids), np.int32)
    votes = np.empty(len(ids), np.int32)
    last = np.full(1 << _KEPT, -1, np.int32)
    count = 0
    for row in range(len(ids)):
        mixed = np.uint64(ids[row]) + np.uint64(codes[row]) * np.uint64(0xC2B2AE3D27D4EB4F)
        slot = (mixed * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - _KEPT)
        at = last[slot]
        if at >= 0 and out_ids[at] == ids[row] and out_codes[at] == codes[row]:
            votes[at] += 1
            continue
        last[slot] = count
        out_ids[count], out_codes[count], votes[count] = ids[row], codes[row], 1
        count += 1
    return out_ids[:count], out_codes[:count], votes[:count]


def table_codes(part: Sequence[str], tables: Sequence[str]) -> I32:
    """Return, for each table of ``part``, its position in ``tables``."""
    known = {table: code for code, table in enumerate(tables)}
    return np.array([known[table] for table in part], np.int32)


def names_of(rows: pa.Table, end: str, patterns: Mapping[str, Pattern]) -> pa.Array:
    """Return the names of the items at one end of rows that identify this end by table and id.

    A name is null if the table or the id is missing.
    """
    keys = rows[ID_OF[end]].combine_chunks().cast(pa.string())
    tables = dictionary_or_text(rows[TABLE_OF[end]])
    coded = tables if pa.types.is_dictionary(tables.type) else tables.dictionary_encode()
    of = [pattern_of(table, patterns) for table in coded.dictionary.to_pylist()]
    before = pa.array([each.before for each in of], pa.string()).take(coded.indices)
    after = pa.array([each.after for each in of], pa.string()).take(coded.indices)
    return pc.binary_join_element_wise(before, keys, after, "")


def with_names(rows: pa.Table, patterns: Mapping[str, Pattern]) -> pa.Table:
    """Return rejected rows with names instead of ids, if a row has both a table and an id."""
    for end in ID_OF:
        if end in rows.column_names:
            continue
        tables = dictionary_or_text(rows[TABLE_OF[end]])
        if pa.types.is_dictionary(tables.type):
            tables = tables.dictionary_decode()
        rows = rows.set_column(rows.column_names.index(TABLE_OF[end]), TABLE_OF[end], tables)
        keys = rows[ID_OF[end]].combine_chunks().cast(pa.string())
        names = pc.if_else(pc.equal(tables, ""), keys, names_of(rows, end, patterns))
        rows = with_name(rows, end, names)
    return rows


def with_name(rows: pa.Table, end: str, names: pa.Array) -> pa.Table:
    """Return ``rows`` with ``names`` at one end; they replace the column of names or ids."""
    column = end if end in rows.column_names else ID_OF[end]
    return rows.set_column(rows.column_names.index(column), end, names)


def dictionary_or_text(column: pa.ChunkedArray) -> pa.Array:
    """Return a column of tables as one array, with empty strings in place of nulls."""
    array = column.combine_chunks()
    if not pa.types.is_dictionary(array.type):
        return pc.fill_null(array, "")
    if array.null_count or array.dictionary.null_count:
        return pc.fill_null(array.dictionary_decode(), "")
    return array


def text_or_empty(rows: pa.Table, column: str) -> pa.Array:
    """Return a column as strings, with empty strings for nulls and for a missing column."""
    if column not in rows.column_names:
        return pa.repeat(pa.scalar("", pa.string()), rows.num_rows)
    values = rows[column].combine_chunks()
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return pc.fill_null(values, "")
