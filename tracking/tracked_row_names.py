"""The names of rows: the table, and either the value of a key or the row's position."""

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.errors import UsageError


def position_names(number: int) -> pa.Array:
    """Return the names of rows without a key: their positions."""
    return pa.array(range(number), pa.int64()).cast(pa.string())


def key_names(keys: pa.Array | pa.ChunkedArray, column: str, table: str) -> pa.Array:
    """Return the values of a key as strings.

    Raises UsageError if a value is missing or occurs twice, or if the key's type has no exact
    string representation.
    """
    if isinstance(keys, pa.ChunkedArray):
        keys = keys.combine_chunks()
    if pa.types.is_dictionary(keys.type):
        keys = keys.dictionary_decode()
    kind = keys.type
    if not (
        pa.types.is_integer(kind)
        or pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_temporal(kind)
        or pa.types.is_decimal(kind)
        or not len(keys)
    ):
        raise UsageError(
            f"The column {column!r} cannot name the rows of {table}",
            f"Its type is {kind}",
            "Choose a column of integers, text or dates, or convert it with astype(str)",
        )
    if keys.null_count or pc.count_distinct(keys).as_py() < len(keys):
        raise UsageError(
            f"The column {column!r} does not identify the rows of {table}",
            "A value is missing or occurs twice",
            "Choose another column, or leave the key out: rows are then named by position",
        )
    return keys.cast(pa.string())


def item_names(table: str, names: pa.Array) -> pa.Array:
    """Return the names of items: ``TABLE/NAME``."""
    return pc.binary_join_element_wise(table, names, "/")
