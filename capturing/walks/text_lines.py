"""Read lines of text files that RDDs have read or written, with the ids of the lines."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, unique
from provhouse.model.associations import ROW_BITS

from .cursor_ids import ID, CursorIds
from .file_addresses import address_of, path_of, spark_path
from .numbers import NumberedFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CHUNK = 1 << 22
"""The number of bytes to read at once."""
_BYTE_ORDER = b"\xef\xbb\xbf"
"""The byte order mark at the beginning of a file, which is not a part of the first line."""
_CODECS = (".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate")
"""The name endings of files that Spark decompresses."""


def lines(
    spark: "SparkSession", files: Sequence[NumberedFile], ids: CursorIds | None
) -> "DataFrame":
    """Return the lines with ``ids`` as the columns ``value`` and ``ID``.

    All lines are returned if ``ids`` is None. If there are only a few ids, this process immediately
    reads the parts of the files with these lines, and no others.
    """
    plain = not any(file.path.suffix.lower() in _CODECS for file in files)
    if ids is not None and ids.few is not None and plain:
        return _few(spark, files, ids.few)
    rows = _numbered(spark, files)
    return rows if ids is None else ids.keep(rows, ID)


def _few(spark: "SparkSession", files: Sequence[NumberedFile], ids: I64) -> "DataFrame":
    values, found = list[str](), list[I64]()
    for file in files:
        here = ids[(ids >= file.first_id) & (ids < file.first_id + (1 << ROW_BITS))]
        texts = lines_of(file.path, here - file.first_id, file.first_rows)
        values += [text.decode("utf-8", "replace") for text in texts]
        found.append(here)
    table = pa.table({"value": pa.array(values, pa.string()), ID: np.concatenate(found)})
    return spark.createDataFrame(table, f"value string, {ID} bigint")


def lines_of(path: Path, rows: I64, starts: dict[int, int]) -> Iterator[bytes]:
    """Yield the lines of a file whose numbers are in ``rows``, in ascending order.

    ``starts`` maps the first byte of each split to the number of its first line. The split at byte
    0 is included. In each other split, the first line begins after the first line end.
    """
    lines = sorted((line, byte) for byte, line in starts.items())
    firsts = np.array([line for line, _ in lines])
    split = np.searchsorted(firsts, rows, side="right") - 1
    with path.open("rb") as file:
        for at in unique(split):
            line, byte = lines[at]
            yield from _from(file, byte, rows[split == at] - line)


def _from(file: BinaryIO, byte: int, rows: I64) -> Iterator[bytes]:
    """Yield the lines with the numbers ``rows``, counted from the beginning of a split."""
    file.seek(byte)
    first, skip = 0, byte > 0
    wanted = rows.tolist()
    while wanted and (chunk := file.read(CHUNK)):
        chunk += file.readline()  # so that a chunk ends with a line
        if not file.tell() - len(chunk):  # the chunk is the beginning of the file
            chunk = chunk.removeprefix(_BYTE_ORDER)
        count = _count(chunk) - skip
        if wanted[0] < first + count:
            found = chunk.splitlines()[skip:]
            while wanted and wanted[0] < first + count:
                yield found[wanted.pop(0) - first]
        first, skip = first + count, False


def _count(chunk: bytes) -> int:
    """Return the number of lines in a chunk, which may have the line ends of any system."""
    if b"\r" in chunk:
        return len(chunk.splitlines())
    return chunk.count(b"\n") + (not chunk.endswith(b"\n"))


def _numbered(spark: "SparkSession", files: Sequence[NumberedFile]) -> "DataFrame":
    """Return all lines of ``files`` with their ids.

    The id of a line is the first id of its file, plus the number of lines in earlier splits of the
    file, plus the number of the line in its split.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    rows = spark.read.text([spark_path(file.path) for file in files]).select(
        "value",
        F.col("_metadata.file_path").alias("provhouse_file"),
        F.col("_metadata.file_block_start").alias("provhouse_start"),
        F.monotonically_increasing_id().alias("provhouse_at"),
    )
    numbers = {file.path: file.first_id for file in files}
    known = spark.createDataFrame(
        [(address_of(text), numbers[path_of(text)]) for text in rows.inputFiles()],
        "provhouse_file string, provhouse_first bigint",
    )
    split = ["provhouse_file", "provhouse_start"]
    earlier = (Window.unboundedPreceding, -1)
    before = Window.partitionBy(split[0]).orderBy(split[1]).rowsBetween(*earlier)
    splits = (
        rows.groupBy(split)
        .agg(F.count("*").alias("lines"), F.min("provhouse_at").alias("least"))
        .withColumn("before", F.coalesce(F.sum("lines").over(before), F.lit(0)))
        .join(F.broadcast(known), split[0])
        .selectExpr(*split, "provhouse_first + before - least AS provhouse_add")
    )
    found = rows.join(F.broadcast(splits), split)
    return found.selectExpr("value", f"provhouse_at + provhouse_add AS {ID}")
