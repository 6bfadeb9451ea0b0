"""The rows that a polars expression reads: only its own row, the rows of a partition, or all rows.

The entire expression is examined, as the tree that polars writes as JSON. The error for an unknown
part names it.
"""

import json
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from ..refusals import untracked

PLAIN = "Compute it on the plain frame (to_polars()), and track() the result"
EACH_ROW = {
    "Abs", "AsStruct", "Coalesce", "Clip", "FillNull", "MaxHorizontal", "MinHorizontal",
    "SumHorizontal", "MeanHorizontal", "Negate", "Sign", "Sqrt", "Cbrt", "Round", "Ceil", "Floor",
    "Log", "Log1p", "Exp", "Pow", "Trigonometry", "StringExpr", "TemporalExpr", "ListExpr",
    "StructExpr", "ArrayExpr", "BinaryExpr", "Hash", "Bitwise", "ToPhysical", "RoundSF",
}  # fmt: skip
"""The functions that read only the same row of each input."""
EACH_ROW_BOOLEAN = {
    "IsNull", "IsNotNull", "IsNan", "IsNotNan", "IsFinite", "IsInfinite", "Not", "IsBetween",
    "AllHorizontal", "AnyHorizontal", "IsIn", "IsClose",
}  # fmt: skip
OTHER_ROWS = {
    "Shift", "ShiftAndFill", "Rank", "CumSum", "CumCount", "CumMin", "CumMax", "CumProd", "Diff",
    "FillNullWithStrategy", "RollingExpr", "Quantile", "EwmMean", "EwmStd", "EwmVar", "PctChange",
    "NullCount", "Skew", "Kurtosis", "Boolean",
}  # fmt: skip
"""The functions that read other rows, and return either one value or one value per row."""
LITERALS = {"Dyn", "Scalar", "Null", "Boolean", "String", "Binary", "Date", "DateTime", "Duration",
            "Time", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64",
            "Float32", "Float64"}  # fmt: skip
Tree = Any


@dataclass(frozen=True)
class Needs:
    """The rows that an expression reads in addition to its own row."""

    all_rows: bool = False
    partitions: frozenset[tuple[str, ...]] = frozenset()
    """The sets of columns that define the partitions that the expression reads."""

    def __or__(self, other: "Needs") -> "Needs":
        return Needs(self.all_rows or other.all_rows, self.partitions | other.partitions)


OWN = Needs()
ALL = Needs(all_rows=True)


def needs_of(values: Iterable[Any]) -> Needs:
    """Return the rows that expressions, column names and constants read.

    Raises NotTracked for other values.
    """
    found = OWN
    for value in values:
        if isinstance(value, pl.Expr):
            found |= _needs(_tree(value))
        elif isinstance(value, list | tuple):
            found |= needs_of(value)
        elif isinstance(value, pl.Series | pl.DataFrame):
            raise untracked(
                f"an expression with a {type(value).__name__}",
                "The lineage of its values is unknown",
                "Track it, and join it",
            )
        elif not _is_constant(value):
            raise untracked(f"an expression with a {type(value).__name__}", "", PLAIN)
    return found


def _is_constant(value: Any) -> bool:
    if value is None or isinstance(value, str | int | float | bool):
        return True
    return type(value).__module__.partition(".")[0] in ("datetime", "decimal", "polars")


def check_constants(values: Iterable[Any]) -> None:
    """Raise NotTracked if an expression contains data or functions with unknown lineage."""
    for value in values:
        if isinstance(value, pl.Expr):
            for node in _nodes(_tree(value)):
                _check_literal(node)
        else:
            needs_of([value])


def chooses_columns(value: Any) -> bool:
    """Return whether an expression selects columns by a pattern or by their types."""
    if isinstance(value, list | tuple):
        return any(map(chooses_columns, value))
    if not isinstance(value, pl.Expr):
        return False
    selectors = [
        node["Selector"]
        for node in _nodes(_tree(value))
        if isinstance(node, dict) and "Selector" in node
    ]
    return any(not isinstance(each, dict) or "ByName" not in each for each in selectors)


def _tree(expression: pl.Expr) -> Tree:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the form of JSON may change: what is new is refused
            return json.loads(expression.meta.serialize(format="json"))
    except Exception as error:  # polars raises several classes, also of its Rust code
        raise untracked("an expression with a Python function", "", PLAIN) from error


def _nodes(tree: Tree) -> Iterator[Tree]:
    yield tree
    for child in (
        tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    ):
        yield from _nodes(child)


def _check_literal(node: Tree) -> None:
    if isinstance(node, dict) and isinstance(node.get("Literal"), dict):
        kind = next(iter(node["Literal"]))
        if kind not in LITERALS:
            raise untracked(
                f"an expression with data of polars ({kind})", "", "Track it, and join it"
            )
    if isinstance(node, dict) and "AnonymousFunction" in node:
        raise untracked("an expression with a Python function", "", PLAIN)


def _needs(tree: Tree) -> Needs:
    if tree == "Len":
        return ALL
    if not isinstance(tree, dict) or len(tree) != 1:
        raise untracked(f"the expression {tree!r}", "", PLAIN)
    ((kind, inside),) = tree.items()
    if kind in ("Column", "Selector"):
        return OWN
    if kind == "Literal":
        _check_literal(tree)
        return OWN
    if kind == "Alias":
        return _needs(inside[0])
    if kind == "Cast":
        return _needs(inside["expr"])
    if kind == "BinaryExpr":
        return _needs(inside["left"]) | _needs(inside["right"])
    if kind == "Ternary":
        return _needs(inside["predicate"]) | _needs(inside["truthy"]) | _needs(inside["falsy"])
    if kind == "Function":
        return _of_function(inside)
    if kind == "Agg":
        for node in _nodes(inside):
            _check_literal(node)
        return ALL
    if kind == "Over":
        return _of_window(inside)
    raise untracked(f"the expression {kind}", "", PLAIN)


def _of_function(inside: Tree) -> Needs:
    function = inside["function"]
    name, detail = next(iter(function.items())) if isinstance(function, dict) else (function, None)
    shown = next(iter(detail)) if isinstance(detail, dict) and detail else detail
    needs = OWN
    for each in inside["input"]:
        needs |= _needs(each)
    if name == "Boolean" and shown in EACH_ROW_BOOLEAN:
        in_column = shown == "IsIn" and "Literal" not in inside["input"][1]
        return ALL if in_column else needs
    if name == "StringExpr" and shown == "ConcatVertical":
        return ALL
    if name in EACH_ROW:
        return needs
    if name in OTHER_ROWS:
        return ALL
    raise untracked(f"the function {name}", "", PLAIN)


def _of_window(inside: Tree) -> Needs:
    if inside.get("mapping") != "GroupsToRows":
        raise untracked("over(...) with another mapping_strategy", "", "Leave it out")
    keys = [each.get("Column") for each in inside["partition_by"] if isinstance(each, dict)]
    for node in _nodes(inside["function"]):
        _check_literal(node)
        if isinstance(node, dict) and "Over" in node:
            raise untracked("over(...) in over(...)", "", "Compute the inner one in a step before")
    if len(keys) != len(inside["partition_by"]) or not all(isinstance(key, str) for key in keys):
        raise untracked(
            "over(...) of an expression", "", "Make it a column with with_columns first"
        )
    return Needs(partitions=frozenset([tuple(map(str, keys))]))
