"""The decoded columns that a connection keeps for compiled loops, within its memory budget."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, TypeVar, cast

from provhouse.sql.catalog import TablePlace

from .index.decoded import (
    Coded,
    DecodedNumbers,
    DecodedValues,
    Unfit,
    read_codes,
    read_numbers,
    read_values,
)

if TYPE_CHECKING:
    from .compiled.fused import Fused
    from .connection import Connection

Decoded = Coded | DecodedNumbers | DecodedValues
Form = TypeVar("Form", Coded, DecodedNumbers, DecodedValues)
Key = tuple[TablePlace, str, str]
"""A table, the name of a column, and the form it is decoded to."""
BYTES = 4
"""The bytes of a value, for an estimate of a column's size before the column is read."""


class ColumnCache:
    """Columns by table and name, the least recently used first."""

    def __init__(self, con: "Connection") -> None:
        self._con = con
        self._kept: dict[Key, Decoded] = {}
        self._asked: set[Key] = set()

    @property
    def size(self) -> int:
        """The size of all columns in bytes."""
        return sum(each.size for each in self._kept.values())

    def clear(self) -> None:
        """Forget all columns, since tables may have changed."""
        self._kept.clear()
        self._asked.clear()

    def drop_oldest(self) -> bool:
        """Forget the least recently used column; return False if no column is kept."""
        oldest = next(iter(self._kept), None)
        if oldest is not None:
            del self._kept[oldest]
        return oldest is not None

    def rows(self, table: TablePlace) -> int:
        """Return the number of rows. Raises Unfit if rids have gaps, or memory is too small."""
        rows, end = self._con.extent(table)
        if rows != end:
            raise Unfit(f"Rows of {table.name} were deleted, so that its rids have gaps")
        if rows * BYTES > self._con.memory.limit:
            raise Unfit(f"A column of {table.name} does not fit the memory budget")
        return rows

    def ready(self, keys: Collection[Key]) -> bool:
        """Return whether columns are decoded."""
        return all(key in self._kept for key in keys)

    def wanted(self, keys: Collection[Key]) -> bool:
        """Return whether columns have been wanted before, and note this request."""
        before = self._asked.issuperset(keys)
        self._asked.update(keys)
        return before

    def coded(self, table: TablePlace, column: str) -> Coded:
        """Return a column as codes; decode it if it is not kept."""
        return self._found((table, column, "codes"), Coded, read_codes)

    def numbers(self, table: TablePlace, column: str) -> DecodedNumbers:
        """Return a column as integers; decode it if it is not kept."""
        return self._found((table, column, "numbers"), DecodedNumbers, read_numbers)

    def values(self, table: TablePlace, column: str) -> DecodedValues:
        """Return a column as Arrow values; decode it if it is not kept."""
        return self._found((table, column, "values"), DecodedValues, read_values)

    def _found(self, key: Key, form: type[Form], read: Callable[..., Form]) -> Form:
        found = self._kept.pop(key, None)
        if found is None:
            self.rows(key[0])
            found = read(self._con.duckdb, *key[:2])
        self._kept[key] = found  # now the most recently used
        return cast(Form, found)


def needed(fused: "Fused") -> list[Key]:
    """Return the columns that compiled loops need for a query."""
    coded = [(fused.table, name, "codes") for name in fused.coded]
    return coded + [(fused.table, name, "numbers") for name in fused.numbers]
