"""Recognise how DuckDB plans a scalar subquery that reads nothing of the outer query.

Such a subquery is a projection ``CASE WHEN count(*) > 1 THEN error(...) ELSE first(value) END``. It
is recognised only if it has exactly these parts.
"""

from typing import Any

from .node_reader import SPELLING

Node = dict[str, Any]
NUMBERS = SPELLING | {"group_index", "aggregate_index", "groupings_index"}
MESSAGE = "More than one row returned by a subquery used as an expression"
COUNTED = {"id": "BIGINT"}


def scalar_subquery(node: Node) -> tuple[Node, Node] | None:
    """Return the plan of the subquery and the expression of its value, or None."""
    try:
        (groups,) = node["children"]
        (query,) = groups["children"]
        first, _ = groups["expressions"]
        (value,) = first["children"]
        type_ = first["return_type"]
        given = value.get("return_type", type_)
        case = node["expressions"][0]
        message = case["case_checks"][0]["then_expr"]["children"][0]["value"]["value"]
    except (KeyError, IndexError, ValueError, TypeError, AttributeError):
        return None
    expected = _projection([_aggregates([_first(value, type_, given)], query)], type_, message)
    recognised = _bare(node) == _bare(expected) and str(message).startswith(MESSAGE)
    return (query, value) if recognised else None


def _bare(part: Any) -> Any:
    """Return a part of a plan without positions in the text and numbers that DuckDB assigns."""
    if isinstance(part, dict):
        return {key: _bare(each) for key, each in part.items() if key not in NUMBERS}
    return [_bare(each) for each in part] if isinstance(part, list) else part


def _projection(children: list[Node], type_: Node, message: str) -> Node:
    count = {**_reference(COUNTED), "index": 1}
    several = {
        **_function("COMPARE_GREATERTHAN", {"id": "BOOLEAN"}, [">"]),
        "children": [count, _constant(COUNTED, 1)],
        "arguments": [{"id": "ANY"}, {"id": "ANY"}],
    }
    error = {
        **_function("BOUND_FUNCTION", type_, ["system", "main", "error"]),
        "children": [_constant({"id": "VARCHAR"}, message)],
        "arguments": [{"id": "VARCHAR"}],
    }
    case = {
        "expression_class": "BOUND_CASE",
        "type": "CASE_EXPR",
        "return_type": type_,
        "case_checks": [{"when_expr": several, "then_expr": error}],
        "else_expr": _reference(type_),
    }
    return {"type": "LOGICAL_PROJECTION", "children": children, "expressions": [case]}


def _aggregates(functions: list[Node], query: Node) -> Node:
    return {
        "type": "LOGICAL_AGGREGATE_AND_GROUP_BY",
        "children": [query],
        "expressions": [*functions, _aggregate("count_star", COUNTED, [], [])],
    }


def _first(value: Node, type_: Node, given: Node) -> Node:
    return _aggregate("first", type_, [value], [given])


def _aggregate(name: str, type_: Node, children: list[Node], arguments: list[Node]) -> Node:
    return {
        "expression_class": "BOUND_AGGREGATE",
        "type": "BOUND_AGGREGATE",
        "return_type": type_,
        "children": children,
        "arguments": arguments,
        "qname": {"path": ["system", "main", name]},
        "aggregate_type": "NON_DISTINCT",
    }


def _function(kind: str, type_: Node, path: list[str]) -> Node:
    return {
        "expression_class": "BOUND_FUNCTION",
        "type": kind,
        "return_type": type_,
        "qname": {"path": path},
    }


def _reference(type_: Node) -> Node:
    return {"expression_class": "BOUND_REF", "type": "BOUND_REF", "return_type": type_}


def _constant(type_: Node, value: Any) -> Node:
    return {
        "expression_class": "BOUND_CONSTANT",
        "type": "VALUE_CONSTANT",
        "value": {"type": type_, "is_null": False, "value": value},
    }
