"""A plan form common to all engines: operators, expressions and columns by position.

The vocabulary is closed. An operator that an adapter cannot translate with certainty becomes an
``Opaque`` operator with the reason. A reference is a position among the columns of all inputs of
its operator, counted from the left. A type is a string in the notation of the engine, with all its
parameters.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

Options = tuple[tuple[str, str], ...]
"""The names and values of all other properties that affect a result, sorted by name."""


@dataclass(frozen=True)
class Column:
    """A column of an operator's rows."""

    type: str
    nullable: bool


@dataclass(frozen=True)
class ColumnReference:
    """The column at a position among the columns of all inputs."""

    position: int


@dataclass(frozen=True)
class Constant:
    """A value in the notation of the engine."""

    type: str
    value: str


@dataclass(frozen=True)
class Call:
    """A call of a function, an operator such as ``<``, a cast or a CASE."""

    function: str
    type: str
    arguments: tuple["Expression", ...]
    options: Options = ()


Expression = ColumnReference | Constant | Call


@dataclass(frozen=True)
class SortKey:
    """One expression of an ORDER BY."""

    expression: Expression
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Aggregation:
    """A call of an aggregate."""

    call: Call
    distinct: bool
    condition: Expression | None
    order: tuple[SortKey, ...]


@dataclass(frozen=True)
class WindowCall:
    """A call of a window function."""

    call: Call
    partitions: tuple[Expression, ...]
    order: tuple[SortKey, ...]
    frame: Options
    bounds: tuple[Expression | None, ...]
    """The start and end of the frame, and the offset and default of LAG and LEAD."""
    distinct: bool
    condition: Expression | None


@dataclass(frozen=True)
class Operator:
    """The base of all operators."""

    inputs: tuple["Operator", ...]
    columns: tuple[Column, ...]
    varies: str
    """The reason why two runs on the same data may return different rows; empty if they cannot."""


@dataclass(frozen=True)
class Scan(Operator):
    """The rows of a table."""

    table: tuple[str, ...]
    """The full name of the table, or the paths of files."""
    names: tuple[str, ...]
    """The names, in the table, of the columns that are read."""
    unique: tuple[str, ...]
    """The columns of the primary key; empty if there is none."""
    reading: tuple[str, ...] = ()
    """The format, options and version with which the rows are read, in the engine's notation."""


@dataclass(frozen=True)
class Values(Operator):
    """Rows that the query text contains."""

    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True)
class Filter(Operator):
    """The rows for which all conditions are true."""

    conditions: tuple[Expression, ...]


@dataclass(frozen=True)
class Project(Operator):
    """One row for each input row, with other columns."""

    expressions: tuple[Expression, ...]


@dataclass(frozen=True)
class Join(Operator):
    """Pairs of rows for which all conditions are true."""

    kind: str
    """INNER, LEFT, RIGHT, FULL, SEMI, ANTI, MARK or SINGLE, as DuckDB names them."""
    conditions: tuple[Expression, ...]
    correlated: tuple[str, ...]
    """The types of the outer values that a correlated subquery uses in its first conditions."""


@dataclass(frozen=True)
class AggregatedRows(Operator):
    """One row per group: columns of the groups, then of the functions, then of GROUPING."""

    groups: tuple[Expression, ...]
    sets: tuple[tuple[int, ...], ...]
    functions: tuple[Aggregation, ...]
    grouping: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Window(Operator):
    """The columns of the input, and one column for each function."""

    functions: tuple[WindowCall, ...]


@dataclass(frozen=True)
class Sort(Operator):
    """The rows of the input in a specified order."""

    order: tuple[SortKey, ...]


@dataclass(frozen=True)
class Limit(Operator):
    """The first rows of the input."""

    count: int | None
    offset: int


@dataclass(frozen=True)
class Union(Operator):
    """The rows of all inputs; a distinct union has an ``AggregatedRows`` above it."""


@dataclass(frozen=True)
class Except(Operator):
    """The rows of the left input that are not in the right input."""

    all: bool


@dataclass(frozen=True)
class Intersect(Operator):
    """The rows of the left input that are also in the right input."""

    all: bool


@dataclass(frozen=True)
class Generate(Operator):
    """The columns of the input, and the elements of lists, with one row per element."""

    lists: tuple[Expression, ...]


@dataclass(frozen=True)
class Opaque(Operator):
    """An operator that the adapter does not translate."""

    reason: str
    digest: str
    """A hash of the engine's complete description of the operator."""


@dataclass(frozen=True)
class PlanForm:
    """The plan of one query, with everything that determines its result except the data."""

    engine: str
    version: str
    settings: Options
    names: tuple[str, ...]
    root: Operator


def operators(root: Operator) -> tuple[Operator, ...]:
    """Return the operators of a plan; the operators of an operator's inputs come before it."""
    below = [each for child in root.inputs for each in operators(child)]
    return (*below, root)


def expressions(operator: Operator) -> Iterator[Expression]:
    """Yield the expressions of an operator, without nested expressions."""
    waiting: list[Any] = [
        getattr(operator, each.name)
        for each in fields(operator)
        if each.name not in ("inputs", "columns")
    ]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ColumnReference | Constant | Call):
            yield part
        elif isinstance(part, tuple):
            waiting += part
        elif is_dataclass(part):
            waiting += [getattr(part, each.name) for each in fields(part)]


def doubts(plan: PlanForm) -> list[str]:
    """Return the distinct reasons why the plan form and the data do not determine the result."""
    found = [
        each.reason if isinstance(each, Opaque) else each.varies for each in operators(plan.root)
    ]
    return list(dict.fromkeys(reason for reason in found if reason))
