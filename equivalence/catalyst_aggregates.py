"""Translate Spark's GROUP BY, whose select list may mix groups, aggregates and other functions."""

from collections.abc import Sequence

from .catalyst_expressions import Scope, aggregation, expression, expressions
from .catalyst_functions import EXACT_DIGITS
from .catalyst_node import Node, columns_of, kind_of
from .known_functions import COUNTS, is_decimal
from .node_reader import NotTranslated
from .plan_form import (
    AggregatedRows,
    Aggregation,
    Call,
    Column,
    ColumnReference,
    Expression,
    Operator,
    Project,
)
from .variation import ROUNDING, aggregation_varies, groups_vary, type_of

AGGREGATE = "aggregate.AggregateExpression"
OVERFLOW = "whether a sum overflows depends on the order in which rows are read"


def aggregated(
    groups: Sequence[Node], results: Sequence[Node], scope: Scope, below: Operator, node: Node
) -> Operator:
    """Return an operator that groups rows, below a projection to the columns of Spark's node."""
    made = expressions(groups, scope)
    columns = _columns(made, scope)
    functions: list[Aggregation] = []

    def known(part: Node) -> Expression | None:
        if kind_of(part) == AGGREGATE:
            found = aggregation(part, scope)
            if found not in functions:
                functions.append(found)
                columns.append(Column(found.call.type, found.call.function not in COUNTS))
            return ColumnReference(len(made) + functions.index(found))
        group = _group(part, made, scope)
        return None if group is None else ColumnReference(group)

    above = Scope((), columns, scope.functions, known, scope.varies)
    shown = expressions(results, above)
    varies = [groups_vary([each.type for each in columns[: len(made)]])]
    varies += [function_varies(each, below.columns) for each in functions]
    reason = next(filter(None, [*scope.varies, *varies]), "")
    sets = (tuple(range(len(made))),)
    rows = AggregatedRows((below,), tuple(columns), reason, made, sets, tuple(functions), ())
    return Project((rows,), columns_of(node["output"]), "", shown)


def function_varies(made: Aggregation, columns: Sequence[Column]) -> str:
    """Return the reason why an aggregate's value may differ between runs; empty if it cannot."""
    return aggregation_varies(made, columns) or sum_varies(made.call, columns)


def sum_varies(made: Call, columns: Sequence[Column]) -> str:
    """Return the reason why a sum of exact values may differ between runs in Spark, or ''.

    Spark computes an average of integers as a sum of doubles. If an overflow results in NULL
    instead of an error, the occurrence of the overflow may depend on the order of the rows.
    """
    if made.function not in ("sum", "avg"):
        return ""
    type_ = type_of(made.arguments[0], columns)
    if made.function == "avg" and not is_decimal(type_):
        return ROUNDING
    options = str(made.options)
    long = is_decimal(type_) and int(type_[8:].split(",")[0]) > EXACT_DIGITS
    return OVERFLOW if '"TRY"' in options or (long and '"ANSI"' not in options) else ""


def _group(part: Node, made: Sequence[Expression], scope: Scope) -> int | None:
    """Return the position of the group that equals a part of the select list, or None."""
    try:
        found = expression(part, scope)
    except NotTranslated:  # it contains an aggregate
        return None
    return made.index(found) if found in made else None


def _columns(made: Sequence[Expression], scope: Scope) -> list[Column]:
    return [
        scope.columns[each.position]
        if isinstance(each, ColumnReference)
        else Column(each.type, True)
        for each in made
    ]
