"""The sources of tracked frames: plain data frames, and files."""

from __future__ import annotations

from typing import Any

import polars as pl

from ..file_options import check_options, file_table
from .polars_frame import Frame, source

UNREADABLE = ("batch_size",)
MOVING = ("skip_rows", "skip_rows_after_header", "comment_prefix", "ignore_errors")


def track(data: pl.DataFrame, *, table: str, key: str | None = None) -> Frame:
    """Return a tracked frame for a plain data frame.

    Its rows are items named ``TABLE/KEY``, where KEY is the value in the column ``key``, or the
    row's position if no ``key`` is given. Raises UsageError if the key does not identify the rows.

    >>> orders = track(polars.DataFrame({"id": [17, 18]}), table="orders", key="id")
    >>> orders.backward([1])["orders"].names
    ['18']
    """
    return source(data, table, key)


def read_csv(
    path: Any, *, table: str | None = None, key: str | None = None, **options: Any
) -> Frame:
    """Read a CSV file as polars does.

    ``table`` defaults to the file's name without its extension. Without ``key``, a row is named by
    its position in the file, counted from 0. Raises NotTracked for an option that would skip rows
    of the file, unless there is a key.
    """
    check_options("read_csv", key, options, UNREADABLE, MOVING)
    return source(pl.read_csv(path, **options), table or file_table(path), key)


def read_parquet(
    path: Any, *, table: str | None = None, key: str | None = None, **options: Any
) -> Frame:
    """Read a Parquet file as polars does; see ``read_csv``."""
    check_options("read_parquet", key, options, UNREADABLE, MOVING)
    return source(pl.read_parquet(path, **options), table or file_table(path), key)
