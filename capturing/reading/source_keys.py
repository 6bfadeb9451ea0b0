"""The keys of groups that a tap omits because columns of the source rows contain them."""

from collections.abc import Iterable
from pathlib import Path
from secrets import token_hex

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import I64
from provhouse.model.associations import NONE, NULL_GROUP, ROW_BITS
from provhouse.model.errors import BadInput

from .description import SourceFile
from .spark_hash import SEED, flagged, hashed
from .tap_files import PIECE, alike
from .tap_partitions import FEW_KEYS, position
from .tap_table import KeyColumn, SourceKey, TapTable

_TEXT = (
    pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view,
    pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view,
)  # fmt: skip


class KeyFile:
    """A source file whose columns contain the keys of groups."""

    def __init__(self, path: Path, table: TapTable) -> None:
        """Read the schema; raise BadInput if Spark read a column with a different type."""
        assert table.source
        self._path, self._by, self._key = path, table.by, table.source
        with pq.ParquetFile(path) as file:
            self.metadata, schema = file.metadata, file.schema_arrow
        self._names = [_name_in(schema.names, column.name) for column in self._key.columns]
        for column, name in zip(self._key.columns, self._names, strict=True):
            if name is not None:
                self._check_type(column, name, schema.field(name).type)
        self.names = [name for name in self._names if name is not None]
        """The names in the file of those key columns that the file contains."""

    def _check_type(self, column: KeyColumn, name: str, found: pa.DataType) -> None:
        plain = found.value_type if pa.types.is_dictionary(found) else found
        text = column.type == "string"
        if not (any(is_text(plain) for is_text in _TEXT) if text else pa.types.is_integer(plain)):
            raise BadInput(
                f"The groups by {self._by} are unknown",
                f"Spark has read the column {name} of {self._path} as "
                f"{'texts' if text else 'integers'}, but its type is {found}",
                "Cast the column in the query, so that its values are stored with the lineage",
            )

    def keys(self, rows: pa.RecordBatch) -> I64:
        """Return the keys of rows of the file; ``rows`` must have the columns in ``names``."""
        columns = [
            pa.nulls(len(rows), pa.string() if column.type == "string" else pa.int64())
            if name is None
            else rows.column(name)
            for column, name in zip(self._key.columns, self._names, strict=True)
        ]
        return self._hashed(columns) if self._key.hashed else self._integers(*columns)

    def _hashed(self, columns: list[pa.Array]) -> I64:
        found = np.full(len(columns[0]), SEED, np.uint64)
        for column, described in zip(columns, self._key.columns, strict=True):
            found = hashed(column, described.type, found)
            if described.flagged:
                found = flagged(column, found)
        return found.view(np.int64)

    def _integers(self, column: pa.Array) -> I64:
        found = column.cast(pa.int64())
        if pc.any(pc.equal(found, NULL_GROUP)).as_py():
            raise alike(self._by)
        return np.asarray(pc.fill_null(found, NULL_GROUP))


def key_of_null(key: SourceKey) -> int:
    """Return the key of a row whose key columns are all NULL, as after an outer join."""
    if not key.hashed:
        return NULL_GROUP
    found, null = np.full(1, SEED, np.uint64), pa.nulls(1)
    for column in key.columns:
        found = flagged(null, found) if column.flagged else found
    return int(found.view(np.int64)[0])


def _name_in(names: Iterable[str], column: str) -> str | None:
    """Return a column's name in a file, found without regard to case, or None."""
    alike_names = [name for name in names if name.lower() == column.lower()]
    return column if column in alike_names else alike_names[0] if alike_names else None


class SourceKeys:
    """Keys in source files, read once per file and stored in the folder ``aside``."""

    def __init__(self, files: Iterable[SourceFile], aside: Path) -> None:
        self._paths = {file.number: file.path for file in files}
        self._aside = aside
        self._known: dict[tuple[Path, tuple[KeyColumn, ...], bool], I64 | None] = {}
        self._wanted: dict[
            tuple[Path, tuple[KeyColumn, ...], bool, bytes], tuple[I64, I64] | None
        ] = {}

    def with_keys(self, table: TapTable, slots: I64) -> I64:
        """Return rows of a tap, with the keys of their groups as a new first column.

        Raises BadInput if the type of a source column is not the one that Spark read, or if the
        column contains the integer that represents NULL in taps.
        """
        assert table.source
        ids = slots[table.source.slot]
        rows = np.empty((len(slots) + 1, len(ids)), np.int64)
        rows[0], rows[1:] = key_of_null(table.source), slots
        here = np.flatnonzero(ids != NONE)
        numbers = ids[here] >> ROW_BITS
        for number in np.flatnonzero(np.bincount(numbers)).tolist():
            at = here[numbers == number]
            found = self._of(self._paths[number], table)
            if found is not None:
                rows[0, at] = found[ids[at] & ((1 << ROW_BITS) - 1)]
        return rows

    def rows_of(self, table: TapTable, keys: I64, slots: I64) -> tuple[I64, I64] | None:
        """Return which rows of a tap belong to groups with the given keys, which are in order.

        The result has the positions of their keys, and the positions of the rows. It is None if the
        rows can only be found by the keys of all rows, as ``with_keys`` returns them: if there are
        many keys, or if a group of rows without a key is among them.
        """
        assert table.source
        if not 0 < len(keys) <= FEW_KEYS or key_of_null(table.source) in keys:
            return None
        ids = slots[table.source.slot]
        numbers, found = ids >> ROW_BITS, [(np.empty(0, np.int64), np.empty(0, np.int64))]
        present = np.flatnonzero(np.bincount(numbers[ids != NONE])).tolist()
        for number in present:
            wanted = self._wanted_of(self._paths[number], table, keys)
            if wanted is None:
                return None
            at, rows = wanted
            if len(rows) > FEW_KEYS:
                return None
            here = position(ids, (number << ROW_BITS) + rows)
            found.append((at[here[0]], here[1]))
        return found[-1] if len(present) == 1 else _in_order(found)

    def _wanted_of(self, path: Path, table: TapTable, keys: I64) -> tuple[I64, I64] | None:
        """Return the rows of a file that have one of the keys, which are few.

        The result has the positions of their keys, and the positions of the rows in the file. It is
        None if a key of the file is the number that represents a missing value.
        """
        assert table.source
        form = (path, table.source.columns, table.source.hashed, keys.tobytes())
        if form not in self._wanted:
            all_keys = self._of(path, table)
            none = np.empty(0, np.int64), np.empty(0, np.int64)
            if all_keys is None:  # the file lacks the columns, so its rows have the key of NULL
                self._wanted[form] = none
            elif (all_keys == NONE).any():
                self._wanted[form] = None
            else:
                self._wanted[form] = position(all_keys, keys)
        return self._wanted[form]

    def _of(self, path: Path, table: TapTable) -> I64 | None:
        assert table.source
        form = (path, table.source.columns, table.source.hashed)
        if form not in self._known:
            self._known[form] = self._read(KeyFile(path, table), path)
        return self._known[form]

    def _read(self, found: KeyFile, path: Path) -> I64 | None:
        """Return a file's keys, or None if it lacks all key columns, which then count as NULL."""
        if not found.names or not found.metadata.num_rows:
            return None
        place = self._aside / f"keys-{token_hex(8)}"
        with place.open("wb") as keys, pq.ParquetFile(path, metadata=found.metadata) as file:
            for batch in file.iter_batches(PIECE, columns=found.names):
                found.keys(batch).tofile(keys)
        return np.memmap(place, np.int64, "r")


def _in_order(found: list[tuple[I64, I64]]) -> tuple[I64, I64]:
    """Return positions of keys and rows, in the order of the rows."""
    at, rows = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(rows)
    return at[order], rows[order]
