"""Conditions of ``query``. Only conditions on the values of a single row are accepted."""

import ast
import re
import sys
from typing import Any

from ..program_place import is_own
from ..refusals import untracked

_VARIABLE = "__variable_"
_ALLOWED = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.Invert, ast.USub,
    ast.UAdd, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow,
    ast.BitAnd, ast.BitOr, ast.BitXor, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt,
    ast.GtE, ast.In, ast.NotIn, ast.Name, ast.Load, ast.Constant, ast.List, ast.Tuple,
)  # fmt: skip
_METHODS = {"isna", "isnull", "notna", "notnull"}


def checked_query(text: str) -> dict[str, Any]:
    """Return the caller's variables to which a condition refers.

    Raises NotTracked for a condition that provhouse cannot parse completely.
    """
    plain = re.sub(r"`[^`]*`", "__column", text)
    plain = re.sub(r"@(\w+)", rf"{_VARIABLE}\1", plain)
    try:
        tree = ast.parse(plain.strip(), mode="eval")
    except SyntaxError as error:
        raise untracked(f"the query {text!r}", "It is not one condition") from error
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id.startswith(_VARIABLE):
            names.append(node.id.removeprefix(_VARIABLE))
    _check(tree, text)
    return _variables(names)


def _check(node: ast.AST, text: str) -> None:
    if isinstance(node, ast.Call):
        called = node.func
        if not isinstance(called, ast.Attribute) or called.attr not in _METHODS or node.args:
            shown = ast.unparse(called).replace(_VARIABLE, "@")
            raise untracked(
                f"query with {shown}()",
                "It may depend on other rows",
                "Use frame[condition], for example frame[frame['x'] > frame['x'].mean()]",
            )
        _check(called.value, text)
        return
    if isinstance(node, ast.Compare):
        for op, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.In | ast.NotIn) and not _is_list(right):
                shown = ast.unparse(node).replace(_VARIABLE, "@")
                raise untracked(
                    f"query with {shown}",
                    "It reads the other column in all rows",
                    "Use frame[frame['a'].isin(frame['b'])]",
                )
    if not isinstance(node, _ALLOWED):
        shown = ast.unparse(node).replace(_VARIABLE, "@")
        raise untracked(f"query with {shown}", "", "Use frame[condition]")
    for child in ast.iter_child_nodes(node):
        _check(child, text)


def _is_list(node: ast.AST) -> bool:
    if isinstance(node, ast.Name):
        return node.id.startswith(_VARIABLE)
    return isinstance(node, ast.List | ast.Tuple)


def _variables(names: list[str]) -> dict[str, Any]:
    frame = sys._getframe(1)
    while is_own(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    found = {}
    for name in names:
        for known in (frame.f_locals, frame.f_globals):
            if name in known:
                found[name] = known[name]
                break
        else:
            raise untracked(f"query with @{name}", "The caller has no variable of this name")
    return found
