"""Values with lineage that expressions combine row by row, and the lineage of the result."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from ..program_place import program_place
from ..refusals import untracked
from ..row_links import Every
from ..step_graph import StepNode, joined

SCALARS = (str, bytes, bool, int, float, complex, np.generic, pd.Timestamp, pd.Timedelta)
LISTS = (list, tuple, set, frozenset, range)


class Operand:
    """A column, or a single value, with lineage."""

    _value: Any
    _node: StepNode
    _what = "a value"

    def __init__(self, value: Any, node: StepNode) -> None:
        self._value = value
        self._node = node

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise untracked(f"{self._what}.{name}")

    def _refuse(self, what: str, remedy: str) -> NoReturn:
        raise untracked(f"{what} of {self._what}", "", remedy)

    def __bool__(self) -> bool:
        self._refuse("the truth", "Filter rows with frame[condition]; combine conditions with & |")

    def __float__(self) -> float:
        self._refuse("the number", "Use .plain for the plain value, which has no lineage")

    def __int__(self) -> int:
        self._refuse("the number", "Use .plain for the plain value, which has no lineage")

    def __iter__(self) -> Any:
        self._refuse("a loop over the values", "Use to_pandas() for the plain values")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a function of NumPy to each row."""
        if method != "__call__" or ufunc.signature is not None or options:
            raise untracked(f"numpy.{ufunc.__name__} with {method if not options else 'options'}")
        return combined(f"numpy.{ufunc.__name__}", ufunc, inputs)

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> Any:
        return combined("==", operator.eq, [self, other])

    def __ne__(self, other: object) -> Any:
        return combined("!=", operator.ne, [self, other])


def _binary(symbol: str, function: Callable[[Any, Any], Any], swapped: bool) -> Any:
    def method(self: Operand, other: object) -> Any:
        return combined(symbol, function, [other, self] if swapped else [self, other])

    return method


def _unary(symbol: str, function: Callable[[Any], Any]) -> Any:
    def method(self: Operand) -> Any:
        return combined(symbol, function, [self])

    return method


for _name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor",
):  # fmt: skip
    _bare = _name.rstrip("_")
    setattr(Operand, f"__{_bare}__", _binary(_bare, getattr(operator, _name), swapped=False))
    setattr(Operand, f"__r{_bare}__", _binary(_bare, getattr(operator, _name), swapped=True))
for _name in ("lt", "le", "gt", "ge"):
    setattr(Operand, f"__{_name}__", _binary(_name, getattr(operator, _name), swapped=False))
for _name in ("neg", "invert", "abs"):
    setattr(Operand, f"__{_name}__", _unary(_name, getattr(operator, _name)))


def combined(what: str, function: Callable[..., Any], values: Sequence[Any]) -> Any:
    """Apply a function that acts row by row to columns, single values and constants.

    Return a column, or a single value if no value is a column. Raises NotTracked for values with
    unknown lineage, and for columns that do not have the same rows.
    """
    from .column import Column, Single

    columns = [each for each in values if isinstance(each, Column)]
    plain = [each._value if isinstance(each, Operand) else constant(what, each) for each in values]
    nodes = [each._node for each in values if isinstance(each, Operand)]
    if not columns:
        node = nodes[0] if len(set(nodes)) == 1 else _of_singles(nodes, what)
        return Single(function(*plain), node)
    check_same_rows(what, columns)
    node = together(what, columns[0]._node, nodes)
    found = function(*plain)
    return Column(found, node)


def together(what: str, rows: StepNode, nodes: Sequence[StepNode]) -> StepNode:
    """Return a node with the rows of ``rows``, each of which derives from all ``nodes``.

    Nodes that do not have the same rows must have one row.
    """
    op = f"{what} {program_place()}"
    spread = [
        node if node.axis is rows.axis else _spread(node, rows, op) for node in (rows, *nodes)
    ]
    return joined(spread, op)


def _spread(single: StepNode, rows: StepNode, op: str) -> StepNode:
    link = Every(rows.size, 1)
    return StepNode(rows.size, op, "unknown", [(link, single)], rows.axis, combines=True)


def _of_singles(nodes: Sequence[StepNode], what: str) -> StepNode:
    op = f"{what} {program_place()}"
    inputs = [(Every(1, 1), node) for node in dict.fromkeys(nodes)]
    return StepNode(1, op, "unknown", inputs, combines=True)


def check_same_rows(what: str, values: Sequence[Any]) -> None:
    """Raise NotTracked unless all columns and frames have the same rows."""
    if any(each._node.axis is not values[0]._node.axis for each in values):
        raise untracked(
            f"{what} on the rows of different frames",
            "One of them was filtered, sorted, merged or grouped since",
            "Take both columns from one frame, or merge the frames first",
        )


def constant(what: str, value: Any) -> Any:
    """Return a constant; raise NotTracked for data with rows, whose lineage is unknown."""
    if value is None or value is pd.NaT or value is pd.NA or isinstance(value, SCALARS):
        return value
    if isinstance(value, LISTS):
        for each in value:
            constant(what, each)
        return value
    if isinstance(value, dict):
        for each in (*value.keys(), *value.values()):
            constant(what, each)
        return value
    kinds = (type, np.dtype, pd.api.extensions.ExtensionDtype, pd.DateOffset, slice)
    if isinstance(value, kinds) or type(value).__module__ in ("datetime", "decimal", "uuid", "re"):
        return value
    raise untracked(
        f"{what} with a {type(value).__name__}",
        "The lineage of its values is unknown",
        "Make a tracked frame of plain data with track(), and take its column",
    )
