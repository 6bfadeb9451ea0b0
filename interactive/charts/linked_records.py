"""The records of a file, with the columns of the records in a second file that they refer to."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.errors import BadInput, UsageError

from .brush_sql import quoted
from .file_records import FileRecords

KEY = "(key)"
"""In SQL, the name of the second file's key column, which the result leaves out."""


class LinkedRecords(FileRecords):
    """The records of a file and, for each, the record of ``other`` with its value of ``column``.

    The columns of the other file begin with its name, as in ``planes.seats``. They are NULL for
    records that refer to none. Raises UsageError if one of the files lacks its column, or if the
    columns have different types, and BadInput if two records of the other file share a key.
    """

    def __init__(self, records: FileRecords, other: FileRecords, column: str, key: str) -> None:
        self._of, self._other, self._on = records, other, (column, key)
        self.file, self.name = records.file, records.name
        self.table = records.table
        places = _places(records, other, column, key)
        for name in other.columns:
            if name != key:
                self._add(self._prefixed(name), _taken(other.table[name], places))

    def _add(self, name: str, values: pa.ChunkedArray) -> None:
        if name in self.table.column_names:
            raise UsageError(
                f"Two columns have the name {name!r}",
                f"{self._of.file} has one, and the columns of the other file begin with its name",
                "Rename one of the files or the column",
            )
        self.table = self.table.append_column(name, values)

    @property
    def title(self) -> str:
        """The names of both files."""
        return f"{self._of.title} and {self._other.title}"

    @property
    def source(self) -> str:
        """The joined records as an expression for DuckDB's FROM clause."""
        column, key = self._on
        names = [name for name in self._other.columns if name != key]
        listed = [f"{quoted(key)} as {quoted(KEY)}"]
        listed += [f"{quoted(name)} as {quoted(self._prefixed(name))}" for name in names]
        return (
            f"(select r.*, o.* exclude ({quoted(KEY)}) from {self._of.source} r left join "
            f"(select {', '.join(listed)} from {self._other.source}) o "
            f"on r.{quoted(column)} = o.{quoted(KEY)})"
        )

    @property
    def changed(self) -> bool:
        """Whether one of the files has changed or disappeared since it was opened."""
        return self._of.changed or self._other.changed

    def close(self) -> None:
        """Delete the copies."""
        self._of.close()
        self._other.close()

    def _prefixed(self, name: str) -> str:
        return f"{self._other.name}.{name}"


def other_records(file: Path, records: FileRecords, on: str) -> LinkedRecords:
    """Open a second file, and link it by ``COLUMN`` or ``COLUMN=KEY``."""
    column, _, key = on.partition("=")
    other = FileRecords(file)
    try:
        return LinkedRecords(records, other, column, key or column)
    except (BadInput, UsageError):
        other.close()
        raise


def _places(records: FileRecords, other: FileRecords, column: str, key: str) -> pa.ChunkedArray:
    """Return, for each record, the position of the other file's record, or NULL."""
    for one, name in ((records, column), (other, key)):
        if name not in one.columns:
            raise UsageError(
                f"{one.file} has no column {name!r}",
                f"Its columns are: {', '.join(one.columns)}",
                "Name the columns that link the files: --on COLUMN, or --on COLUMN=KEY",
            )
    keys = _plain(other.table[key]).combine_chunks()
    valid = len(keys) - keys.null_count
    if pc.count_distinct(keys, mode="only_valid").as_py() < valid:
        raise BadInput(
            f"The column {key} of {other.file} is no key",
            f"{valid:,} records share {pc.count_distinct(keys).as_py():,} values",
            "Swap the files: each record of the first refers to one record of the second",
        )
    values = _plain(records.table[column])
    if values.type != keys.type:
        raise UsageError(
            "The files cannot be linked",
            f"{column} is {values.type}, but {key} is {keys.type}",
            "Store both columns with one type",
        )
    return pc.index_in(values, value_set=keys, skip_nulls=True)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column without a dictionary, and all texts and all integers with one type."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    is_text = pa.types.is_large_string(column.type) or pa.types.is_string_view(column.type)
    if pa.types.is_integer(column.type) and not pa.types.is_uint64(column.type):
        return column.cast(pa.int64())
    return column.cast(pa.string()) if is_text else column


def _taken(column: pa.ChunkedArray, places: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values at positions. Texts keep one dictionary, so that they take little space."""
    plain = _plain(column).combine_chunks()
    found = plain.dictionary_encode() if pa.types.is_string(plain.type) else plain
    return pa.chunked_array([found.take(each) for each in places.chunks], found.type)
