"""The names of rows: the table, and either the value of a key or the row's position."""

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.errors import UsageError
from provhouse.model.key_texts import KINDS, can_be_key, key_text


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
    if not (can_be_key(keys.type) or not len(keys)):
        raise UsageError(
            f"The column {column!r} cannot name the rows of {table}",
            f"Its type is {keys.type}; keys are {KINDS}",
            "Choose another column, or convert it with astype(str)",
        )
    if keys.null_count or pc.count_distinct(keys).as_py() < len(keys):
        raise UsageError(
            f"The column {column!r} does not identify the rows of {table}",
            "A value is missing or occurs twice",
            "Choose another column, or leave the key out: rows are then named by position",
        )
    return key_text(keys)


def item_names(table: str, names: pa.Array) -> pa.Array:
    """Return the names of items: ``TABLE/NAME``."""
    return pc.binary_join_element_wise(table, names, "/")
