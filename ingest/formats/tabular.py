"""Turn the Arrow tables of input files into batches of triples."""

from collections.abc import Collection, Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.attributes import canonical, texts
from provhouse.model.columns import DESCRIBING
from provhouse.model.errors import BadInput

from . import limits
from .column_mapping import ID_OF, TABLE_OF
from .source import Batch, Source, unreadable

# For example, times outside of Python's range raise OverflowError.
_CONVERSION_ERRORS = (pa.ArrowException, ValueError, OverflowError)


def as_batches(source: Source, tables: Iterable[pa.Table]) -> Iterator[Batch]:
    """Yield the rows of a file's Arrow tables, in batches of at most ``limits.ROWS`` rows."""
    row = source.first_row
    for table in tables:
        for start in range(0, max(table.num_rows, 1), limits.ROWS):
            rows = table.slice(start, limits.ROWS)
            yield _batch(source, row, rows)
            row += rows.num_rows


def _batch(source: Source, row: int, rows: pa.Table) -> Batch:
    for name, value in source.constants:
        if name in rows.column_names:
            continue
        rows = rows.append_column(name, pa.repeat(pa.scalar(value, pa.string()), rows.num_rows))
    present = rows.column_names
    columns = source.columns.of(present)
    for _, column in columns.read_for:
        if column in present:
            _check_type(source, column, rows.schema.field(column).type)
    rows = _without_nulls(rows, columns.nulls)
    extra = rows.select([name for name in present if name not in columns.taken])
    try:
        known = {
            name: _known(name, rows[column], columns.by_id)
            for name, column in columns.read_for
            if column in present
        }
        scope = texts(_finite(rows[columns.scope]).combine_chunks()) if columns.scope else None
        return Batch(row, pa.table(known), canonical(extra), scope)
    except _CONVERSION_ERRORS as error:
        place = f"{source.name}, rows {row:,} to {row + rows.num_rows - 1:,}"
        raise unreadable(place, "text", error) from error


def _check_type(source: Source, column: str, kind: pa.DataType) -> None:
    """Raise BadInput if values of the type ``kind``, for example lists, cannot be names."""
    try:
        pa.array([], kind).cast(pa.string())
    except pa.ArrowNotImplementedError as error:
        raise BadInput(
            f"{source.name}: the column {column} contains {_plural(kind)}",
            "It must contain strings, numbers, dates or times",
            "Nothing was ingested; write one row for each value, or choose another column with "
            "--map",
        ) from error


def _plural(kind: pa.DataType) -> str:
    """Return the plural word for values of a type that cannot be converted to strings."""
    words = {pa.types.is_struct: "structs", pa.types.is_map: "maps", pa.types.is_nested: "lists"}
    return next((word for of, word in words.items() if of(kind)), f"values of the type {kind}")


def _without_nulls(rows: pa.Table, nulls: Collection[str]) -> pa.Table:
    """Return ``rows`` with null in place of the strings that stand for a missing value."""
    if not nulls:
        return rows
    texts = pa.array(sorted(nulls), pa.string())
    for at, field in enumerate(rows.schema):
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if _is_text(kind):
            column = rows[field.name].cast(pa.string())
            kept = pc.if_else(pc.is_in(column, texts), None, column)
            rows = rows.set_column(at, field.name, kept)
    return rows


def _is_text(kind: pa.DataType) -> bool:
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def _known(name: str, column: pa.ChunkedArray, by_id: Sequence[str]) -> pa.Array:
    """Return a known column as strings, unless it identifies an end by id.

    In that case, integer ids stay integers, and a dictionary of tables stays a dictionary.
    """
    if name in {ID_OF[end] for end in by_id} and _fits(column):
        return column.combine_chunks().cast(pa.int64())
    if name in {TABLE_OF[end] for end in by_id} and pa.types.is_dictionary(column.type):
        return column.cast(pa.dictionary(pa.int32(), pa.string())).combine_chunks()
    return _text(column if name in DESCRIBING else _finite(column))


def _fits(column: pa.ChunkedArray) -> bool:
    """Return whether all values of a column are integers within the range of signed 64 bits."""
    if not pa.types.is_integer(column.type):
        return False
    most = pc.max(column).as_py() if pa.types.is_uint64(column.type) else None
    return most is None or bool(most < 1 << 63)


def _text(column: pa.ChunkedArray) -> pa.Array:
    """Return a column as strings; equal times become equal strings in any unit and time zone."""
    values = _without_nan(column)
    if pa.types.is_timestamp(values.type):
        utc = pa.timestamp(values.type.unit, "UTC" if values.type.tz else None)
        return _without_zeros(values.cast(utc).cast(pa.string()))
    if pa.types.is_time(values.type):
        return _without_zeros(values.cast(pa.string()))
    return values.cast(pa.string())


def _without_nan(column: pa.ChunkedArray) -> pa.Array:
    """Return ``column`` with null in place of NaN, which stands for a missing number."""
    values = column.combine_chunks()
    if not pa.types.is_floating(values.type):
        return values
    return pc.if_else(pc.is_nan(values), None, values)


def _finite(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return ``column`` with null in place of NaN and infinity, which cannot be names of items."""
    if not pa.types.is_floating(column.type):
        return column
    return pc.if_else(pc.is_finite(column), column, None)


def _without_zeros(times: pa.Array) -> pa.Array:
    """Remove trailing zeros from the fractional seconds of times that are strings."""
    shorter = pc.replace_substring_regex(times, r"(\.[0-9]*?)0+(Z?)$", r"\1\2")
    return pc.replace_substring_regex(shorter, r"\.(Z?)$", r"\1")
