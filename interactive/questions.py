"""The distinct rows of some columns, numbered: what a witness query is asked about."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray


@dataclass
class Questions:
    """Distinct rows, and for each row of the original table the number of its distinct row."""

    table: pa.Table
    number: int
    numbers: NDArray[np.int32]


def distinct_questions(table: pa.Table, rows: int) -> Questions:
    """Return the distinct rows of a table with this number of rows. NULL equals NULL."""
    if not table.num_columns:
        return Questions(table, min(rows, 1), np.zeros(rows, np.int32))
    codes: NDArray[np.int64] | None = None
    for column in table.columns:
        encoded, size = _encoded(column)
        codes = encoded if codes is None else _dense(codes * size + encoded)
    assert codes is not None
    _, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
    return Questions(table.take(pa.array(first)), first.size, numbers.astype(np.int32))


def _encoded(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], int]:
    """Return a number for each value, and one more than the largest."""
    one = column.combine_chunks()
    if isinstance(one, pa.ChunkedArray):
        one = one.chunk(0) if one.num_chunks else pa.array([], column.type)
    if pa.types.is_dictionary(one.type):
        one = one.cast(one.type.value_type)
    coded = pc.dictionary_encode(one, null_encoding="encode")
    return coded.indices.to_numpy().astype(np.int64), max(1, len(coded.dictionary))


def _dense(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return codes without gaps, so that more columns can be added without overflow."""
    if codes.size == 0 or int(codes.max()) < 2**31:
        return codes
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)
