"""Decide whether an operator returns the same rows in each run.

The rows may differ if rows tie, or if the order in which inexact numbers are read matters.
"""

from collections.abc import Sequence

from .identified_rows import has_identical_values, is_same_row
from .known_functions import COUNTS, PLACES, RANKS, is_exact
from .plan_form import (
    AggregatedRows,
    Aggregation,
    Column,
    ColumnReference,
    Constant,
    Expression,
    Filter,
    Limit,
    Operator,
    Project,
    Scan,
    Sort,
    SortKey,
    Window,
    WindowCall,
)

TIES = "rows that tie may come in any order"
ROUNDING = "the result depends on the order in which inexact values are read"


def limit_varies(below: Operator, count: int | None) -> str:
    """Return why the first ``count`` rows may differ between runs; empty if they cannot."""
    if count == 0:
        return ""
    if isinstance(below, Project) and all(isinstance(e, Constant) for e in below.expressions):
        return ""
    order, kept = _order(below)
    if _is_total(kept, order, below.columns):
        return ""
    in_order = isinstance(below, Project) and isinstance(below.inputs[0], Sort | Project)
    return limit_varies(below.inputs[0], count) if in_order else TIES


def groups_vary(types: Sequence[str]) -> str:
    """Return why group values may differ between runs; empty if they cannot.

    They may differ if equal values of a type need not be identical.
    """
    return "" if all(map(is_exact, types)) else ROUNDING


def aggregation_varies(made: Aggregation, columns: Sequence[Column]) -> str:
    """Return the reason why an aggregate's value may differ between runs; empty if it cannot."""
    inexact = [each for each in made.call.arguments if not is_exact(type_of(each, columns))]
    return ROUNDING if inexact and (made.call.function not in COUNTS) else ""


def window_varies(made: WindowCall, below: Operator) -> str:
    """Return why a window function's value may differ between runs; empty if it cannot."""
    columns, order = below.columns, [key.expression for key in made.order]
    listed = [*made.partitions, *order]
    name, frame = made.call.function, dict(made.frame)
    if groups_vary([type_of(each, columns) for each in made.partitions]):
        return ROUNDING
    if name in RANKS:  # equal values have equal ranks, whether or not they are identical
        return ""
    if groups_vary([type_of(each, columns) for each in order]):
        return ROUNDING
    at = frozenset(each.position for each in listed if isinstance(each, ColumnReference))
    total = is_same_row(below, at)
    if name in PLACES or "ROWS" in frame["start"] + frame["end"]:
        return "" if total else TIES
    if frame["exclude_clause"] != '"NO_OTHER"' and not total:
        return TIES
    return aggregation_varies(Aggregation(made.call, False, None, ()), columns)


def type_of(made: Expression, columns: Sequence[Column]) -> str:
    """Return the type of an expression."""
    return columns[made.position].type if isinstance(made, ColumnReference) else made.type


def unique_keys(below: Operator) -> list[frozenset[int]]:
    """Return sets of columns in which no two rows have the same values, including NULLs."""
    if isinstance(below, Scan):
        if below.unique and set(below.unique) <= set(below.names):
            return [frozenset(map(below.names.index, below.unique))]
        return []
    if isinstance(below, Filter | Sort | Limit | Window):
        return unique_keys(below.inputs[0])
    if isinstance(below, AggregatedRows) and len(below.sets) == 1:
        return [frozenset(range(len(below.groups)))]
    if isinstance(below, Project):
        return _projected_keys(below)
    return []


def _projected_keys(below: Project) -> list[frozenset[int]]:
    places = {
        each.position: at
        for at, each in enumerate(below.expressions)
        if isinstance(each, ColumnReference)
    }
    keys = unique_keys(below.inputs[0])
    return [frozenset(places[at] for at in key) for key in keys if key <= places.keys()]


def _order(below: Operator) -> tuple[tuple[SortKey, ...], Operator]:
    """Return the order of an operator's rows, and the operator whose rows are in this order."""
    if isinstance(below, Sort):
        return below.order, below.inputs[0]
    return (), below


def _is_total(ordered: Operator, order: Sequence[SortKey], columns: Sequence[Column]) -> bool:
    """Return whether tied rows are identical.

    Two rows that tie are identical in each column of the order whose equal values are identical.
    """
    read = {key.expression.position for key in order if isinstance(key.expression, ColumnReference)}
    at = frozenset(each for each in read if has_identical_values(ordered, each))
    if at >= set(range(len(columns))):
        return bool(columns)
    return is_same_row(ordered, at)
