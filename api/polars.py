"""Data frames of polars with record-level lineage.

    import polars as pl
    from provhouse import polars as tracked

    orders = tracked.read_csv("orders.csv", key="id")
    report = orders.filter(pl.col("amount") > 0).group_by("country").agg(pl.col("amount").sum())
    report.backward([0])["orders"].rows

Importing this module imports polars. Raises Unavailable if polars is not installed.
"""

from provhouse.tracking.frame_lineage import Records
from provhouse.tracking.polars_frames.polars_frame import Frame, concat
from provhouse.tracking.polars_frames.polars_sources import read_csv, read_parquet, track
from provhouse.tracking.refusals import NotTracked

__all__ = ["Frame", "NotTracked", "Records", "concat", "read_csv", "read_parquet", "track"]
