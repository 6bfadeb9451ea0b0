"""Rows as strings to compare: exactly, or up to differences that DuckDB ignores."""

import json
from typing import Any

import pyarrow as pa

Row = tuple[str, ...]


def exact(table: pa.Table) -> list[Row]:
    """Return the rows as strings."""
    return _rows(table, _text)


def loose(table: pa.Table) -> list[Row]:
    """Return the rows as strings, without differences between values that DuckDB treats as equal.

    Floating-point values are rounded, the sign of zeros is dropped, and letters become lower case,
    because DuckDB shows any one of the equal strings in a group.
    """
    return _rows(table, lambda value: _text(_plain(value)).lower())


def _rows(table: pa.Table, one: Any) -> list[Row]:
    columns = [[one(value) for value in column.to_pylist()] for column in table.columns]
    return list(zip(*columns, strict=True)) if columns else [()] * table.num_rows


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return 0.0 if value == 0 else float(f"{value:.8g}") if value == value else value
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value


def _text(value: Any) -> str:
    return f"{type(value).__name__} {value!r}"


def shape(table: pa.Table) -> list[tuple[str, str]]:
    """Return the name and the type of each column."""
    return [(field.name, str(field.type)) for field in table.schema]


def brief(rows: list[Row]) -> str:
    """Return a short string with some rows, for a message."""
    return json.dumps([[cell.partition(" ")[2] for cell in row] for row in rows[:6]])
