"""Parquet: the same columns and rows as in CSV, but with types."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.model.errors import UsageError

from .shown_result import ShownResult

ROWS = 1 << 16
"""The maximum number of rows in one row group."""
_PLAIN = (bool, int, float)


class ParquetWriter:
    """A writer of Parquet. The first rows determine the type of each column."""

    def __init__(self, handle: TextIO) -> None:
        self._handle = handle

    def write(self, result: ShownResult) -> None:
        """Write the column names and the rows: lists and maps as JSON."""
        names, rows = result.csv()
        groups = _groups(iter(rows))
        first = next(groups, [])
        columns = list(zip(*first, strict=True)) if first else [()] * len(names)
        schema = pa.schema(list(zip(names, map(_type, columns), strict=True)))
        with pq.ParquetWriter(self._handle.buffer, schema, compression="zstd") as out:
            while first:
                out.write_table(_table(first, schema))
                first = next(groups, [])


def _groups(rows: Iterator[Sequence[object]]) -> Iterator[list[Sequence[object]]]:
    while group := list(islice(rows, ROWS)):
        yield group


def _type(values: Sequence[object]) -> pa.DataType:
    kinds = {type(value) for value in values if value is not None}
    return pa.array([], pa.from_numpy_dtype(kinds.pop())).type if _is_plain(kinds) else pa.string()


def _is_plain(kinds: set[type]) -> bool:
    return len(kinds) == 1 and kinds <= set(_PLAIN)


def _table(rows: Sequence[Sequence[object]], schema: pa.Schema) -> pa.Table:
    try:
        columns = [
            pa.array(map(_text, values) if field.type == pa.string() else values, field.type)
            for field, values in zip(schema, zip(*rows, strict=True), strict=True)
        ]
    except (pa.ArrowException, OverflowError, TypeError) as error:
        raise UsageError(
            "The result cannot be written as Parquet",
            f"A column contains several types: {error}",
            "Choose another format, for example --format csv",
        ) from error
    return pa.table(columns, schema=schema)


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
