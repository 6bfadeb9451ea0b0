"""Ready tests for ``run.smallest``: what is wrong with a row of a result, or with the run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from provhouse.model.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row


@dataclass(frozen=True)
class Raises:
    """The test that a program fails with an error."""

    text: str = ""
    """A part of the error's text; empty for any error."""


Test = str | Callable[["Row"], object] | Raises
"""A condition in SQL, or a function, that is true for a wrong row; or the error of a program."""


def null(column: str) -> str:
    """Return the test that a column is NULL."""
    return f"{_name(column)} IS NULL"


def outside(column: str, low: float | None = None, high: float | None = None) -> str:
    """Return the test that a number is less than ``low`` or greater than ``high``.

    Raises UsageError if both are missing.
    """
    bounds = [f"{_name(column)} < {low!r}"] if low is not None else []
    bounds += [f"{_name(column)} > {high!r}"] if high is not None else []
    if not bounds:
        raise UsageError("The range has no limit", f"The column is {column}", "Give low or high")
    return " OR ".join(bounds)


def far(frame: "DataFrame", column: str, sigmas: float = 3.0) -> str:
    """Return the test that a number is more than some standard deviations from the mean.

    Both are those of the frame, which is computed now. Raises UsageError if all of its numbers are
    equal, or if there are fewer than two.
    """
    name = _name(column)
    (found,) = frame.selectExpr(
        f"CAST(avg({name}) AS double) AS mean", f"CAST(stddev({name}) AS double) AS spread"
    ).collect()
    if not found["spread"]:
        raise UsageError(
            f"The column {column} has no standard deviation",
            "Its numbers are all equal, or there are fewer than two",
            "Use outside(column, low, high)",
        )
    mean, reach = found["mean"], sigmas * found["spread"]
    return outside(column, mean - reach, mean + reach)


def refused(check: Callable[["Row"], object]) -> Callable[["Row"], bool]:
    """Return the test that a check raises an exception for a row, as an assertion does."""

    def test(row: "Row") -> bool:
        try:
            check(row)
        except Exception:
            return True
        return False

    return test


def raises(text: str = "") -> Raises:
    """Return the test that the program fails with an error that has this text in it."""
    return Raises(text)


def _name(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"
