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
    from .compiled.fused import Grouping
    from .tables import Tables

Decoded = Coded | DecodedNumbers | DecodedValues
Form = TypeVar("Form", Coded, DecodedNumbers, DecodedValues)
Key = tuple[TablePlace, str, str]
"""A table, the name of one of its columns, and the format to which the column is decoded."""
BYTES = 4
"""The assumed size in bytes of one value, to estimate the size of a column before it is read."""


SECONDS = {"codes": 6e-8, "numbers": 1e-8}
"""For each format, the assumed processor time in seconds to decode one value."""


class ColumnCache:
    """Decoded columns by table, name and format. The least recently used comes first."""

    def __init__(self, con: "Tables") -> None:
        self._con = con
        self._kept: dict[Key, Decoded] = {}
        self._asked: set[Key] = set()
        self._paid: dict[Key, float] = {}

    @property
    def size(self) -> int:
        """The size of all cached columns in bytes."""
        return sum(each.size for each in self._kept.values())

    def clear(self) -> None:
        """Discard all columns, because tables may have changed."""
        self._kept.clear()
        self._asked.clear()
        self._paid.clear()

    def drop_oldest(self) -> bool:
        """Discard the least recently used column; return False if no column is cached."""
        oldest = next(iter(self._kept), None)
        if oldest is not None:
            del self._kept[oldest]
        return oldest is not None

    def rows(self, table: TablePlace) -> int:
        """Return the number of rows of a table.

        Raises Unfit if rids have gaps or if memory is too small.
        """
        rows, end = self._con.extent(table)
        if rows != end:
            raise Unfit(f"Rows of {table.name} were deleted, so that its rids have gaps")
        if rows * BYTES > self._con.memory.limit:
            raise Unfit(f"A column of {table.name} does not fit the memory budget")
        return rows

    def ready(self, keys: Collection[Key]) -> bool:
        """Return whether all the given columns are decoded."""
        return all(key in self._kept for key in keys)

    def wanted(self, keys: Collection[Key]) -> bool:
        """Return whether all the given columns were requested before, and record this request."""
        before = self._asked.issuperset(keys)
        self._asked.update(keys)
        return before

    def paid(self, keys: Collection[Key], seconds: float) -> None:
        """Record that decoded columns would have saved ``seconds`` of processor time."""
        for key in keys:
            self._paid[key] = self._paid.get(key, 0.0) + seconds

    def pays(self, keys: Collection[Key], rows: int) -> bool:
        """Return whether earlier runs lost as much time as decoding the missing columns will take.

        Waiting for this bounds the cost: whenever a series of runs ends, decoding has at most
        doubled its cost.
        """
        missing = [key for key in keys if key not in self._kept]
        expected = rows * sum(SECONDS[form] for _, _, form in missing)
        return min((self._paid.get(key, 0.0) for key in missing), default=0.0) >= expected

    def coded(self, table: TablePlace, column: str) -> Coded:
        """Return a column as codes, and decode it first if it is not cached."""
        return self._found((table, column, "codes"), Coded, read_codes)

    def numbers(self, table: TablePlace, column: str) -> DecodedNumbers:
        """Return a column as integers, and decode it first if it is not cached."""
        return self._found((table, column, "numbers"), DecodedNumbers, read_numbers)

    def values(self, table: TablePlace, column: str) -> DecodedValues:
        """Return a column as Arrow values, and decode it first if it is not cached."""
        return self._found((table, column, "values"), DecodedValues, read_values)

    def _found(self, key: Key, form: type[Form], read: Callable[..., Form]) -> Form:
        found = self._kept.pop(key, None)
        if found is None:
            self.rows(key[0])
            found = read(self._con.duckdb, *key[:2])
        self._kept[key] = found  # now the most recently used
        return cast(Form, found)


def needed(fused: "Grouping") -> list[Key]:
    """Return the columns that compiled loops need to run a query."""
    coded = [(fused.table, name, "codes") for name in fused.coded]
    return coded + [(fused.table, name, "numbers") for name in fused.numbers]
