"""The values of key columns in Parquet files, kept in memory-mapped files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import I64, unique
from provhouse.model.errors import BadInput
from provhouse.model.key_texts import KINDS, can_be_key, key_text
from provhouse.runtime.storage import Array
from provhouse.store.names.hashing import hashes

from .deletion_vector import DeletionVector
from .file_names import Key, column_at
from .spread import Spread
from .tap_files import PIECE

INT96: Final = {"coerce_int96_timestamp_unit": "us"}
"""The option with which Arrow reads every year that Spark writes."""
NO_ROWS: Final = np.empty(0, np.int64)
NONE_DELETED: Final[Mapping[Path, DeletionVector]] = MappingProxyType({})
Range = tuple[int, int]
"""The smallest and the largest integer key in a file."""


@dataclass(frozen=True)
class KeyValues:
    """The keys of all rows of a file, as integers or strings in memory-mapped arrays."""

    rows: int
    nulls: int
    integers: I64 | None
    texts: pa.LargeStringArray | None
    columns: Key
    """The names of the columns in the file."""

    @property
    def range(self) -> "Range | None":
        """The smallest and the largest key, if all are integers."""
        if self.nulls or self.integers is None or not self.rows:
            return None
        return int(self.integers.min()), int(self.integers.max())

    def take(self, rows: I64) -> pa.Array:
        """Return the keys of the given rows, as int64 or string."""
        if self.integers is not None:
            return pa.array(self.integers[rows])
        assert self.texts is not None
        return self.texts.take(pa.array(rows)).cast(pa.string())

    def names(self) -> pa.Array:
        """Return the keys of all rows as strings."""
        return self.take(np.arange(self.rows)).cast(pa.string())

    def pieces(self, as_texts: bool) -> Iterator[tuple[int, I64]]:
        """Yield pieces of keys with the first row's position: integers, or hashes of strings."""
        for start in range(0, self.rows, PIECE):
            rows = np.arange(start, min(start + PIECE, self.rows))
            found = self.take(rows)
            yield start, hashes(found.cast(pa.string())).view(np.int64) if as_texts else found


class KeyStore:
    """The keys of files, read once per file and stored in the folder ``aside``.

    Columns are named as in the files; if ``exact`` is true, names are case-sensitive. ``checked``
    describes files that an earlier ingest checked and that have not changed since: for each such
    file whose keys are distinct integers, it has the range of the keys.
    """

    def __init__(
        self, aside: Path, checked: Mapping[tuple[Path, Key], Range], *, exact: bool = True
    ) -> None:
        self.aside = aside
        self.checked = checked
        self._exact = exact
        self._known: dict[tuple[Path, Key, DeletionVector | None], KeyValues] = {}

    def of(self, path: Path, key: Key, deleted: DeletionVector | None = None) -> KeyValues:
        """Return the keys of a file's rows except the deleted ones.

        Raises BadInput if a column is unusable.
        """
        if (path, key, deleted) not in self._known:
            place = self.aside / f"keys-{len(self._known)}"
            without = deleted.rows() if deleted else NO_ROWS
            self._known[path, key, deleted] = _stored(path, key, place, self._exact, without)
        return self._known[path, key, deleted]

    def columns(self, path: Path, key: Key) -> Key:
        """Return the names of columns in a file; raise the same errors as ``of``."""
        return key if (path, key) in self.checked else self.of(path, key).columns

    def range(self, path: Path, key: Key) -> Range | None:
        """Return the range of a file's keys, or None if a key is not an integer.

        Raises the same errors as ``of``.
        """
        return self.checked.get((path, key)) or self.of(path, key).range


def _stored(path: Path, declared: Key, place: Path, exact: bool, without: I64) -> KeyValues:
    with _opened(path) as file:
        names = file.schema_arrow.names
        key = tuple(names[column_at(name, names, str(path), exact)] for name in declared)
        types = [file.schema_arrow.field(column).type for column in key]
        for column, found in zip(key, types, strict=True):
            _check_type(path, column, found)
        whole = len(key) == 1 and _fits(types[0])
        first = rows = nulls = size = 0
        ends, data = place.with_suffix(".ends"), place.with_suffix(".data")
        with ends.open("wb") as offsets, data.open("wb") as values:
            np.zeros(1, np.int64).tofile(offsets)
            for batch in file.iter_batches(PIECE, columns=list(key)):
                table = with_instants(pa.Table.from_batches([batch]), file)
                table = _left(table, first, without)
                first += len(batch)
                rows += table.num_rows
                nulls += sum(column.null_count for column in table.itercolumns())
                if whole:
                    np.asarray(pc.fill_null(table[key[0]].cast(pa.int64()), 0)).tofile(values)
                    continue
                found = pc.fill_null(texts(table.select(list(key))), "").cast(pa.large_string())
                _, at, text = found.buffers()
                bounds = np.frombuffer(at, np.int64)[found.offset : found.offset + len(found) + 1]
                (bounds[1:] - bounds[0] + size).tofile(offsets)
                if text is not None:
                    values.write(memoryview(text)[bounds[0] : bounds[-1]])
                size += int(bounds[-1] - bounds[0])
    if whole:
        return KeyValues(rows, nulls, _mapped(data, np.int64), None, key)
    buffers = pa.py_buffer(_mapped(ends, np.int64)), pa.py_buffer(_mapped(data, np.uint8))
    return KeyValues(rows, nulls, None, pa.LargeStringArray.from_buffers(rows, *buffers), key)


def _opened(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path, **INT96)
    except FileNotFoundError as error:
        raise BadInput(
            f"{path} was deleted, so the keys of its rows are unknown",
            "The captured job has read, written or removed this file",
            "Do not run VACUUM before the end of the block; run the job again",
        ) from error


def _left(rows: pa.Table, first: int, without: I64) -> pa.Table:
    """Return only some rows of a file; ``without`` has the positions of the others."""
    gone = without[slice(*np.searchsorted(without, (first, first + len(rows))))] - first
    left = np.ones(len(rows), bool)
    left[gone] = False
    return rows.filter(pa.array(left)) if len(gone) else rows


def _mapped(path: Path, kind: type[np.generic]) -> Array:
    return np.memmap(path, kind, "r") if path.stat().st_size else np.empty(0, kind)


def check_keys(
    table: str,
    key: Key,
    paths: Sequence[Path],
    store: KeyStore,
    declared: Key | None = None,
    deleted: Mapping[Path, DeletionVector] = NONE_DELETED,
) -> None:
    """Raise BadInput if a key is NULL or not unique among all rows of a table.

    If the columns have other names in the files, ``declared`` has the names for error messages.
    ``deleted`` has the rows of files that do not count. If the ranges show that no two files have a
    key in common, files that were checked before are not read again.
    """
    new = [path for path in paths if (path, key) not in store.checked]
    apart = len(new) < len(paths) and _apart([store.range(path, key) for path in paths])
    parts = [store.of(path, key, deleted.get(path)) for path in (new if apart else paths)]
    check_nulls(parts, table, declared or key)
    rows = sum(part.rows for part in parts)
    distinct = _distinct(parts, rows, store.aside)
    if distinct != rows:
        raise BadInput(
            f"The key of {table} is not unique",
            fewer_values(rows, distinct, declared or key),
            "Declare all columns of the key, as in keys={'table': ['a', 'b']}, or declare none",
        )


def check_nulls(parts: Sequence[KeyValues], table: str, key: Key) -> None:
    """Raise BadInput if a key is NULL."""
    nulls = sum(part.nulls for part in parts)
    if nulls:
        raise BadInput(
            f"The key of {table} is NULL in {nulls:,} of its rows",
            f"The declared key is {', '.join(key)}",
            "Declare another key, or none: rows are then named by their row ids",
        )


def fewer_values(rows: int, distinct: int, key: Key) -> str:
    """Return a sentence with the number of distinct values of a key."""
    values = "value" if distinct == 1 else "values"
    return f"{rows:,} rows have {distinct:,} {values} of {', '.join(key)}"


def _apart(ranges: Sequence[Range | None]) -> bool:
    """Return whether all ranges are known and do not overlap."""
    known = sorted(each for each in ranges if each)
    return len(known) == len(ranges) and all(high < low for (_, high), (low, _) in pairwise(known))


def _distinct(parts: Sequence[KeyValues], rows: int, aside: Path) -> int:
    """Return the number of distinct names.

    Different keys may have the same name, such as (``a/b``, ``c``) and (``a``, ``b/c``). Integers
    are compared directly; strings are compared only if their hashes are equal.
    """
    as_texts = any(part.integers is None for part in parts)
    spread = Spread(3, rows, aside)
    for number, part in enumerate(parts):
        for start, values in part.pieces(as_texts):
            row = np.arange(start, start + len(values))
            spread.add(np.asarray(values), [np.asarray(values), np.full(len(values), number), row])
    total = 0
    for values, of, row in spread.parts():
        order = np.argsort(values, kind="stable")
        again = np.append(False, np.diff(values[order]) == 0)[: len(order)]
        total += int((~again).sum())
        if as_texts and again.any():
            alike = order[again | np.append(again[1:], False)]
            total += _texts(parts, of[alike], row[alike]) - len(unique(values[alike]))
    return total


def _texts(parts: Sequence[KeyValues], of: I64, row: I64) -> int:
    """Return the number of distinct keys of the given rows, compared as strings."""
    found = [part.take(row[of == number]).cast(pa.string()) for number, part in enumerate(parts)]
    return int(pc.count_distinct(pa.chunked_array(found)).as_py())


def texts(rows: pa.Table) -> pa.Array:
    """Return the keys of rows as strings; the values of several columns are joined by ``/``."""
    columns = [key_text(column.combine_chunks()) for column in rows.itercolumns()]
    return columns[0] if len(columns) == 1 else pc.binary_join_element_wise(*columns, "/")


def with_instants(rows: pa.Table, file: pq.ParquetFile) -> pa.Table:
    """Give the time zone UTC to columns of type INT96, which Spark reads as instants.

    Arrow reads them as times without a zone. Open the file with ``INT96``.
    """
    for number in range(len(file.schema)):
        stored = file.schema.column(number)
        if stored.physical_type == "INT96" and stored.path in rows.column_names:
            at = rows.column_names.index(stored.path)
            rows = rows.set_column(at, stored.path, pc.assume_timezone(rows[at], "UTC"))
    return rows


def _check_type(path: Path, column: str, found: pa.DataType) -> None:
    if not can_be_key(found):
        raise BadInput(
            f"The column {column} of {path} cannot be a key",
            f"Its type is {found}; keys are {KINDS}",
            "Declare another key, or none: rows are then named by their row ids",
        )


def _fits(found: pa.DataType) -> bool:
    """Return whether all values of a type fit into a signed integer of 64 bits."""
    return bool(pa.types.is_integer(found) and not pa.types.is_uint64(found))
