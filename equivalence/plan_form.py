"""One form of a plan, whatever engine runs it: operators, expressions and columns by position.

The vocabulary is closed. What an adapter cannot translate for certain is an ``Opaque`` operator
with the reason. A reference is a position among the columns of all inputs of its operator, from the
left. A type is a text in the notation of the engine, with all its parameters.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

Options = tuple[tuple[str, str], ...]
"""Names and values of what else determines a result, in the order of the names."""


@dataclass(frozen=True)
class Column:
    """A column of an operator's rows."""

    type: str
    nullable: bool


@dataclass(frozen=True)
class ColumnReference:
    """The column of the inputs at a position."""

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
    """The start and the end of the frame, and the offset and the default of LAG and LEAD."""
    distinct: bool
    condition: Expression | None


@dataclass(frozen=True)
class Operator:
    """The base of all operators."""

    inputs: tuple["Operator", ...]
    columns: tuple[Column, ...]
    varies: str
    """Why two runs on the same data may give different rows; empty if they give the same rows."""


@dataclass(frozen=True)
class Scan(Operator):
    """The rows of a table."""

    table: tuple[str, ...]
    """The whole name of the table, or the paths of files."""
    names: tuple[str, ...]
    """The names in the table of the columns that are read."""
    unique: tuple[str, ...]
    """The columns of the primary key; empty without one."""
    reading: tuple[str, ...] = ()
    """The format, options and version by which the rows are read, in the notation of the engine."""


@dataclass(frozen=True)
class Values(Operator):
    """Rows that the text contains."""

    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True)
class Filter(Operator):
    """The rows for which all conditions are true."""

    conditions: tuple[Expression, ...]


@dataclass(frozen=True)
class Project(Operator):
    """One row for each row, with other columns."""

    expressions: tuple[Expression, ...]


@dataclass(frozen=True)
class Join(Operator):
    """Pairs of rows for which all conditions are true."""

    kind: str
    """INNER, LEFT, RIGHT, FULL, SEMI, ANTI, MARK or SINGLE, as DuckDB names them."""
    conditions: tuple[Expression, ...]
    correlated: tuple[str, ...]
    """The types of what a correlated subquery depends on, which the first conditions compare."""


@dataclass(frozen=True)
class AggregatedRows(Operator):
    """One row for each group: the groups' columns, then the functions', then those of GROUPING."""

    groups: tuple[Expression, ...]
    sets: tuple[tuple[int, ...], ...]
    functions: tuple[Aggregation, ...]
    grouping: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Window(Operator):
    """The columns of the input, and one for each function."""

    functions: tuple[WindowCall, ...]


@dataclass(frozen=True)
class Sort(Operator):
    """The rows of the input in an order."""

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
    """The rows of the left input that the right one lacks."""

    all: bool


@dataclass(frozen=True)
class Intersect(Operator):
    """The rows of the left input that the right one has too."""

    all: bool


@dataclass(frozen=True)
class Generate(Operator):
    """The columns of the input, and the elements of lists, with one row for each element."""

    lists: tuple[Expression, ...]


@dataclass(frozen=True)
class Opaque(Operator):
    """An operator that the adapter does not translate."""

    reason: str
    digest: str
    """A hash of all that the engine says about it."""


@dataclass(frozen=True)
class PlanForm:
    """The plan of one query, with all that determines its result beside the data."""

    engine: str
    version: str
    settings: Options
    names: tuple[str, ...]
    root: Operator


def operators(root: Operator) -> tuple[Operator, ...]:
    """Return the operators of a plan; those of an operator's inputs come before it."""
    below = [each for child in root.inputs for each in operators(child)]
    return (*below, root)


def expressions(operator: Operator) -> Iterator[Expression]:
    """Yield the expressions of an operator, without those that are parts of others."""
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
    """Return why the plan's result is not determined by its form and the data, without repeats."""
    found = [
        each.reason if isinstance(each, Opaque) else each.varies for each in operators(plan.root)
    ]
    return list(dict.fromkeys(reason for reason in found if reason))
