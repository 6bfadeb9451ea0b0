"""Tests that decide whether a row or a run is wrong, for ``run.smallest`` and ``blame``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from provhouse.model.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row


@dataclass(frozen=True)
class Raises:
    """A test that checks whether a program fails with an error."""

    text: str = ""
    """A part of the error's text; an empty string accepts any error."""


class Selecting(Protocol):
    """A test that selects the wrong rows of a table with a query, as dbt's tests do."""

    def rows(self, frame: "DataFrame", tables: "Mapping[str, DataFrame]") -> "DataFrame":
        """Return the wrong rows of ``frame``, which has rows of the table.

        ``tables`` are the table's source tables.
        """


Test = str | Callable[["Row"], object] | Raises
"""An SQL condition or a function that is true for wrong rows, or an error of the program."""


def null(column: str) -> str:
    """Return a test that is true for rows in which ``column`` is NULL."""
    return f"{_name(column)} IS NULL"


def outside(column: str, low: float | None = None, high: float | None = None) -> str:
    """Return a test that is true for numbers below ``low`` or above ``high``.

    Raises UsageError if both are missing.
    """
    bounds = [f"{_name(column)} < {low!r}"] if low is not None else []
    bounds += [f"{_name(column)} > {high!r}"] if high is not None else []
    if not bounds:
        raise UsageError("The range has no limit", f"The column is {column}", "Give low or high")
    return " OR ".join(bounds)


def far(frame: "DataFrame", column: str, sigmas: float = 3.0) -> str:
    """Return a test that is true for numbers over ``sigmas`` standard deviations from the mean.

    Computes ``frame`` immediately to get the mean and the standard deviation of ``column``. Raises
    UsageError if all numbers are equal, or if the column has fewer than two numbers.
    """
    name = _name(column)
    (found,) = frame.selectExpr(
        f"CAST(avg({name}) AS double) AS mean", f"CAST(stddev({name}) AS double) AS spread"
    ).collect()
    if not found["spread"]:
        raise UsageError(
            f"The column {column} has no standard deviation",
            "Its numbers are all equal, or it has fewer than two",
            "Use outside(column, low, high)",
        )
    mean, reach = found["mean"], sigmas * found["spread"]
    return outside(column, mean - reach, mean + reach)


def refused(check: Callable[["Row"], object]) -> Callable[["Row"], bool]:
    """Return a test that is true for rows for which ``check`` raises an exception."""

    def test(row: "Row") -> bool:
        try:
            check(row)
        except Exception:
            return True
        return False

    return test


def raises(text: str = "") -> Raises:
    """Return a test that checks whether the program fails with an error that contains ``text``."""
    return Raises(text)


def _name(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"
