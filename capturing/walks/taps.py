"""Read tap files as Spark frames; no other module of ``walks`` depends on their format."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from provhouse.model.arrays import I64
from provhouse.model.associations import NONE

from ..reading.tap_files import places_of, tap_files
from .file_addresses import spark_path

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

PLACE = "provhouse_place"
"""The column that names a row's file within its task: partition and bucket, joined by ``|``."""
FILE, ROW = "provhouse_file", "provhouse_row"
"""The columns with the name of a row's association file, and the row's position in this file."""


def tap_frame(spark: "SparkSession", folders: Sequence[Path], columns: int) -> "DataFrame":
    """Return the rows of taps, with integer columns ``c0``, ``c1`` and so on; ``NONE`` is NULL."""
    from pyspark.sql import functions as F

    names = [f"c{column}" for column in range(columns)]
    found = _read(spark, tap_paths(folders), [f"{name} bigint" for name in names])
    return found.select(*(_filled(F.col(name)).alias(name) for name in names))


def rows_frame(spark: "SparkSession", folder: Path, columns: int, texts: int) -> "DataFrame":
    """Return the rows of the tap that records written rows, with the place of each row.

    The columns are the tap's integer columns, ``FILE``, ``PLACE``, and ``ROW``, which is the
    position of the row among the rows of the same task and place.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    names = [f"c{column}" for column in range(columns)]
    words = [f"t{text}" for text in range(texts)]
    schema = [*(f"{name} bigint" for name in names), *(f"{name} string" for name in words)]
    found = _read(spark, tap_paths([folder]), schema)
    place = F.concat_ws("|", *map(F.col, words)) if words else F.lit("")
    rows = found.select(
        *(_filled(F.col(name)).alias(name) for name in names),
        F.col("_metadata.file_name").alias(FILE),
        F.col("_metadata.row_index").alias(ROW),
        place.alias(PLACE),
    )
    if not words:
        return rows
    order = Window.partitionBy(FILE, PLACE).orderBy(ROW)
    return rows.withColumn(ROW, F.row_number().over(order).cast("bigint") - 1)


def task_files(folder: Path) -> dict[int, str]:
    """Return the name of the association file of each task that has written rows."""
    found = tap_files(folder, ordered=True)
    return {task: paths[0].name for task, paths in found.items()}


def tap_paths(folders: Sequence[Path]) -> list[Path]:
    """Return all files in the tap folders."""
    return [path for folder in folders for paths in tap_files(folder).values() for path in paths]


def places_in(path: Path, texts: int) -> dict[str, I64]:
    """Return, for each ``PLACE``, the ascending positions of its rows in an association file."""
    places = places_of(path, texts)
    codes = np.asarray(places.indices)
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(places.dictionary)))
    return dict(zip(places.dictionary.to_pylist(), np.split(order, ends[:-1]), strict=True))


def _read(spark: "SparkSession", paths: Sequence[Path], schema: Sequence[str]) -> "DataFrame":
    if not paths:  # no task has written a row, and frames without files have no ``_metadata``
        metadata = "named_struct('file_name', '', 'row_index', 0L) AS _metadata"
        nulls = (f"CAST(NULL AS {kind}) AS {name}" for name, kind in map(str.split, schema))
        return spark.sql(f"SELECT {', '.join(nulls)}, {metadata} LIMIT 0")
    return spark.read.schema(", ".join(schema)).parquet(*map(spark_path, paths))


def _filled(column: "Column") -> "Column":
    from pyspark.sql import functions as F

    return F.when(column != F.lit(NONE), column)
