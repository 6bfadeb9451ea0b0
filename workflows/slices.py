"""Columns of a table that divide a query into slices that can be computed separately.

A slice consists of the rows of the table that have the same values in these columns. The result of
the query is then the union of the results of its slices. So if some rows of the table change, only
the results of the slices with the old and new values of these rows change.
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

from .pinned_inputs import TablePath

LEFT = frozenset({"INNER", "LEFT", "SEMI", "ANTI", "MARK", "SINGLE"})
"""Joins that process each row of the left input independently of its other rows."""
RIGHT = frozenset({"INNER", "RIGHT"})
Places = dict[int, str]
"""An operator's columns that are columns of the table and divide the operator's rows."""


class NotDivided(Exception):
    """Raised for a query that no columns of the table divide. The message is the reason."""


def slice_columns(root: Operator, table: TablePath) -> Places:
    """Return the columns that divide a result, and their names in the table.

    Raises NotDivided if there are none, or if it is unknown whether they divide the query.
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
    """Return the columns that divide an operator, given those that divide its input."""
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
    """Return the positions of the expressions that are dividing columns."""
    return {
        at: below[each.position]
        for at, each in enumerate(made)
        if isinstance(each, ColumnReference) and each.position in below
    }
