"""The rows that determine an incremental model's watermark, such as ``max(updated_at)``.

``where day > (select max(day) from {{ this }})`` reads all rows that the table had before the run,
but a single row with the largest day determines the value.
"""

from typing import Any

import sqlglot
from sqlglot import exp

from provhouse.sql.catalog import TablePlace

_BESIDE = ("joins", "group", "having", "qualify", "distinct", "limit", "offset", "windows", "with_")


def watermark_rows(text: str, table: TablePlace) -> str | None:
    """Return a query for row ids of ``table``: rows that suffice to compute the query ``text``.

    Returns None unless the query reads the table only for largest and smallest values, each in its
    own subquery.
    """
    root = sqlglot.parse_one(text, dialect="duckdb")
    found: list[str] = []
    for each in root.find_all(exp.Table):
        if (each.catalog, each.db, each.name) != tuple(table):
            continue
        select = each.find_ancestor(exp.Select)
        if select is None or not _is_watermark(select, each):
            return None
        found += [_row(select, call) for call in select.find_all(exp.Max, exp.Min)]
    return " union ".join(f"({each})" for each in found) or None


def _is_watermark(select: Any, table: Any) -> bool:
    """Return whether a subquery reads only ``table`` and returns only its extreme values."""
    source = select.args.get("from_")
    if source is None or source.this is not table or any(map(select.args.get, _BESIDE)):
        return False
    if not isinstance(select.parent, exp.Subquery) or isinstance(select.parent.parent, exp.From):
        return False
    if len(list(select.find_all(exp.Select))) > 1 or not select.find(exp.Max, exp.Min):
        return False
    columns = [column for each in select.expressions for column in each.find_all(exp.Column)]
    calls = [call for each in select.expressions for call in each.find_all(exp.AggFunc)]
    return all(column.find_ancestor(exp.Max, exp.Min) for column in columns) and all(
        isinstance(call, exp.Max | exp.Min) and not call.expressions for call in calls
    )


def _row(select: Any, call: Any) -> str:
    """Return a query for the id of one row that has the extreme value."""
    order = "desc" if isinstance(call, exp.Max) else "asc"
    where = select.args.get("where")
    condition = where.sql("duckdb") if where else ""
    source, value = select.args["from_"].sql("duckdb"), call.this.sql("duckdb")
    return f"select rowid {source} {condition} order by {value} {order} nulls last limit 1"
