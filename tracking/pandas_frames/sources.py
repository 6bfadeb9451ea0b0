"""The sources of tracked frames: plain data frames, and files."""

from __future__ import annotations

from typing import Any

import pandas as pd

from provhouse.model.errors import UsageError

from ..file_options import check_options, file_table
from ..refusals import untracked
from ..step_graph import Items, StepNode
from .column import Column
from .frame import Frame
from .operand import combined, constant

UNREADABLE = ("chunksize", "iterator", "index_col")
MOVING = ("skiprows", "skipfooter", "on_bad_lines", "comment", "filters")


def track(data: pd.DataFrame, *, table: str, key: str | None = None) -> Frame:
    """Return a tracked copy of a plain data frame.

    Its rows are items named ``TABLE/KEY``, where KEY is the value in the column ``key``, or the
    row's position if no ``key`` is given. Raises UsageError if the key does not identify the rows.

    >>> orders = track(pandas.DataFrame({"id": [17, 18]}), table="orders", key="id")
    >>> orders.backward([1])["orders"].names
    ['18']
    """
    if not isinstance(data, pd.DataFrame):
        raise UsageError(f"Cannot track a {type(data).__name__}", "", "Pass a pandas data frame")
    return _source(data.copy(), table, key)


def read_csv(
    path: Any, *, table: str | None = None, key: str | None = None, **options: Any
) -> Frame:
    """Read a CSV file as pandas does.

    ``table`` defaults to the file's name without its extension. Without ``key``, a row is named by
    its position in the file, counted from 0. Raises NotTracked for an option that would skip rows
    of the file, unless there is a key.
    """
    check_options("read_csv", key, options, UNREADABLE, MOVING)
    return _source(pd.read_csv(path, **options), table or file_table(path), key)


def read_parquet(
    path: Any, *, table: str | None = None, key: str | None = None, **options: Any
) -> Frame:
    """Read a Parquet file as pandas does; see ``read_csv``."""
    check_options("read_parquet", key, options, UNREADABLE, MOVING)
    return _source(pd.read_parquet(path, **options), table or file_table(path), key)


def _source(value: pd.DataFrame, table: str, key: str | None) -> Frame:
    if isinstance(value.index, pd.MultiIndex):
        raise untracked("a frame with a MultiIndex", "", "Call reset_index() before track()")
    bare = Frame(value, StepNode(len(value)))
    items = bare._items(table, key)
    if key is not None:
        items.names()
    source = Items(items.table, items.names, value, is_source=True)
    return Frame(value, StepNode(len(value), items=source))


def to_datetime(column: Column, *, format: str | None = None, **options: Any) -> Column:
    """Convert strings or numbers to times, row by row. Strings require a ``format``."""
    if format is None and "unit" not in options:
        raise untracked(
            "to_datetime without a format",
            "pandas guesses it from the first row",
            "Name it: format='%Y-%m-%d', or format='mixed' to read each row by itself",
        )
    if format is not None:
        options["format"] = format
    constant("to_datetime", options)
    found: Column = combined(
        "to_datetime", lambda value: pd.to_datetime(value, **options), [column]
    )
    return found


def to_numeric(column: Column, *, errors: str = "raise") -> Column:
    """Convert strings to numbers, row by row."""
    given: Any = errors
    found: Column = combined(
        "to_numeric", lambda value: pd.to_numeric(value, errors=given), [column]
    )
    return found


def cut(column: Column, bins: list[Any], **options: Any) -> Column:
    """Return the interval that contains each value. ``bins`` are the bounds of all intervals."""
    if not isinstance(bins, list | tuple):
        raise untracked(
            "cut into a number of bins", "The bounds depend on all rows", "Give their bounds"
        )
    constant("cut", options)
    if options.get("retbins"):
        raise untracked("cut with retbins=", "", "Leave retbins out")
    found: Column = combined("cut", lambda value: pd.cut(value, bins, **options), [column])
    return found
