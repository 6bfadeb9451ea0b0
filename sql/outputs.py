"""The names and types of a result's columns, read from the SQL text and its bound plan.

DuckDB also returns them, but would have to bind the text again. This module can determine the names
and types if each name has only one possible spelling, and no type has components.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from sqlglot import exp

from .bound import Bound
from .catalog import Catalog

Output = tuple[str, str]
"""The name and the type of a column."""
NAME = re.compile("[a-z_][a-z0-9_]*")
PASS = {"LOGICAL_ORDER_BY", "LOGICAL_LIMIT", "LOGICAL_DISTINCT", "LOGICAL_MATERIALIZED_CTE"}
"""Plan nodes whose columns are the columns of the last node below."""
WHOLE = {
    "BIGINT", "BOOLEAN", "DATE", "DOUBLE", "FLOAT", "HUGEINT", "INTEGER", "SMALLINT", "TIME",
    "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TINYINT", "UBIGINT", "UINTEGER", "VARCHAR",
}  # fmt: skip


def listed(tree: exp.Expr, nodes: Iterable[exp.Expr], catalog: Catalog) -> list[str]:
    """Return the names of a query's columns; an empty list if they are not certain.

    DuckDB spells a column name as it was declared. A name is therefore certain if it is in lower
    case wherever it occurs in the query and its tables.
    """
    if not isinstance(tree, exp.Select):
        return []
    names = []
    columns = set()
    for each in tree.expressions:
        if not isinstance(each, (exp.Alias, exp.Column)) or not NAME.fullmatch(each.alias_or_name):
            return []
        names.append(each.alias_or_name)
        if isinstance(each, exp.Column):
            columns.add(each.name)
    return [] if columns and _spelled_otherwise(columns, nodes, catalog) else names


def _spelled_otherwise(columns: set[str], nodes: Iterable[exp.Expr], catalog: Catalog) -> bool:
    for node in nodes:
        if isinstance(node, exp.Identifier):
            found: Iterable[str] = [node.name]
        elif isinstance(node, exp.Table) and (relation := catalog.find(node)):
            found = relation.columns
        else:
            continue
        if any(name not in columns and name.lower() in columns for name in found):
            return True
    return False


def outputs(names: list[str], plan: Bound) -> list[Output] | None:
    """Return the names and types of a result's columns, or None if the plan does not show them."""
    (node,) = json.loads(plan.text)["plans"]
    while node["type"] in PASS:
        node = node["children"][-1]
    found = node.get("expressions", [])
    if node["type"] != "LOGICAL_PROJECTION" or len(found) != len(names):
        return None
    kinds = [_kind(each) for each in found]
    if not all(kinds) or any(
        each.get("alias", name) != name for each, name in zip(found, names, strict=True)
    ):
        return None
    return list(zip(names, kinds, strict=True))


def _kind(expression: dict[str, Any]) -> str:
    """Return the type of an expression as DuckDB writes it; empty for a type with components."""
    kind = expression.get("return_type") or expression.get("value", {}).get("type", {})
    name, info = kind.get("id", ""), kind.get("type_info")
    if name == "DECIMAL" and info and "width" in info:
        return f"DECIMAL({info['width']},{info.get('scale', 0)})"
    return name if name in WHOLE and not info else ""
