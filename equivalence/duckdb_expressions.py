"""Translate the expressions of DuckDB's bound plans."""

from collections.abc import Mapping, Sequence
from typing import Any

from .known_functions import (
    AGGREGATES,
    COMPARISONS,
    CONSTANTS,
    COUNTS,
    OPERATORS,
    PLACES,
    RANKS,
    SCALAR,
    is_decimal,
)
from .node_reader import NodeReader, NotTranslated, canonical, path_of, type_text
from .plan_form import (
    Aggregation,
    Call,
    Column,
    ColumnReference,
    Constant,
    Expression,
    SortKey,
    WindowCall,
)

ROW_ID = Column("ROW ID", False)
"""DuckDB's column of row numbers. A scan also reads it if a query needs no column, only a count."""
BOOLEAN = "BOOLEAN"
Node = dict[str, Any]


def expression(node: Node, columns: Sequence[Column]) -> Expression:
    """Return an expression over the given columns. Raises NotTranslated if a part is not known."""
    with NodeReader(node) as part:
        kind = str(part.take("expression_class"))
        part.expect(type=TYPES.get(kind, part.kind))
        if kind not in TRANSLATED:
            raise NotTranslated(f"{kind} {part.kind}")
        made: Expression = TRANSLATED[kind](part, columns)
        return made


def expressions(nodes: Sequence[Node], columns: Sequence[Column]) -> tuple[Expression, ...]:
    """Return several expressions over the given columns."""
    return tuple(expression(node, columns) for node in nodes)


def column_of(made: Expression, columns: Sequence[Column]) -> Column:
    """Return the type and nullability of an expression."""
    if isinstance(made, ColumnReference):
        return columns[made.position]
    if isinstance(made, Constant):
        return Column(made.type, '"is_null":true' in made.value)
    return Column(made.type, made.function not in COUNTS)


def sort_keys(nodes: Sequence[Node], columns: Sequence[Column]) -> tuple[SortKey, ...]:
    """Return the keys of an ORDER BY."""
    return tuple(_sort_key(node, columns) for node in nodes)


def aggregation(node: Node, columns: Sequence[Column]) -> Aggregation:
    """Return a call of an aggregate."""
    with NodeReader(node) as part:
        part.expect(expression_class="BOUND_AGGREGATE", type="BOUND_AGGREGATE")
        condition = _optional(part.take("filter"), columns)
        order = part.take("order_bys", {"orders": []})
        kind = part.take("aggregate_type", "NON_DISTINCT")
        if kind not in ("DISTINCT", "NON_DISTINCT") or set(order) != {"orders"}:
            raise NotTranslated(f"an aggregate that is {kind}")
        call = _aggregate_call(part, columns)
        return Aggregation(call, kind == "DISTINCT", condition, sort_keys(order["orders"], columns))


def window_call(node: Node, columns: Sequence[Column]) -> WindowCall:
    """Return a call of a window function."""
    with NodeReader(node) as part:
        part.expect(expression_class="BOUND_WINDOW", arg_orders=[], type=part.kind)
        partitions = expressions(part.take("partitions", []), columns)
        order = sort_keys(part.take("orders", []), columns)
        names = ("start", "end", "exclude_clause", "ignore_nulls")
        frame = tuple((name, canonical(part.take(name))) for name in names)
        places = ("start_expr", "end_expr", "offset_expr", "default_expr")
        bounds = tuple(_optional(part.take(name), columns) for name in places)
        distinct = bool(part.take("distinct", False))
        condition = _optional(part.take("filters"), columns)
        call = _window_function(part, columns)
        return WindowCall(call, partitions, order, frame, bounds, distinct, condition)


def _optional(node: Node | None, columns: Sequence[Column]) -> Expression | None:
    return None if node is None else expression(node, columns)


def _sort_key(node: Node, columns: Sequence[Column]) -> SortKey:
    kind, nulls = node.get("type"), node.get("null_order")
    with NodeReader(node) as part:
        part.skip("type", "null_order")
        if kind not in ("ASCENDING", "DESCENDING") or nulls not in ("NULLS FIRST", "NULLS LAST"):
            raise NotTranslated(f"an order that is {kind} {nulls}")
        made = expression(part.take("expression"), columns)
        return SortKey(made, kind == "DESCENDING", nulls == "NULLS FIRST")


def _reference(part: NodeReader, columns: Sequence[Column]) -> Expression:
    at, type_ = part.take("index", 0), type_text(part.take("return_type"))
    part.expect(depth=0)
    if at >= len(columns) or columns[at] == ROW_ID:
        raise NotTranslated("a row's number")
    if columns[at].type != type_:
        raise NotTranslated(f"a column that is {columns[at].type} and {type_}")
    return ColumnReference(at)


def _constant(part: NodeReader, columns: Sequence[Column]) -> Expression:
    value = part.take("value")
    type_ = type_text(value["type"])
    if type_ not in CONSTANTS and not is_decimal(type_):
        raise NotTranslated(f"a constant of the type {type_}")
    return Constant(type_, canonical(value))


def _conjunction(part: NodeReader, columns: Sequence[Column]) -> Expression:
    if part.kind not in ("CONJUNCTION_AND", "CONJUNCTION_OR"):
        raise NotTranslated(part.kind)
    return Call(part.kind, BOOLEAN, expressions(part.take("children"), columns))


def _operator(part: NodeReader, columns: Sequence[Column]) -> Expression:
    if part.kind not in OPERATORS:
        raise NotTranslated(part.kind)
    made = expressions(part.take("children"), columns)
    return Call(part.kind, type_text(part.take("return_type")), made)


def _case(part: NodeReader, columns: Sequence[Column]) -> Expression:
    made: list[Expression] = []
    for check in part.take("case_checks"):
        with NodeReader(check) as one:
            made.append(expression(one.take("when_expr"), columns))
            made.append(expression(one.take("then_expr"), columns))
    made.append(expression(part.take("else_expr"), columns))
    return Call("CASE", type_text(part.take("return_type")), tuple(made))


def _function(part: NodeReader, columns: Sequence[Column]) -> Expression:
    name, options = _called(part)
    made = expressions(part.take("children", []), columns)
    type_ = type_text(part.take("return_type"))
    if part.kind == "BOUND_FUNCTION":
        _check_listed(name, SCALAR, "function")
        return Call(name[-1], type_, made, options)
    if part.kind in COMPARISONS:
        return Call(part.kind, type_, made, options)
    if part.kind == "OPERATOR_CAST":
        return Call("CAST", type_, made, options)
    raise NotTranslated(part.kind)


def _called(part: NodeReader) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    """Return a function's path, and the options that determine its overload and behavior."""
    name = path_of(part.take("qname"))
    data = part.take("function_data")
    for type_ in (arguments := part.take("arguments", [])):
        type_text(type_)
    options = [("arguments", arguments), ("data", data), ("path", name)]
    return name, tuple((key, canonical(value)) for key, value in options)


def _check_listed(path: list[str], listed: frozenset[str], what: str) -> None:
    if path[:-1] != ["system", "main"] or path[-1] not in listed:
        raise NotTranslated(f"the {what} {path[-1]}")


def _aggregate_call(part: NodeReader, columns: Sequence[Column]) -> Call:
    name, options = _called(part)
    _check_listed(name, AGGREGATES, "aggregate")
    made = expressions(part.take("children", []), columns)
    return Call(name[-1], type_text(part.take("return_type")), made, options)


def _window_function(part: NodeReader, columns: Sequence[Column]) -> Call:
    if part.kind == "WINDOW_AGGREGATE":
        return _aggregate_call(part, columns)
    if part.kind not in RANKS | PLACES:
        raise NotTranslated(part.kind)
    made = expressions(part.take("children", []), columns)
    return Call(part.kind, type_text(part.take("return_type")), made)


TYPES = {"BOUND_REF": "BOUND_REF", "BOUND_CONSTANT": "VALUE_CONSTANT", "BOUND_CASE": "CASE_EXPR"}
"""The only type that each of these classes of expressions has."""
TRANSLATED: Mapping[str, Any] = {
    "BOUND_REF": _reference,
    "BOUND_CONSTANT": _constant,
    "BOUND_CONJUNCTION": _conjunction,
    "BOUND_OPERATOR": _operator,
    "BOUND_CASE": _case,
    "BOUND_FUNCTION": _function,
}
