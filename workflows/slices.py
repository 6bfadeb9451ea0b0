"""Columns of a table that divide a query into slices, each of which is computed on its own.

A slice has the rows of the table with the same values in these columns. The result of the query is
then the rows of the results of its slices, together. So if some rows of the table change, only the
slices with their values, old and new, have other rows.
"""

from functools import singledispatch

from provhouse.equivalence.plan_form import (
    AggregatedRows,
    ColumnReference,
    Expression,
    Filter,
    Join,
    Operator,
    Project,
    Scan,
    Sort,
    Window,
    operators,
)

from .pins import TablePath

LEFT = frozenset({"INNER", "LEFT", "SEMI", "ANTI", "MARK", "SINGLE"})
"""Joins with rows for each row of the left input, whatever its other rows are."""
RIGHT = frozenset({"INNER", "RIGHT"})
Places = dict[int, str]
"""Columns of an operator that are columns of the table, and divide its rows."""


class NotDivided(Exception):
    """The error for a query that a table's columns do not divide; its text is the reason."""


def slice_columns(root: Operator, table: TablePath) -> Places:
    """Return the columns of a result that divide it, with their names in a table.

    Raises NotDivided if there are none, or if the query is not known to be divided.
    """
    scans = [each for each in operators(root) if isinstance(each, Scan) and each.table == table]
    if len(scans) != 1:
        raise NotDivided(f"the query reads {table[-1]} {len(scans)} times")
    found = _places(root, scans[0])
    if not found:
        raise NotDivided(f"no column of {table[-1]} divides the result")
    return found


def _places(operator: Operator, scan: Scan) -> Places:
    """Return the columns that divide the rows of an operator above a scan."""
    above = [each for each in operator.inputs if scan in operators(each)]
    if not above:
        return {at: name for at, name in enumerate(scan.names) if name}
    return _above(operator, above[0], _places(above[0], scan))


@singledispatch
def _above(operator: Operator, one: Operator, below: Places) -> Places:
    """Return the columns that divide an operator, from those of its input with the table."""
    name = type(operator).__name__.lower()
    raise NotDivided(f"a {name} depends on rows of several slices")


@_above.register(Filter)
@_above.register(Sort)
def _(operator: Operator, one: Operator, below: Places) -> Places:
    return below


@_above.register
def _(operator: Project, one: Operator, below: Places) -> Places:
    return _referred(operator.expressions, below)


@_above.register
def _(operator: Join, one: Operator, below: Places) -> Places:
    left, _ = operator.inputs
    if one == left and operator.kind in LEFT:
        return below
    if one != left and operator.kind in RIGHT:
        return {at + len(left.columns): name for at, name in below.items()}
    raise NotDivided(f"a {operator.kind} join depends on rows of several slices")


@_above.register
def _(operator: AggregatedRows, one: Operator, below: Places) -> Places:
    if operator.sets != (tuple(range(len(operator.groups))),):
        raise NotDivided("grouping sets depend on rows of several slices")
    return _referred(operator.groups, below)


@_above.register
def _(operator: Window, one: Operator, below: Places) -> Places:
    kept = set(below.values())
    for each in operator.functions:
        kept &= set(_referred(each.partitions, below).values())
    return {at: name for at, name in below.items() if name in kept}


def _referred(made: tuple[Expression, ...], below: Places) -> Places:
    """Return the places of expressions that are columns which divide."""
    return {
        at: below[each.position]
        for at, each in enumerate(made)
        if isinstance(each, ColumnReference) and each.position in below
    }
