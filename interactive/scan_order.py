"""Bound plans whose scans read columns in the order of the table, and whose keys are in order.

DuckDB numbers the columns of a scan as it meets them while it binds a text. The same query with
the conditions of a USING or NATURAL JOIN in another order has other numbers. Here scans get their
columns in order, and the numbers above them follow.
"""

import json
from typing import Any

Order = list[int]
"""The new number of each column of a node."""
KEEPS = {"LOGICAL_FILTER", "LOGICAL_LIMIT", "LOGICAL_ORDER_BY", "LOGICAL_DISTINCT"}
"""Nodes that have the columns of the node below."""
JOINS = {"LOGICAL_COMPARISON_JOIN", "LOGICAL_ANY_JOIN", "LOGICAL_CROSS_PRODUCT"}
MAKES = {"LOGICAL_PROJECTION"}
"""Nodes with columns of their own."""
CHOOSING = ("projections", "projection_map", "left_projection_map", "right_projection_map")
"""Parts that choose among the columns of the nodes below."""


class Unknown(Exception):
    """A node's columns are not known, so that those beside it cannot be numbered."""


def in_table_order(plan: Any) -> Any:
    """Return a plan with the columns of its scans in order; unchanged if that is not known."""
    copied = json.loads(json.dumps(plan))
    try:
        for node in copied:
            _ordered(node)
    except Unknown:
        return plan
    return copied


def _ordered(node: dict[str, Any]) -> Order | None:
    """Put the scans below a node in order, and return its own; None if nothing is known of it."""
    kind = node.get("type")
    if kind == "LOGICAL_GET" and "column_indexes" in node and not node.get("projection_ids"):
        return _scan(node)
    below = [_ordered(child) for child in node.get("children", [])]
    if kind in JOINS:
        return _join(node, *below)
    if kind == "LOGICAL_AGGREGATE_AND_GROUP_BY" and below[0] is not None:
        _renumber({key: each for key, each in node.items() if key != "children"}, below[0])
        return _groups(node)
    if len(below) != 1 or below[0] is None:
        _check(*below)
        return None
    own = {key: each for key, each in node.items() if key != "children"}
    if kind not in KEEPS | MAKES or any(map(own.get, CHOOSING)):
        _check(*below)
        return None
    _renumber(own, below[0])
    return below[0] if kind in KEEPS else list(range(len(node["expressions"])))


def _check(*orders: Order | None) -> None:
    """Raise Unknown if columns have other numbers than before."""
    if any(order is not None and order != list(range(len(order))) for order in orders):
        raise Unknown


def _groups(node: dict[str, Any]) -> Order | None:
    """Put the keys of a GROUP BY in order, each once: GROUP BY ALL has equal ones several times."""
    keys = node.get("groups", [])
    if node.get("grouping_functions") or node.get("grouping_sets", [[]]) != [[*range(len(keys))]]:
        return None
    texts = [_unplaced(key) for key in keys]
    first = {text: key for text, key in zip(reversed(texts), reversed(keys), strict=True)}
    names = sorted(first)
    node["groups"] = [first[name] for name in names]
    node["grouping_sets"] = [[*range(len(names))]]
    made = [len(names) + at for at, _ in enumerate(node.get("expressions", []))]
    return [*map(names.index, texts), *made]


def _unplaced(part: Any) -> str:
    """Return an expression as text without its place and alias."""
    names = ("alias", "query_location", "query_location_length")
    return (
        json.dumps(part, sort_keys=True, default=str)
        if not isinstance(part, dict)
        else (
            json.dumps(
                {k: _unplaced(each) for k, each in part.items() if k not in names}, sort_keys=True
            )
        )
    )


def _scan(node: dict[str, Any]) -> Order:
    columns = node["column_indexes"]
    places = sorted(range(len(columns)), key=lambda at: json.dumps(columns[at], sort_keys=True))
    node["column_indexes"] = [columns[at] for at in places]
    order = [0] * len(places)
    for new, old in enumerate(places):
        order[old] = new
    return order


def _join(node: dict[str, Any], left: Order | None, right: Order | None) -> Order | None:
    if left is None or right is None or any(map(node.get, CHOOSING)):
        _check(left, right)
        return None
    both = [*left, *(len(left) + at for at in right)]
    for condition in node.get("conditions", []):
        _renumber(condition.get("left"), both)  # a condition on both sides stands here, too
        _renumber(condition.get("right"), right)
    _renumber(node.get("condition"), both)
    kind = node.get("join_type", "INNER")
    if kind == "MARK":  # whether a row has a match
        return [*left, len(left)]
    if kind in ("SEMI", "ANTI"):
        return left
    if kind in ("INNER", "LEFT", "RIGHT", "FULL"):
        return both
    _check(left, right)  # a kind whose columns are not known
    return None


def _renumber(part: Any, order: Order) -> None:
    """Change the numbers of columns in an expression."""
    if isinstance(part, list):
        for each in part:
            _renumber(each, order)
    elif isinstance(part, dict):
        if part.get("type") == "BOUND_REF" and part.get("expression_class") == "BOUND_REF":
            if part.get("index", 0) >= len(order):
                raise Unknown
            part["index"] = order[part.get("index", 0)]
        for key, each in part.items():
            if key != "children" or "expression_class" in part:
                _renumber(each, order)
