"""HTML tables for notebooks: the first rows, and the number of further rows."""

from html import escape

import pyarrow as pa

from provhouse.model.visible import visible

SHOWN = 20
"""The maximum number of rows that a notebook shows."""
_RIGHT = ' style="text-align: right"'


def html_table(first: pa.Table, count: int) -> str:
    """Return the first of ``count`` rows as HTML. Numbers are aligned on the right."""
    right = [
        pa.types.is_integer(each.type) or pa.types.is_floating(each.type)
        or pa.types.is_decimal(each.type)
        for each in first.schema
    ]  # fmt: skip
    head = "".join(f"<th>{_text(name)}</th>" for name in first.column_names)
    columns = [column.to_pylist() for column in first.slice(0, SHOWN).columns]
    lines = [
        "".join(
            f"<td{_RIGHT * aligned}>{_text('NULL' if value is None else value)}</td>"
            for aligned, value in zip(right, row, strict=True)
        )
        for row in zip(*columns, strict=True)
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    more = f"<p>… {count - SHOWN:,} more</p>" if count > SHOWN else ""
    return f"<table><tr>{head}</tr>{body}</table>{more}"


def _text(value: object) -> str:
    return escape(visible(str(value)))
