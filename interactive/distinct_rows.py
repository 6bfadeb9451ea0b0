"""Number the distinct rows of a table, so that a witness query asks about each only once."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray


@dataclass
class Questions:
    """Distinct rows, and for each row of the original table, the position of its distinct row."""

    table: pa.Table
    number: int
    numbers: NDArray[np.int32]


def distinct_questions(table: pa.Table, rows: int) -> Questions:
    """Return the distinct rows of a table, which has ``rows`` rows. NULL equals NULL."""
    if not table.num_columns:
        return Questions(table, min(rows, 1), np.zeros(rows, np.int32))
    numbers, number = _encoded(table.column(0))
    for column in table.columns[1:]:
        more, size = _encoded(column)
        # encoded after each column, so that the products fit 64 bits
        numbers, number = _encoded(pa.chunked_array([pa.array(numbers * size + more)]))
    first = np.zeros(number, np.int64)
    first[numbers[::-1]] = np.arange(rows - 1, -1, -1)  # the first of equal rows is written last
    return Questions(table.take(pa.array(first)), number, numbers.astype(np.int32))


def _encoded(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], int]:
    """Return a code for each value, and the number of different codes."""
    one = column.combine_chunks()
    if isinstance(one, pa.ChunkedArray):
        one = one.chunk(0) if one.num_chunks else pa.array([], column.type)
    if pa.types.is_dictionary(one.type):
        one = one.cast(one.type.value_type)
    coded = pc.dictionary_encode(one, null_encoding="encode")
    return coded.indices.to_numpy().astype(np.int64), len(coded.dictionary)
