"""Columns to sum, converted to integers, so that every structure computes the same sums."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from provhouse.model.errors import BadInput, UsageError

from .cube_kernels import Ints

BITS = 62
"""The maximum number of bits of a sum."""


@dataclass(frozen=True)
class Measure:
    """The values of a column, scaled by a power of two, and which of them are not NULL.

    Floating-point numbers are rounded to the smallest unit that keeps all sums within 62 bits, so
    additions are exact in any order (as in reproducible summation, Demmel and Nguyen 2013).
    """

    column: str
    values: Ints
    """The scaled values of all rows; 0 where the column is NULL."""
    power: int
    present: Ints | None
    """For each row, 1 if the column has a value, else 0; None if it has a value in every row."""

    def sums(self, totals: Ints) -> NDArray[np.float64]:
        """Return sums in the column's own unit."""
        with np.errstate(over="ignore"):  # a sum may be infinite
            return np.ldexp(totals.astype(np.float64), -self.power)

    def averages(self, totals: Ints, present: Ints) -> NDArray[np.float64]:
        """Return averages in the column's own unit; NaN if no value is present."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.ldexp(totals.astype(np.float64) / present, -self.power)


def measure(table: pa.Table, column: str) -> Measure:
    """Return a column as a measure; NaN counts as NULL.

    Raises UsageError if the column is missing or not numeric, or if its sums are too large. Raises
    BadInput if it contains an infinite number.
    """
    if column not in table.column_names:
        raise UsageError(
            f"There is no column {column!r}",
            f"The columns are: {', '.join(table.column_names)}",
            "Name one of them",
        )
    values = table.column(column)
    if pa.types.is_floating(values.type) or pa.types.is_decimal(values.type):
        numbers = pc.cast(values, pa.float64())
        numbers = pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
        found, power = _fixed_point(column, numbers.fill_null(0.0).to_numpy())
    elif pa.types.is_integer(values.type):
        numbers, power = values, 0
        found = _integers(column, values)
    else:
        raise UsageError(
            f"The column {column!r} cannot be added up",
            f"Its type is {values.type}",
            "Choose a column of numbers",
        )
    present = numbers.is_valid().to_numpy().astype(np.int64) if numbers.null_count else None
    return Measure(column, found, power, present)


def _fixed_point(column: str, numbers: NDArray[np.float64]) -> tuple[Ints, int]:
    if not np.isfinite(numbers).all():
        raise BadInput(
            f"The column {column!r} contains an infinite number",
            f"The first is in row {int(np.argmin(np.isfinite(numbers))) + 1:,}",
            "Remove it, or choose another column",
        )
    largest = float(np.abs(numbers).max(initial=0.0))
    if largest == 0.0:
        return np.zeros(numbers.size, np.int64), 0
    # Each number is below 2**exponent, and the number of rows is below 2**bit_length. So sums fit
    # into BITS bits.
    power = BITS - math.frexp(largest)[1] - numbers.size.bit_length()
    return np.rint(np.ldexp(numbers, power)).astype(np.int64), power


def _integers(column: str, values: pa.ChunkedArray) -> Ints:
    bounds: Any = pc.min_max(values)
    largest = max(abs(bounds["min"].as_py() or 0), abs(bounds["max"].as_py() or 0))
    if largest * len(values) >= 1 << BITS:
        raise UsageError(
            f"The sums of {column!r} could exceed 64 bits",
            f"Its largest number is {largest:,}",
            "Convert the column to floating-point numbers",
        )
    found: Ints = values.fill_null(0).cast(pa.int64()).to_numpy()
    return found
