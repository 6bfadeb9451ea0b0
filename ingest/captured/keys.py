"""The values of key columns, read from the Parquet files of a table."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.errors import BadInput

Key = tuple[str, ...]
"""The columns of a key; empty for rows that are named by their row ids."""


def read_keys(path: Path, key: Key) -> pa.Table:
    """Return the key columns of all rows of a file; raise BadInput for unusable columns."""
    with pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        for column in key:
            if column not in names:
                raise BadInput(
                    f"{path} has no column {column}, which is declared as its key",
                    f"Its columns are {', '.join(names[:10])}",
                    "Correct the key; a column that only the folder's name has cannot be one",
                )
        table = file.read(list(key))
    for column in key:
        _check_type(path, column, table[column].type)
    return table


def check_keys(table: str, key: Key, parts: Sequence[pa.Table]) -> None:
    """Raise BadInput if a key is NULL or not unique among all rows of a table."""
    rows = pa.concat_tables(parts)
    nulls = sum(rows[column].null_count for column in key)
    if nulls:
        raise BadInput(
            f"{nulls:,} keys of {table} are NULL",
            f"The declared key is {', '.join(key)}",
            "Declare another key, or none: rows are then named by their row ids",
        )
    distinct = _distinct(rows)
    if distinct != rows.num_rows:
        raise BadInput(
            f"The key of {table} is not unique",
            f"{rows.num_rows:,} rows have {distinct:,} values of {', '.join(key)}",
            "Declare all columns of the key, as in keys={'table': ['a', 'b']}, or declare none",
        )


def _distinct(rows: pa.Table) -> int:
    """Return the number of names; of ``a/b`` and ``c``, and ``a`` and ``b/c``, it is one."""
    if rows.num_columns > 1 and any(_is_text(column.type) for column in rows.itercolumns()):
        return int(pc.count_distinct(texts(rows)).as_py())
    return int(rows.group_by(rows.column_names).aggregate([]).num_rows)


def texts(rows: pa.Table) -> pa.Array:
    """Return the keys of rows as text; the values of several columns are joined by ``/``."""
    columns = [column.cast(pa.string()) for column in rows.itercolumns()]
    if len(columns) == 1:
        return columns[0].combine_chunks()
    return pc.binary_join_element_wise(*columns, "/").combine_chunks()


def _check_type(path: Path, column: str, found: pa.DataType) -> None:
    if not (_is_text(found) or pa.types.is_integer(found) or pa.types.is_date(found)):
        raise BadInput(
            f"The column {column} of {path} cannot be a key",
            f"Its type is {found}; keys are integers, text or dates",
            "Declare another key, or none: rows are then named by their row ids",
        )


def _is_text(found: pa.DataType) -> bool:
    return bool(pa.types.is_string(found) or pa.types.is_large_string(found))
