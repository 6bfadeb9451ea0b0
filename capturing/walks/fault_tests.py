"""Tests that decide whether a row or a run is wrong, for ``run.smallest`` and ``blame``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from provhouse.model.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row


@dataclass(frozen=True)
class Raises:
    """The test whether a program fails with an error."""

    text: str = ""
    """A part of the error's text; an empty text accepts any error."""


class Selecting(Protocol):
    """A test that selects the wrong rows of a table with a query, as those of dbt do."""

    def rows(self, frame: "DataFrame", tables: "Mapping[str, DataFrame]") -> "DataFrame":
        """Return the wrong rows of a frame of the table; ``tables`` are its source tables."""


Test = str | Callable[["Row"], object] | Raises
"""A condition in SQL or a function that is true for wrong rows, or the error of a program."""


def null(column: str) -> str:
    """Return the test whether a column is NULL."""
    return f"{_name(column)} IS NULL"


def outside(column: str, low: float | None = None, high: float | None = None) -> str:
    """Return the test whether a number is less than ``low`` or greater than ``high``.

    Raises UsageError if both are missing.
    """
    bounds = [f"{_name(column)} < {low!r}"] if low is not None else []
    bounds += [f"{_name(column)} > {high!r}"] if high is not None else []
    if not bounds:
        raise UsageError("The range has no limit", f"The column is {column}", "Give low or high")
    return " OR ".join(bounds)


def far(frame: "DataFrame", column: str, sigmas: float = 3.0) -> str:
    """Return the test whether a number is over ``sigmas`` standard deviations from the mean.

    Computes the frame immediately to find the mean and the deviation of its column. Raises
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
    """Return the test whether a check, such as an assertion, raises an exception for a row."""

    def test(row: "Row") -> bool:
        try:
            check(row)
        except Exception:
            return True
        return False

    return test


def raises(text: str = "") -> Raises:
    """Return the test whether the program fails with an error that contains this text."""
    return Raises(text)


def _name(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"
