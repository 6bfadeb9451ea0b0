"""Stage one input file: reject incomplete rows, and replace names by hashes. Row ids stay ids.

The names are staged apart from the rows. For each batch of rows, every pair of a name and its table
is staged once. The names are distributed over buckets by the first bits of their hashes, so that
``read_names`` can load one bucket at a time.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import I64, U64, Bools
from provhouse.model.attributes import quoted
from provhouse.model.columns import (
    ATTRIBUTES,
    DST,
    INGEST,
    NAME,
    OP,
    ROW,
    SHARED,
    SRC,
    TABLE,
    TABLES,
)
from provhouse.model.derivations import GROUP_PREFIX
from provhouse.model.errors import BadInput
from provhouse.model.faults import reach
from provhouse.model.naming import Naming
from provhouse.model.patterns import Pattern
from provhouse.runtime.storage import parquet_writer, stream_writer
from provhouse.spark.tasks import part_of_task, report_progress
from provhouse.store.names.hashing import hashes

from ..formats.column_mapping import ID_OF, TABLE_OF
from ..formats.registry import batches
from ..formats.source import REJECTED, Batch, Source
from ..naming import with_tables
from ..staging import Staging
from .grouping import writable_at_once
from .read_derivations import STAGED, with_descriptions
from .read_ids import (
    CODE_OF,
    NO_TABLE,
    IdWriter,
    dictionary_or_text,
    names_of,
    with_name,
    with_names,
)
from .read_shared import CONTENT, SOURCE, SharedWriter, shared_faults, without_shared

HASH = "hash"
VOTES = "votes"
ROWS = pa.schema(
    [(SRC, pa.uint64()), (DST, pa.uint64()), (OP, pa.string()), (ATTRIBUTES, pa.string())]
)
NAMED = pa.schema(
    [(HASH, pa.uint64()), (NAME, pa.string()), (TABLE, pa.string()), (VOTES, pa.int64())]
)
REJECTS = TABLES["rejects"]


@dataclass(frozen=True)
class StagedFile:
    """The number of valid rows and the number of rejected rows in a file."""

    valid: int
    rejected: int
    id_tables: tuple[str, ...] = ()
    """The tables of row ids, by the code that the task stages for them."""
    shared: int = 0
    """The number of rows of shared derivations, which ``read_groups`` will stage or reject."""


@dataclass(frozen=True)
class StageFile:
    """The task that stages a file."""

    number: int
    source: Source
    staging: Staging
    buckets: int
    """The number of buckets, a power of two."""
    seed: int
    ingest: int
    naming: Naming
    patterns: Mapping[str, Pattern] = field(default_factory=dict)
    """The declared patterns, by table."""

    def run(self) -> StagedFile:
        """Stage the file as ``rows``, ``names`` and, if there are any, ``rejects``."""
        return StageFiles([self]).run()[0]

    def write(self, names: "_Names", ids: IdWriter) -> StagedFile:
        """Stage the file; its names and row ids go to writers that several files share."""
        valid = rejected = shared = 0
        with _Writer(self, names, ids) as out:
            size = max(os.path.getsize(self.source.path), 1)
            for batch in batches(
                self.source, lambda behind: report_progress(min(behind / size, 1))
            ):
                plain, labelled = without_shared(batch)
                good, bad = _judge(plain, self)
                ids.note(good, batch.rows)
                if labelled:
                    rows, wrong = _judge_shared(labelled, self)
                    ids.note(rows, batch.rows)
                    out.share(rows)
                    shared += rows.num_rows
                    bad = pa.concat_tables([bad, wrong])
                if bad.num_rows:
                    out.reject(bad)
                if good.num_rows:
                    out.write(good)
                valid, rejected = valid + good.num_rows, rejected + bad.num_rows
        reach("rows staged")
        return StagedFile(valid, rejected, ids.tables, shared)


@dataclass(frozen=True)
class StageFiles:
    """The task that stages one or more files, whose names share one staged file per bucket."""

    files: Sequence[StageFile]

    def run(self) -> list[StagedFile]:
        """Stage the files one after the other."""
        ends = np.cumsum([0, *(max(os.path.getsize(f.source.path), 1) for f in self.files)])
        parts = (ends / ends[-1]).tolist()
        staged = []
        first = self.files[0]
        with _Names(first) as names, IdWriter(first.staging, first.number, first.buckets) as ids:
            for file, (begin, end) in zip(self.files, pairwise(parts), strict=True):
                with part_of_task(begin, end):
                    staged.append(file.write(names, ids))
        return staged


def _judge(batch: Batch, task: StageFile) -> tuple[pa.Table, pa.Table]:
    """Return the valid rows, and the rejected rows with their reasons."""
    rows = batch.rows.append_column(ATTRIBUTES, batch.attributes)
    wanted = list(_wanted(rows, batch.scope, task.source.columns.scope))
    lacks = np.zeros(rows.num_rows, np.int8)
    for bit, (_, values) in enumerate(wanted):
        lacks |= _empty(values).astype(np.int8) << bit
    unread = REJECTED.empty_table() if batch.rejected is None else batch.rejected
    staged, wrong = with_descriptions(rows)
    if not lacks.any() and wrong is None:
        return _named(staged, batch.scope, task), _rejects(task, unread)
    reasons = _reasons([name for name, _ in wanted]).take(pa.array(lacks))
    reasons = reasons if wrong is None else pc.coalesce(reasons, wrong)
    bad = np.asarray(pc.is_valid(reasons), dtype=bool)
    at = np.flatnonzero(bad)
    rejects = pa.table(
        {
            "row": batch.numbers_at(at),
            "reason": reasons.take(pa.array(at)),
            "content": _content(with_names(rows.take(pa.array(at)), task.patterns)),
        }
    )
    kept = pa.array(~bad)
    scope = None if batch.scope is None else batch.scope.filter(kept)
    rejects = pa.concat_tables([unread, rejects])
    return _named(staged.filter(kept), scope, task), _rejects(task, rejects)


def _wanted(
    rows: pa.Table, scope: pa.Array | None, scope_name: str | None
) -> Iterator[tuple[str, pa.ChunkedArray]]:
    """Yield the name and the values of each column without which a row is rejected."""
    for end in (SRC, DST):
        if end in rows.column_names:
            yield end, rows[end]
        else:
            yield ID_OF[end], rows[ID_OF[end]]
            yield TABLE_OF[end], rows[TABLE_OF[end]]
    if scope is not None:
        yield scope_name or "", scope


def _judge_shared(batch: Batch, task: StageFile) -> tuple[pa.Table, pa.Table]:
    """Return the rows with labels that may be parts of shared derivations, and the rejected rows.

    The first table has columns of ``LABELLED``.
    """
    rows = batch.rows.append_column(ATTRIBUTES, batch.attributes)
    number = batch.numbers_at(np.arange(rows.num_rows))
    content = _content(with_names(rows, task.patterns))
    rows = rows.append_column(ROW, pa.array(number)).append_column(CONTENT, content)
    staged, wrong = with_descriptions(rows)
    reasons = shared_faults(rows)
    if batch.scope is not None:
        unscoped = pa.array(_empty(batch.scope))
        lacking = pc.if_else(unscoped, f"no {task.source.columns.scope}", None)
        reasons = pc.coalesce(reasons, lacking)
    reasons = reasons if wrong is None else pc.coalesce(reasons, wrong)
    kept = reasons.is_null()
    bad = rows.append_column("reason", reasons).filter(reasons.is_valid())
    scope = None if batch.scope is None else batch.scope.filter(kept)
    good = _named(staged.filter(kept), scope, task)
    for end in ID_OF:
        if end not in good.column_names:  # a group is found by names, so its row ids become names
            good = with_name(good, end, names_of(good, end, task.patterns))
    if scope is not None:
        label = pc.binary_join_element_wise(scope, good[SHARED].combine_chunks(), "/")
        good = good.set_column(good.column_names.index(SHARED), SHARED, label)
    return good, _rejects(task, bad)


def _rejects(task: StageFile, rows: pa.Table) -> pa.Table:
    """Return rejected rows in the form of the table ``rejects``."""
    file, ingest = (pa.repeat(value, rows.num_rows) for value in (task.source.name, task.ingest))
    columns = {"file": file, **{name: rows[name] for name in REJECTED.names}, INGEST: ingest}
    return pa.table(columns).cast(REJECTS)


def _reasons(wanted: Sequence[str]) -> pa.Array:
    """Return a reason for each code, whose bits mean that the values in ``wanted`` are missing.

    The reason for 0 is null.
    """
    codes = range(1 << len(wanted))
    lacking = [[n for bit, n in enumerate(wanted) if code >> bit & 1] for code in codes]
    return pa.array([" and ".join(f"no {name}" for name in names) or None for names in lacking])


def _named(rows: pa.Table, scope: pa.Array | None, task: StageFile) -> pa.Table:
    """Put the table, if the naming is ``table``, and then the scope, if any, before each name.

    Row ids stay ids, unless there is a scope. Other ids become names.
    """
    for end, table in TABLE_OF.items():
        if end in rows.column_names:
            given = rows[end].combine_chunks()
            names = given
            if task.naming == "table":
                names = with_tables(names, _or_empty(rows, table))
            if SHARED in rows.column_names:  # such a row has only one of both ends
                names = pc.if_else(pc.equal(pc.fill_null(given, ""), ""), None, names)
        elif scope is None and pa.types.is_integer(rows[ID_OF[end]].type):
            continue
        else:
            names = names_of(rows, end, task.patterns)
        if scope is not None:
            names = pc.binary_join_element_wise(scope, names, "/")
        rows = with_name(rows, end, names)
    return rows


def _empty(column: pa.ChunkedArray) -> Bools:
    if pa.types.is_integer(column.type):
        return np.asarray(pc.is_null(column), dtype=bool)
    if pa.types.is_dictionary(column.type):
        column = dictionary_or_text(column)
        if pa.types.is_dictionary(column.type):
            empty: Bools = _empty(column.dictionary)[np.asarray(column.indices)]
            return empty
    return np.asarray(pc.equal(pc.fill_null(column, ""), ""), dtype=bool)


def _content(rows: pa.Table) -> pa.Array:
    """Return each row as a JSON object."""
    parts: list[pa.Array | str] = ["{"]
    for number, name in enumerate(rows.column_names):
        value = pc.fill_null(quoted(rows[name].combine_chunks()), "null")
        parts += [f'{", " if number else ""}"{name}": ', value]
    return pc.binary_join_element_wise(*parts, "}", "")


class _Writer:
    """The staged files of one input file, and the writer of its names."""

    def __init__(
        self, task: StageFile, names: "_Names", ids: IdWriter, *, groups: bool = False
    ) -> None:
        self._task, self._groups = task, groups
        self._names, self._ids = names, ids
        self._rows: pa.ipc.RecordBatchStreamWriter | None = None
        self._schema = ROWS
        self._rejects: pq.ParquetWriter | None = None
        self._shared = SharedWriter(task.staging, task.number, task.buckets)

    def __enter__(self) -> "_Writer":
        return self

    def __exit__(self, *_: object) -> None:
        (self._rows or self._open(ROWS)).close()
        self._shared.close()
        if self._rejects:
            self._rejects.close()

    def _open(self, schema: pa.Schema) -> pa.ipc.RecordBatchStreamWriter:
        return stream_writer(self._task.staging.rows(self._task.number), schema)

    def reject(self, rows: pa.Table) -> None:
        """Write rejected rows, in the form of the table ``rejects``."""
        if not self._rejects:
            self._rejects = rejects_writer(self._task.staging.rejects(self._task.number))
        self._rejects.write_table(rows)

    def share(self, rows: pa.Table) -> None:
        """Write rows of shared derivations, with columns of ``LABELLED``."""
        source = pa.repeat(pa.scalar(self._task.number, pa.int32()), rows.num_rows)
        known = {name: _or_empty(rows, name) for name in (OP, *TABLE_OF.values())}
        given = {name: rows[name].combine_chunks() for name in rows.column_names}
        self._shared.write(given | known | {SOURCE: source})

    def write(self, rows: pa.Table) -> None:
        """Write valid rows with hashes in place of names, and write the names and the row ids.

        Raises BadInput if a name is that of a group, unless this is a file of groups.
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
                rows = with_name(rows, end, names_of(rows, end, self._task.patterns))
        self._rows.write_table(
            pa.table(
                {
                    **self._ends(rows),
                    OP: _or_empty(rows, OP),
                    ATTRIBUTES: rows[ATTRIBUTES],
                    **{name: rows[name] for name in described},
                }
            ).select(self._schema.names),
        )

    def _ends(self, rows: pa.Table) -> dict[str, Any]:
        """Write the names and the row ids; return the columns of the ends, as staged."""
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
        """Write the names of some ends; return the hashes of the names of each."""
        if not ends:
            return []
        chunks = [chunk for end in ends for chunk in rows[end].chunks]
        encoded = pa.chunked_array(chunks, pa.string()).combine_chunks().dictionary_encode()
        if not self._groups and pc.any(pc.starts_with(encoded.dictionary, GROUP_PREFIX)).as_py():
            raise _reserved(self._task.source.name)
        hashed = hashes(encoded.dictionary, self._task.seed)
        places = np.asarray(encoded.indices)
        tables = pa.concat_arrays([_or_empty(rows, TABLE_OF[end]) for end in ends])
        self._names.write(encoded.dictionary, hashed, places, tables)
        return np.split(hashed[places], len(ends))


class _Names:
    """The staged files of names, one for each bucket, which all files of a task share."""

    def __init__(self, first: StageFile) -> None:
        self._buckets = first.buckets
        writable_at_once(first.buckets)
        self._streams = [
            stream_writer(first.staging.names(bucket, first.number), NAMED)
            for bucket in range(first.buckets)
        ]

    def __enter__(self) -> "_Names":
        return self

    def __exit__(self, *_: object) -> None:
        for stream in self._streams:
            stream.close()

    def write(self, names: pa.Array, hashed: U64, ends: I64, tables: pa.Array) -> None:
        """Write each pair of a name and its table once, with the number of times it occurs."""
        encoded = tables.dictionary_encode()
        pair = ends.astype(np.int64) * len(encoded.dictionary) + np.asarray(encoded.indices)
        distinct, votes = np.unique(pair, return_counts=True)
        name, table = np.divmod(distinct, len(encoded.dictionary))
        bucket = bucket_of(hashed[name], self._buckets)
        order = np.argsort(bucket, kind="stable")
        bounds = np.searchsorted(bucket[order], np.arange(self._buckets + 1))
        for stream, start, end in zip(self._streams, bounds, bounds[1:], strict=False):
            rows = order[start:end]
            stream.write_table(
                pa.table(
                    {
                        HASH: hashed[name[rows]],
                        NAME: names.take(pa.array(name[rows])),
                        TABLE: encoded.dictionary.take(pa.array(table[rows])),
                        VOTES: votes[rows],
                    },
                    schema=NAMED,
                )
            )


def stage_groups(task: StageFile, rows: pa.Table, rejects: pa.Table) -> None:
    """Stage the rows of groups, in which names are text, and rejected rows, as a file."""
    with (
        _Names(task) as names,
        IdWriter(task.staging, task.number, task.buckets) as ids,
        _Writer(task, names, ids, groups=True) as out,
    ):
        if rejects.num_rows:
            out.reject(rejects)
        if rows.num_rows:
            out.write(rows)


def _reserved(place: str) -> BadInput:
    return BadInput(
        f"{place}: a name begins with a zero byte and 'group/'",
        "The warehouse uses such names for derivations that many dst share",
        "Rename the item; nothing was ingested",
    )


def rejects_writer(path: Path) -> pq.ParquetWriter:
    """Open a file of rejected rows, in the form of the table ``rejects``."""
    return parquet_writer(path, REJECTS, compression="zstd", write_statistics=False)


def bucket_of(hashed: U64, buckets: int) -> I64:
    """Return the bucket of each hash; a higher hash is never in a lower bucket."""
    if buckets == 1:
        return np.zeros(len(hashed), np.int64)
    return (hashed >> np.uint64(64 - (buckets.bit_length() - 1))).astype(np.int64)


def _or_empty(rows: pa.Table, column: str) -> pa.Array:
    if column not in rows.column_names:
        return pa.repeat(pa.scalar("", pa.string()), rows.num_rows)
    values = rows[column].combine_chunks()
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return pc.fill_null(values, "")
