"""Names of rows: ``table/key``, ``table/key@version`` for captured writes, or ``table/row id``."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64
from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import BadInput, UsageError
from provhouse.store.tables.written import Written

from .deletion_vector import DeletionVector
from .description import SourceFile
from .file_names import Key
from .kept_out import KeptOut
from .known import Known
from .line_files import has_blank_line
from .marks import MarkedRows
from .moved_keys import MovedFile
from .output import Output
from .row_keys import KeyStore, check_keys


@dataclass(frozen=True)
class Ends:
    """Items at one end of triples, as row ids of their tables or as names."""

    values: pa.Array
    """int64 for row ids, string for names."""
    tables: pa.DictionaryArray

    @property
    def by_id(self) -> bool:
        """Whether the values are row ids."""
        return bool(pa.types.is_integer(self.values.type))


def check_sources(
    sources: Iterable[SourceFile],
    keys: Mapping[str, Key],
    known: Known,
    fresh: Mapping[Path, Key],
    store: KeyStore,
    kept_out: KeptOut,
) -> None:
    """Keep out the writes that read a source whose declared key is wrong.

    A key is wrong if it is NULL or not unique, or if a captured write named the rows by another
    key. ``fresh`` has the key of each file that the same block wrote; these keys were already
    checked as output. Raises BadInput for a changed file.
    """
    by_table: defaultdict[str, list[SourceFile]] = defaultdict(list)
    files = list(sources)
    for source, write in zip(files, known.writes([file.state for file in files]), strict=True):
        source.check_unchanged()
        with kept_out.if_wrong(kept_out.readers([source])):
            found = write.columns_in_files if write else fresh.get(source.path)
            if _is_checked(source, found, keys, known):
                by_table[source.table].append(source)
    for table, parts in by_table.items():
        with kept_out.if_wrong(kept_out.readers(parts)):
            if keyed := [part for part in parts if key_of(part, keys, known)]:
                key = key_of(keyed[0], keys, known)
                paths, deleted = [part.path for part in keyed], deletions(keyed)
                check_keys(table, key, paths, store, keys.get(table), deleted)


def deletions(files: Iterable[SourceFile]) -> dict[Path, DeletionVector]:
    """Return the deletion vectors of the files that have one."""
    return {file.path: file.deleted for file in files if file.deleted}


def _is_checked(
    source: SourceFile, found: Key | None, keys: Mapping[str, Key], known: Known
) -> bool:
    """Return whether the key of a source must be checked; raise an error if ``found`` differs.

    ``found`` has the columns by which a captured write named the rows, or is None if no captured
    write made the rows.
    """
    if found is None:
        known.check_other(source.state)
    declared = source.in_file(keys.get(source.table, ()))
    if source.unit != "parquet":
        _check_positions(source, found or declared)
    if found is not None and source.unit == "records":
        _check_same_records(source)
    moved = known.moved(source) if found is None else None
    found = moved.key if moved else found
    if found is not None and source.table in keys and not source.names.same(declared, found):
        raise _other_key(source, found)
    return found is None or moved is not None


def key_of(source: SourceFile, keys: Mapping[str, Key], known: Known) -> Key:
    """Return a source file's key, or () if row ids name its rows. No captured write made the file.

    The columns are named as in the file.
    """
    moved = known.moved(source)
    return moved.key if moved else source.in_file(keys.get(source.table, ()))


class RowNameScan(Protocol):
    """Names of a scan's rows. Row ids contain a number of the scan in place of a file number."""

    def includes(self, number: int) -> bool:
        """Return whether a number belongs to this scan."""

    def items(self, ids: I64) -> tuple[str, pa.Array]:
        """Return the table and the names of rows, given the rows' ids."""


class SourceNames:
    """The items of one write's source rows, given the ids of the rows.

    A file whose rows are named by row ids must have a number.
    """

    def __init__(
        self,
        output: Output,
        keys: Mapping[str, Key],
        known: Known,
        store: KeyStore,
        versions: Mapping[Path, Written],
        scans: Sequence[RowNameScan],
    ) -> None:
        """Name the sources of a write.

        ``versions`` has the versions of marked rows, keyed by the rows' path. ``scans`` has the
        scans of sources without row numbers.
        """
        of = output.write
        self._keys, self._known, self._store = keys, known, store
        self._marks = {rows.number: (rows, versions[rows.place]) for rows in output.marks.values()}
        self.state = of.state_tables
        """The tables whose rows are the state of the write's module."""
        self._scans = scans
        states = [source.state for source in of.sources]
        found = zip(of.sources, known.numbers(states), known.writes(states), strict=True)
        self._files = {source.number: (source, number, write) for source, number, write in found}

    def ends(self, ids: I64) -> Iterator[tuple[I64, Ends]]:
        """Yield the items of source rows, with the positions of their ids in ``ids``."""
        numbers = ids >> ROW_BITS
        values, codes = np.empty(len(ids), np.int64), np.full(len(ids), -1, np.int32)
        tables = list[str]()
        for number in np.flatnonzero(np.bincount(numbers)).tolist():
            at = np.flatnonzero(numbers == number)
            table, found = self._items(number, ids[at])
            if not pa.types.is_integer(found.type):
                yield at, Ends(found, constant(table, len(at)))
                continue
            if table not in tables:
                tables.append(table)
            values[at], codes[at] = np.asarray(found), tables.index(table)
        if tables:
            at = np.flatnonzero(codes >= 0)
            coded = pa.DictionaryArray.from_arrays(codes[at], pa.array(tables, pa.string()))
            yield at, Ends(pa.array(values[at]), coded)

    def _items(self, number: int, ids: I64) -> tuple[str, pa.Array]:
        """Return the table of rows in a file or scan, and the row ids or names of these rows."""
        for scan in self._scans:
            if scan.includes(number):
                return scan.items(ids)
        if number in self._marks:
            marked, version = self._marks[number]
            return marked.table, marked_items(marked, ids & ((1 << ROW_BITS) - 1), version)
        if number not in self._files:
            raise _unread()
        source, file, write = self._files[number]
        if not write and (moved := self._known.moved(source)):
            return moved.table, self._moved(moved, file, ids & ((1 << ROW_BITS) - 1))
        table = write.table if write else source.table
        key = write.columns_in_files if write else source.in_file(self._keys.get(table, ()))
        rows = (ids & ((1 << ROW_BITS) - 1)) + source.first
        if write and (kept := self._known.kept(file)):
            of = kept.of(rows)
            return table, versioned_items(table, self._store.of(source.path, key).take(rows), of)
        found = self._store.of(source.path, key).take(rows) if key else (file << ROW_BITS) + rows
        return table, _items(table, pa.array(found), write.suffix if write else "", self._known)

    def _moved(self, moved: MovedFile, file: int, rows: I64) -> pa.Array:
        """Return the items of rows that captured writes may first have written to other files."""
        of, written = (found[rows] for found in moved.rows)
        if not moved.key:
            found = np.where(written < 0, (file << ROW_BITS) + rows, written)
            return _items(moved.table, pa.array(found), "", self._known)
        keys = self._store.of(moved.source.path, moved.key).take(rows)
        suffixes = pa.array([*(write.suffix for write in moved.writes), ""])
        return keyed_items(moved.table, keys, suffixes, np.where(of < 0, len(moved.writes), of))


class OutputNames:
    """The items of a captured write's rows, given the positions of the rows."""

    def __init__(self, output: Output, written: Written, known: Known, store: KeyStore) -> None:
        self._output, self._written, self._known, self._store = output, written, known, store

    def ends(self, rows: I64) -> Ends:
        """Return the items of the given rows."""
        table, key = self._written.table, self._written.columns_in_files
        starts = self._output.starts
        file = np.searchsorted(starts, rows, "right") - 1
        index = rows - starts[file] + self._output.write.header
        if key:
            found = self._keys(key, file, index)
        else:
            numbers = np.array(self._written.files, np.int64)
            found = pa.array((numbers[file] << ROW_BITS) + index)
        items = _items(table, found, self._written.suffix, self._known)
        return Ends(items, constant(table, len(rows)))

    def _keys(self, key: Key, file: I64, index: I64) -> pa.Array:
        if not len(file):
            return pa.array([], pa.string())
        order = np.argsort(file, kind="stable")
        numbers, first = np.unique(file[order], return_index=True)
        parts = [
            self._store.of(self._output.files[number], key).take(index[rows])
            for number, rows in zip(numbers.tolist(), np.split(order, first[1:]), strict=True)
        ]
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        return pa.concat_arrays(_alike(parts)).take(pa.array(place))


def _alike(parts: Sequence[pa.Array]) -> Sequence[pa.Array]:
    """Return the arrays with a common type: string, unless all are integers."""
    if all(pa.types.is_integer(part.type) for part in parts):
        return parts
    return [part.cast(pa.string()) for part in parts]


def constant(text: str | None, count: int) -> pa.DictionaryArray:
    """Return a column that repeats a string, or None, ``count`` times."""
    codes = pa.array(np.zeros(count, np.int32), mask=np.full(count, text is None))
    return pa.DictionaryArray.from_arrays(codes, pa.array([text or ""], pa.string()))


def _items(table: str, found: pa.Array, suffix: str, known: Known) -> pa.Array:
    """Return row ids unchanged if the items are named by them; otherwise, return names."""
    if pa.types.is_integer(found.type) and not suffix and known.names_ids(table):
        return found
    return _joined(table, found, suffix)


def marked_items(rows: MarkedRows, at: I64, written: Written) -> pa.Array:
    """Return the items of marked rows, given the positions of the rows."""
    return _joined(rows.table, rows.names.take(pa.array(at)), written.suffix)


def keyed_items(table: str, keys: pa.Array, suffixes: pa.Array, of: I64) -> pa.Array:
    """Return items with the given keys. The suffix for key ``i`` is ``suffixes[of[i]]``."""
    ends = suffixes.take(pa.array(of))
    return pc.binary_join_element_wise(f"{table}/", keys.cast(pa.string()), ends, "")


def versioned_items(table: str, keys: pa.Array, versions: I64) -> pa.Array:
    """Return items with the given keys and versions; the name omits version 0."""
    found, of = np.unique(versions, return_inverse=True)
    suffixes = pa.array([f"@{version}" if version else "" for version in found.tolist()])
    return keyed_items(table, keys, suffixes, of)


def without_numbers(
    sources: Iterable[SourceFile], keys: Mapping[str, Key], known: Known
) -> list[Path]:
    """Return the files whose rows are named by row ids although the files do not have a number."""
    plain = [source.state for source in sources if not keys.get(source.table)]
    numbers = known.numbers(plain)
    return [file.path for file, number in zip(plain, numbers, strict=True) if number < 0]


def _joined(table: str, found: pa.Array, suffix: str) -> pa.Array:
    return pc.binary_join_element_wise(f"{table}/", found.cast(pa.string()), suffix, "")


def _check_positions(source: SourceFile, key: Key) -> None:
    """Raise an error if row positions cannot name the rows of a file."""
    if key:
        raise UsageError(
            f"The rows of {source.table} are named by the key {', '.join(key)}",
            "They were read by their positions in files, as in RDDs and data frames without a key",
            f"Declare the key in the job that reads {source.table} as a data frame",
        )
    if source.first < 0:
        raise BadInput(
            f"The positions of the rows of {source.path} are unknown",
            "Tasks found different numbers of rows in the earlier parts of the file, or did not "
            "read them to their ends",
            f"Declare a key of {source.table}, or run the job again; sources must not change until "
            "the block has ended",
        )


def _check_same_records(source: SourceFile) -> None:
    """Raise BadInput if the records of a file may not be the rows that a captured job wrote."""
    if source.path.suffix in (".orc", ".avro", ".xml"):
        return
    if not source.lines or (source.lines == "filled" and has_blank_line(source.path)):
        raise BadInput(
            f"The records of {source.path} are not the rows that a captured job wrote",
            "It is read with multiLine, wholetext, lineSep or an encoding, or has blank lines that "
            "this format skips",
            "Read it as it was written, or declare a key in both jobs",
        )


def _unread() -> BadInput:
    return BadInput(
        "The positions of rows in a large file are unknown",
        "The job did not read the earlier parts of the file to their ends, as with a limit",
        "Declare a key of the source",
    )


def _other_key(source: SourceFile, found: Key) -> UsageError:
    named = f"by the key {', '.join(found)}" if found else "by their row ids"
    return UsageError(
        f"The rows of {source.table} are not named by the declared key",
        f"They were written by a captured job, and are named {named}",
        f"In jobs that only read {source.table}, leave it out of the keys",
    )
