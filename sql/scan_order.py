"""Bring the scan columns and GROUP BY keys of bound plans into a standard order.

DuckDB numbers the columns of a scan in the order of their use in the SQL text. If the conditions of
a USING or NATURAL JOIN are in another order, the same query has other numbers. This module sorts
the columns of scans, and changes the numbers in the nodes above accordingly.
"""

import json
from typing import Any

Order = list[int]
"""The new number of each column of a plan node, by its old number."""
KEEPS = {"LOGICAL_FILTER", "LOGICAL_LIMIT", "LOGICAL_ORDER_BY", "LOGICAL_DISTINCT"}
"""Node types that have the same columns as the node below."""
JOINS = {"LOGICAL_COMPARISON_JOIN", "LOGICAL_ANY_JOIN", "LOGICAL_CROSS_PRODUCT"}
MAKES = {"LOGICAL_PROJECTION"}
"""Node types with new columns of their own."""
ADDS = {"LOGICAL_WINDOW", "LOGICAL_UNNEST"}
"""Node types with the columns of the node below, followed by columns of their own."""
LEAVES = {"LOGICAL_CTE_REF": "chunk_types", "LOGICAL_EXPRESSION_GET": "expr_types"}
"""Node types whose columns are listed in one of their fields, by that field."""
CHOOSING = ("projections", "projection_map", "left_projection_map", "right_projection_map")
"""Fields that select columns of the nodes below."""
PLACES = {"alias", "query_location", "query_location_length"}


class Unknown(Exception):
    """The error for a plan that has a node with unknown columns, so no column may be renumbered."""


def in_table_order(plan: Any) -> Any:
    """Return a plan with sorted scan columns; return it unchanged if a node type is not known."""
    copied = json.loads(json.dumps(plan))
    try:
        for node in copied:
            _ordered(node)
    except Unknown:
        return plan
    return copied


def _ordered(node: dict[str, Any]) -> Order | None:
    """Sort the scan columns below a node, and return the node's order, or None if it is unknown."""
    kind = node.get("type")
    if kind == "LOGICAL_GET" and "column_indexes" in node and not node.get("projection_ids"):
        return _scan(node)
    below = [_ordered(child) for child in node.get("children", [])]
    if kind in LEAVES:
        _check(*below)
        return list(range(len(node[LEAVES[kind]])))
    if kind == "LOGICAL_MATERIALIZED_CTE":
        _check(below[0])
        return below[1]
    if kind in JOINS:
        return _join(node, *below)
    if kind == "LOGICAL_AGGREGATE_AND_GROUP_BY" and below[0] is not None:
        renumber({key: each for key, each in node.items() if key != "children"}, below[0])
        return _groups(node)
    if len(below) != 1 or below[0] is None:
        _check(*below)
        return None
    own = {key: each for key, each in node.items() if key != "children"}
    if kind not in KEEPS | MAKES | ADDS or any(map(own.get, CHOOSING)):
        _check(*below)
        return None
    renumber(own, below[0])
    made = range(0 if kind in KEEPS else len(node["expressions"]))
    return list(made) if kind in MAKES else [*below[0], *(len(below[0]) + at for at in made)]


def _check(*orders: Order | None) -> None:
    """Raise Unknown if any column would get a new number."""
    if any(order is not None and order != list(range(len(order))) for order in orders):
        raise Unknown


def _groups(node: dict[str, Any]) -> Order | None:
    """Sort the keys of a GROUP BY and remove duplicates, which GROUP BY ALL may contain."""
    keys = node.get("groups", [])
    if node.get("grouping_functions") or node.get("grouping_sets", [[]]) != [[*range(len(keys))]]:
        return None
    texts = [json.dumps(_unplaced(key), sort_keys=True) for key in keys]
    by_text = dict(zip(texts, keys, strict=True))
    names = sorted(by_text)
    node["groups"] = [by_text[name] for name in names]
    node["grouping_sets"] = [[*range(len(names))]]
    made = [len(names) + at for at, _ in enumerate(node.get("expressions", []))]
    return [*map(names.index, texts), *made]


def _unplaced(part: Any) -> Any:
    """Return an expression without aliases and without its positions in the SQL text."""
    if isinstance(part, list):
        return [_unplaced(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {key: _unplaced(each) for key, each in part.items() if key not in PLACES}


def _scan(node: dict[str, Any]) -> Order:
    columns = node["column_indexes"]
    places = sorted(range(len(columns)), key=lambda at: json.dumps(columns[at], sort_keys=True))
    node["column_indexes"] = [columns[at] for at in places]
    order = [0] * len(places)
    for new, old in enumerate(places):
        order[old] = new
    return order


def _join(node: dict[str, Any], left: Order | None, right: Order | None) -> Order | None:
    if left is None or right is None:
        _check(left, right)
        return None
    both = [*left, *(len(left) + at for at in right)]
    for condition in node.get("conditions", []):
        renumber(condition.get("left"), both)  # ``left`` may also have a condition on both sides
        renumber(condition.get("right"), right)
    renumber(node.get("condition"), both)
    left, right = _chosen(node, "left", left), _chosen(node, "right", right)
    both = [*left, *(len(left) + at for at in right)]
    kind = node.get("join_type", "INNER")
    if kind == "MARK":  # adds a column: whether a row has a match
        return [*left, len(left)]
    if kind in ("SEMI", "ANTI"):
        return left
    if kind in ("INNER", "LEFT", "RIGHT", "FULL"):
        return both
    _check(left, right)  # a kind whose columns are not known
    return None


def _chosen(node: dict[str, Any], side: str, order: Order) -> Order:
    """Return the order of the columns that a join keeps from one of its sides."""
    if not (kept := node.get(f"{side}_projection_map")):
        return order
    node[f"{side}_projection_map"] = [order[at] for at in kept]
    return list(range(len(kept)))


def renumber(part: Any, order: Order) -> None:
    """Change the numbers of columns in an expression."""
    if isinstance(part, list):
        for each in part:
            renumber(each, order)
    elif isinstance(part, dict):
        if part.get("type") == "BOUND_REF" and part.get("expression_class") == "BOUND_REF":
            if part.get("index", 0) >= len(order):
                raise Unknown
            part["index"] = order[part.get("index", 0)]
        for key, each in part.items():
            if key != "children" or "expression_class" in part:
                renumber(each, order)
