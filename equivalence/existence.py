"""Recognise that only the existence of rows is read, as by EXISTS without correlation.

DuckDB plans such an EXISTS as ``count(*) = 1`` over a LIMIT 1. Any row may be the first one, but
the count does not depend on it.
"""

from collections.abc import Sequence

from .plan_form import AggregatedRows, Aggregation, Column, Constant, Limit, Operator

TRUE = Constant("BOOLEAN", '{"is_null":false,"type":{"id":"BOOLEAN"},"value":true}')


def is_count_of_rows(functions: Sequence[Aggregation]) -> bool:
    """Return whether the only function is ``count(*)`` of all rows."""
    return len(functions) == 1 and (
        functions[0].call.function == "count_star"
        and not functions[0].distinct
        and functions[0].condition is None
    )


def existence(counted: Operator) -> Operator:
    """Return an operator with as many rows as ``counted``, of which only the number is read.

    In place of the first of several rows, it has the group of all rows.
    """
    if not isinstance(counted, Limit) or (counted.count, counted.offset) != (1, 0):
        return counted
    columns = (Column(TRUE.type, False),)
    return AggregatedRows(counted.inputs, columns, "", (TRUE,), ((0,),), (), ())
