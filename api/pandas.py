"""Data frames of pandas with record-level lineage.

    from provhouse import pandas as tracked

    orders = tracked.read_csv("orders.csv", key="id")
    report = orders[orders["amount"] > 0].groupby("country").agg(total=("amount", "sum"))
    report.backward([0])["orders"].rows

Importing this module imports pandas. Raises Unavailable if pandas is not installed.
"""

from provhouse.tracking.frame_lineage import Records
from provhouse.tracking.pandas_frames.column import Column, Single
from provhouse.tracking.pandas_frames.frame import Frame
from provhouse.tracking.pandas_frames.joined_frames import concat, merge, merge_asof
from provhouse.tracking.pandas_frames.sources import (
    cut,
    read_csv,
    read_parquet,
    to_datetime,
    to_numeric,
    track,
)
from provhouse.tracking.refusals import NotTracked

__all__ = [
    "Column",
    "Frame",
    "NotTracked",
    "Records",
    "Single",
    "concat",
    "cut",
    "merge",
    "merge_asof",
    "read_csv",
    "read_parquet",
    "to_datetime",
    "to_numeric",
    "track",
]
