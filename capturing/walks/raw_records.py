"""Read the raw records of rows, with the columns of their files."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.model.arrays import I64, without_views
from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import BadInput, UsageError

from ..reading.description import SourceFile
from ..reading.tap_table import SourceKey
from .cursor_ids import ID, CursorIds
from .file_addresses import address_of, path_of, spark_path
from .numbers import NumberedFile
from .row_groups import is_plain, rows_of_files
from .text_lines import lines

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

VALUE = "provhouse_value"
_SIMPLE = (
    pa.types.is_signed_integer, pa.types.is_float32, pa.types.is_float64, pa.types.is_boolean,
    pa.types.is_string, pa.types.is_date32, pa.types.is_decimal128,
)  # fmt: skip
"""The Arrow types that each correspond to exactly one Spark type."""
_NULL = "__HIVE_DEFAULT_PARTITION__"
"""The string that stands for NULL in the name of a partition folder."""


def records(
    spark: "SparkSession", files: Sequence[NumberedFile], ids: CursorIds | None
) -> "DataFrame":
    """Return the records of the rows with ``ids`` in ``files``, with the column ``ID`` added.

    ``files`` belong to one table, and must contain all rows of ``ids``. If ``ids`` is None, the
    records of all rows are returned. If there are only a few ids, this process immediately reads
    the row groups with these rows, and no others. For files with lines of text, the column
    ``value`` has the line. Raises BadInput if a file has changed since it was read, and UsageError
    if the records cannot be read from files.
    """
    for file in files:
        _check(file)
    text = [file for file in files if file.unit == "lines"]
    others = [file for file in files if file.unit != "lines"]
    parts = [lines(spark, text, ids)] if text else []
    parts += [_of_columns(spark, others, ids)] if others else []
    return _united(parts)


def _of_columns(
    spark: "SparkSession", files: Sequence[NumberedFile], ids: CursorIds | None
) -> "DataFrame":
    roots = defaultdict[Path, list[NumberedFile]](list)
    for file in files:
        roots[file.root].append(file)
    if ids is not None and ids.few is not None and all(is_plain(file.path) for file in files):
        few = ids.few
        with suppress(pa.ArrowException):  # only Spark can convert some types of columns
            return _united(_read_few(spark, group, few) for group in roots.values())
    rows = _united(_read(spark, group) for group in roots.values())
    return rows if ids is None else ids.keep(rows, ID)


def _united(frames: "Iterable[DataFrame]") -> "DataFrame":
    return reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), frames)


def _check(file: NumberedFile) -> None:
    if file.unit == "records":
        raise UsageError(
            f"The records of {file.table} have no columns",
            "Its files are neither Parquet nor lines of text, or have no key",
            "Ask ids() for the files and positions of the rows",
        )
    if file.source:
        file.source.check_unchanged()
    if not file.path.exists():
        raise BadInput(
            f"The records of {file.table} no longer exist",
            f"{file.path} was removed after the block wrote it",
            "Trace before another job overwrites the table",
        )


def _read(spark: "SparkSession", files: Sequence[NumberedFile]) -> "DataFrame":
    return _numbered(_plain(spark, files), {file.path: file.number for file in files})


def _plain(spark: "SparkSession", files: Sequence[NumberedFile]) -> "DataFrame":
    reader = spark.read
    root = files[0].root
    if root.is_dir():
        reader = reader.option("basePath", f"file:{root.absolute()}")
    return reader.parquet(*(spark_path(file.path) for file in files))


def _read_few(spark: "SparkSession", files: Sequence[NumberedFile], ids: I64) -> "DataFrame":
    """Read the records of a few rows; return them with the columns and types that Spark uses."""
    schema = (_known_schema(files) or _plain(spark, files).schema).add(ID, "long")
    wanted = _arrow_schema(schema)
    parts = [_typed(file, found, ids, wanted) for file, found in rows_of_files(files, ids)]
    return spark.createDataFrame(pa.concat_tables(parts).combine_chunks(), schema)


def _arrow_schema(schema: "StructType") -> pa.Schema:
    """Return the types of Arrow for the columns of a frame, with instants in UTC."""
    from pyspark.sql.pandas.types import to_arrow_schema

    if "timezone" in signature(to_arrow_schema).parameters:
        return to_arrow_schema(schema, timezone="UTC")
    return to_arrow_schema(schema)  # before Spark 4.2, instants are in UTC anyway


def _known_schema(files: Sequence[NumberedFile]) -> "StructType | None":
    """Return the schema Spark gives ``files``, found without a Spark job; None if it needs one."""
    from pyspark.sql.pandas.types import from_arrow_schema

    (schema, *others) = {_schema_of(file.path) for file in files}
    known = not others and all(map(_is_simple, schema.types))
    if not known or any(_of_folders(file.path, file.root) for file in files):
        return None
    return from_arrow_schema(schema)


def _schema_of(path: Path) -> pa.Schema:
    plain = without_views(pq.read_schema(path).empty_table()).schema
    return pa.schema([pa.field(field.name, field.type) for field in plain])


def _is_simple(kind: pa.DataType) -> bool:
    return any(is_kind(kind) for is_kind in _SIMPLE)


def _typed(file: NumberedFile, found: pa.Table, ids: I64, wanted: pa.Schema) -> pa.Table:
    """Return the rows with the ``wanted`` columns.

    The values of a column that the file lacks come from a folder's name, or else are NULL.
    """
    known = {name.lower(): found[name] for name in found.column_names}
    known[ID] = pa.chunked_array([ids[ids >> ROW_BITS == file.number]])
    folders = _of_folders(file.path, file.root)
    columns = []
    for field in wanted:
        column = None if field.name in folders else known.get(field.name.lower())
        if column is None:
            column = pa.array([folders.get(field.name)] * found.num_rows, pa.string())
        columns.append(column.cast(field.type))
    return pa.Table.from_arrays(columns, schema=wanted)


def _of_folders(path: Path, root: Path) -> dict[str, str | None]:
    """Return partition columns and values from a path's folder names, as in ``day=2026-01-01``."""
    parts = path.parent.relative_to(root).parts if root != path else ()
    pairs = (folder.partition("=") for folder in parts)
    known = {unquote(name): unquote(value) for name, equals, value in pairs if equals}
    return {name: None if value == _NULL else value for name, value in known.items()}


def keys_in(spark: "SparkSession", files: Sequence[SourceFile], key: SourceKey) -> "DataFrame":
    """Return the key and id of each row of ``files``, in the columns ``VALUE`` and ``ID``.

    A key that consists of one column is NULL where this column is NULL. The ids contain the file
    numbers of the write, not those of the block. Raises BadInput if a file has changed since it was
    read.
    """
    for file in files:
        file.check_unchanged()
    reader = spark.read.schema(", ".join(f"`{each.name}` {each.type}" for each in key.columns))
    found = _numbered(
        reader.parquet(*(spark_path(file.path) for file in files)),
        {file.path: file.number for file in files},
    )
    values = []
    for each in key.columns:
        values += [f"`{each.name}`", *([f"isnull(`{each.name}`)"] if each.flagged else [])]
    value = f"xxhash64({', '.join(values)})" if key.hashed else f"CAST({values[0]} AS bigint)"
    return found.selectExpr(f"{value} AS {VALUE}", ID)


def _numbered(found: "DataFrame", numbers: Mapping[Path, int]) -> "DataFrame":
    """Add the column ``ID`` to the rows of files; ``numbers`` has the number of each file."""
    from pyspark.sql import functions as F

    addresses = [(address_of(text), numbers[path_of(text)]) for text in found.inputFiles()]
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
