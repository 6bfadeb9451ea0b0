"""Checks of arguments, for commands and Python programs."""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

from provhouse.model.errors import UsageError

FUNCTION = "<function>"
"""The column name that stands for a key computed by a function; no real column has this name."""
DeclaredKey = str | Sequence[str] | Callable[[Any], object]
"""The key of a table: a column, several columns, or a function of the records of an RDD."""


def check_run(run: str | None) -> None:
    """Raise UsageError if the name of a run is empty or not UTF-8.

    None means that there is no run.
    """
    if run is None:
        return
    try:
        run.encode()
    except UnicodeEncodeError as error:
        raise UsageError("The name of a run is not UTF-8", f"It is {run!r}") from error
    if not run:
        raise UsageError(
            "The name of the run is empty", remedy="Name another run, or leave out the run"
        )


def check_limit(name: str, limit: float | None) -> float:
    """Return a limit, or 0 if it is missing. Raises UsageError if it is not a number above 0."""
    if limit is not None and not 0 < limit < inf:
        raise UsageError(
            f"{name} is not a number above 0", f"It is {limit}", "Leave it out for no limit"
        )
    return limit or 0.0


def check_sample(name: str, sample: float | None) -> float:
    """Return the fraction of the rows in a sample, or 1 if it is missing.

    Raises UsageError if it is not a number above 0 and at most 1.
    """
    if sample is not None and not 0 < sample <= 1:
        raise UsageError(
            f"{name} is not a fraction of the rows",
            f"It is {sample}",
            "Give it a number above 0 and up to 1, such as 0.01, or leave it out for all rows",
        )
    return 1.0 if sample is None else float(sample)


def key_columns(keys: Mapping[str, DeclaredKey]) -> dict[str, tuple[str, ...]]:
    """Return the key columns of each table as a tuple; raise UsageError for an unusable key.

    A function of a record, for RDDs, becomes a column with a reserved name.
    """
    return {
        table: (FUNCTION,) if callable(key) else _columns(table, key) for table, key in keys.items()
    }


def _columns(table: str, key: str | Sequence[str]) -> tuple[str, ...]:
    if not isinstance(key, str | Sequence) or not all(isinstance(each, str) for each in key):
        raise UsageError(
            f"The key of {table} names no column",
            f"It is {key!r}",
            f'Name a column, such as keys={{"{table}": "id"}}, a list of columns, or for RDDs a'
            " function of a record",
        )
    columns = (key,) if isinstance(key, str) else tuple(key)
    if not columns or not all(columns):
        raise UsageError(
            f"The key of {table} is empty",
            "Without a declared key, rows are named by their row ids",
            f"Name its columns, or leave {table} out of keys",
        )
    return columns
