"""Data frames as input: Arrow reads most of them directly; Spark writes its own to files first."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

import pyarrow as pa

from provhouse.ingest.formats.spool import ArrowStream
from provhouse.model.errors import UsageError
from provhouse.runtime.scratch import scratch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SPARK_LABEL = "Spark DataFrame"
"""The name that origins and messages give to a Spark data frame, instead of its files' names."""


def is_spark(frame: object) -> "TypeGuard[DataFrame]":
    """Return whether an object is a Spark data frame."""
    return _package(frame) == "pyspark"


@contextmanager
def spark_files(frame: "DataFrame") -> Iterator[Path]:
    """Write a Spark data frame to a temporary folder of Parquet files for the block.

    Spark's tasks write the files, so that the rows never pass through this process.
    """
    with scratch("frame") as folder:
        path = Path(folder) / "frame"
        frame.write.parquet(str(path))
        yield path


def arrow_stream(frame: object) -> ArrowStream:
    """Return a data frame as an object that Arrow can read; raise UsageError for other objects."""
    if _package(frame) == "pandas":  # its own stream would have the index as a column
        table: ArrowStream = pa.Table.from_pandas(frame, preserve_index=False)
        return table
    if not hasattr(frame, "__arrow_c_stream__"):
        raise UsageError(
            "This object cannot be ingested",
            f"It is of type {type(frame).__name__}",
            "Pass paths of files, or a data frame of pandas, polars, pyarrow or Spark",
        )
    return frame


def _package(frame: object) -> str:
    """Return the name of the package that defines an object's class."""
    return type(frame).__module__.partition(".")[0]
