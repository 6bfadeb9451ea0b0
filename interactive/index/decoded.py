"""Table columns as arrays, in three formats: codes of values, scaled integers, Arrow values."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provhouse.sql.catalog import TablePlace
from provhouse.sql.quoting import quoted

if TYPE_CHECKING:
    import duckdb

INTEGERS = {
    f"{sign}{name}": (0 if sign else -(2 ** (bits - 1)), 2 ** (bits - (0 if sign else 1)) - 1)
    for name, bits in (("TINYINT", 8), ("SMALLINT", 16), ("INTEGER", 32), ("BIGINT", 64))
    for sign in ("", "U")
    if (name, sign) != ("BIGINT", "U")
}
"""The smallest and largest value of each integer type that fits into a signed 64-bit integer."""
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


def decimal(kind: str) -> tuple[int, int] | None:
    """Return the precision and the scale of a DECIMAL type, or None for another type."""
    found = _DECIMAL.fullmatch(kind)
    return (int(found[1]), int(found[2])) if found else None


def is_number(kind: str) -> bool:
    """Return whether a type is an integer, decimal or date whose values fit in 64 bits."""
    digits = decimal(kind)
    return kind in INTEGERS or kind == "DATE" or (digits is not None and digits[0] <= 18)


def is_codable(kind: str) -> bool:
    """Return whether a column of this type can be read as codes.

    Equal values must have equal codes, and must keep their type when passed through Arrow.
    """
    return is_number(kind) or kind in ("BOOLEAN", "VARCHAR", "TIMESTAMP")


class Unfit(Exception):
    """Raised if a kernel cannot run a query: too much data, too many groups, or too large sums."""


@dataclass
class Coded:
    """A column as codes: each row's position in ``values``, which may include NULL."""

    codes: NDArray[Any]
    values: pa.Array

    @property
    def size(self) -> int:
        """The size in bytes."""
        return int(self.codes.nbytes + self.values.nbytes)


@dataclass
class DecodedNumbers:
    """A column as integers: decimals without their point, and dates as days since 1970.

    ``valid`` is None if the column has no NULL. A NULL is stored as 0. ``low`` and ``high`` bound
    all numbers.
    """

    numbers: NDArray[Any]
    valid: NDArray[np.bool_] | None
    low: int
    high: int

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self.numbers.nbytes + (0 if self.valid is None else self.valid.nbytes)


@dataclass
class DecodedValues:
    """A column as Arrow values, which DuckDB reads back with the column's own type."""

    values: pa.Array

    @property
    def size(self) -> int:
        """The size in bytes."""
        return int(self.values.nbytes)


def smallest(number: int) -> type[np.unsignedinteger[Any]] | type[np.int32]:
    """Return the smallest integer type for codes from 0 to ``number``."""
    return np.uint8 if number < 2**8 else np.uint16 if number < 2**16 else np.int32


def read_codes(con: "duckdb.DuckDBPyConnection", table: TablePlace, column: str) -> Coded:
    """Read a column as codes, in the order of its rids."""
    encoded = _read(con, table, column).dictionary_encode(null_encoding="encode")
    values = encoded.dictionary
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    return Coded(codes.astype(smallest(len(values)), copy=False), values)


def read_numbers(
    con: "duckdb.DuckDBPyConnection", table: TablePlace, column: str
) -> DecodedNumbers:
    """Read a column as integers, in the order of its rids, in the smallest type that fits."""
    found = _read(con, table, column)
    valid = np.asarray(found.is_valid()) if found.null_count else None
    numbers = _integers(found)
    if valid is not None:
        numbers = np.where(valid, numbers, 0)
    low, high = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    kind = next(
        each
        for each in (np.int8, np.int16, np.int32, np.int64)
        if np.iinfo(each).min <= low and high <= np.iinfo(each).max
    )
    return DecodedNumbers(np.ascontiguousarray(numbers, kind), valid, low, high)


def read_values(con: "duckdb.DuckDBPyConnection", table: TablePlace, column: str) -> DecodedValues:
    """Read a column as Arrow values. Raises Unfit if Arrow lacks its type."""
    found = _read(con, table, column)
    kinds = con.sql(f"select {quoted(column)} from {table.sql()}").types
    if con.from_arrow(pa.table({"v": found[:0]})).types != kinds:
        raise Unfit(f"Arrow has no type for {column}")
    return DecodedValues(found)


def _integers(found: pa.Array) -> NDArray[Any]:
    if pa.types.is_decimal(found.type):
        words = np.frombuffer(found.buffers()[1], np.int64)
        step = found.type.bit_width // 64  # the lower word holds up to 18 digits
        return words[found.offset * step : (found.offset + len(found)) * step : step]
    kind = pa.int32() if pa.types.is_date(found.type) else found.type
    return found.view(kind).fill_null(0).to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]


def _read(con: "duckdb.DuckDBPyConnection", table: TablePlace, column: str) -> pa.Array:
    """Return a column of a table whose rids have no gaps, in the order of rids.

    A scan returns the rows in this order.
    """
    text = f"select {quoted(column)} from {table.sql()}"
    found = con.sql(text).to_arrow_table().column(0)
    try:
        return pa.concat_arrays(found.chunks) if found.num_chunks else pa.array([], found.type)
    except pa.ArrowInvalid as error:  # text of more than two gigabytes
        raise Unfit(f"The column {column} is too large: {error}") from None
