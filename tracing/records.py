"""The raw records of rows, read from their files with the columns that these have."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from provhouse.ingest.captured.description import SourceFile
from provhouse.ingest.captured.pairs import ROW_BITS
from provhouse.model.errors import BadInput

from .ids import Ids, is_in
from .numbers import NumberedFile
from .taps import spark_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ID = "provhouse_id"
"""The column with the id of each record, beside its own columns."""
VALUE = "provhouse_value"


def records(spark: "SparkSession", files: Sequence[NumberedFile], ids: Ids | None) -> "DataFrame":
    """Return the records of some rows of files of one table, with the column ``ID`` besides.

    ``files`` must have all of the rows; None means all rows of the files. Raises BadInput if a file
    has changed since it was read, and UsageError if the records cannot be read from files.
    """
    roots = defaultdict[Path, list[NumberedFile]](list)
    for file in files:
        _check(file)
        roots[file.root].append(file)
    every = [_read(spark, group) for group in roots.values()]
    rows = reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), every)
    if ids is None:
        return rows
    if ids.few is None:
        return ids.keep(rows, ID)
    return rows.where(is_in(ID, ids.few))


def _check(file: NumberedFile) -> None:
    if file.source:
        file.source.check_unchanged()
    if not file.path.exists():
        raise BadInput(
            f"The records of {file.table} are gone",
            f"{file.path} was removed after the block had written it",
            "Trace before another job overwrites the table",
        )


def _read(spark: "SparkSession", files: Sequence[NumberedFile]) -> "DataFrame":
    reader = spark.read
    root = files[0].root
    if root.is_dir():
        reader = reader.option("basePath", str(root.absolute()))
    found = reader.parquet(*(spark_path(file.path) for file in files))
    return _numbered(found, {file.path: file.number for file in files})


def column_of(spark: "SparkSession", files: Sequence[SourceFile], column: str) -> "DataFrame":
    """Return a column of integers of some files as ``VALUE``, with the column ``ID`` besides.

    The ids have the numbers that the write has given to these files. Raises BadInput if a file has
    changed since it was read.
    """
    for file in files:
        file.check_unchanged()
    reader = spark.read.schema(f"`{column}` bigint")
    found = _numbered(
        reader.parquet(*(spark_path(file.path) for file in files)),
        {file.path: file.number for file in files},
    )
    return found.selectExpr(f"`{column}` AS {VALUE}", ID)


def _numbered(found: "DataFrame", numbers: Mapping[Path, int]) -> "DataFrame":
    """Return the rows of files with the column ``ID``; the files have these numbers."""
    from pyspark.sql import functions as F

    addresses = [(_address(text), numbers[_path(text)]) for text in found.inputFiles()]
    columns = [F.col(f"`{name}`") for name in found.columns]
    index, path = F.col("_metadata.row_index"), F.col("_metadata.file_path")
    if len(addresses) == 1:
        first = F.lit(addresses[0][1] << ROW_BITS)
        return found.select(*columns, (first + index).alias(ID))
    known = found.sparkSession.createDataFrame(
        [(text, number << ROW_BITS) for text, number in addresses],
        "provhouse_path string, provhouse_first bigint",
    )
    rows = found.select(*columns, path.alias("provhouse_file"), index.alias("provhouse_row"))
    joined = rows.join(F.broadcast(known), F.expr("provhouse_file = provhouse_path"))
    return joined.select(*columns, F.expr("provhouse_first + provhouse_row").alias(ID))


def _path(address: str) -> Path:
    return Path(unquote(urlsplit(address).path))


def _address(address: str) -> str:
    """Return the path of a file as the column ``_metadata.file_path`` has it, with one slash."""
    return address.replace("file:///", "file:/", 1)
