"""Replace calls of macros by their definitions, as DuckDB does when it binds a query."""

from collections.abc import Iterable
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from .dialect import read
from .functions import Functions, Macro
from .not_covered import PLACE, refuse

DEPTH = 50


def unfold(tree: exp.Expr, nodes: Iterable[exp.Expr], functions: Functions) -> bool:
    """Unfold the macros in a query, except built-in macros that only compute scalar values.

    ``nodes`` are the nodes of the tree. Returns whether any macro was unfolded.
    """
    for depth in range(DEPTH):
        calls = [
            (node, macro)
            for node in nodes
            if isinstance(node, exp.Func) and (macro := _macro(node, functions))
        ]
        if not calls:
            return depth > 0
        for call, macro in calls:
            _replace(call, macro)
        nodes = tree.walk()
    refuse(f"macros nested more than {DEPTH} deep", tree)


def _macro(call: exp.Func, functions: Functions) -> Macro | None:
    name = call.name if isinstance(call, exp.Anonymous) else call.sql_name()
    if name.lower() not in functions.macros:
        return None
    macro = functions.macro(name, len(_arguments(call)), isinstance(call.parent, exp.Table))
    if macro is None or not macro.built_in or _looks_into(macro, functions):
        return macro
    twice = isinstance(call, exp.Anonymous) and call.find(exp.Query) is not None
    return macro if twice else None  # the macro may read a subquery in its arguments twice


def _looks_into(macro: Macro, functions: Functions) -> bool:
    """Return whether a built-in macro contains an aggregate or reads a table."""
    if macro.table or "SELECT" in macro.text:
        return True
    found = read(f"SELECT {macro.text}")[0].find_all(exp.Anonymous, exp.AggFunc)
    names = {each.name.lower() if isinstance(each, exp.Anonymous) else "sum" for each in found}
    return bool(names & functions.aggregates) or any(
        _looks_into(inner, functions)
        for name in names - {macro.name}
        for inner in functions.macros.get(name, [])
        if inner.built_in
    )


def _arguments(call: exp.Func) -> list[exp.Expr]:
    if isinstance(call, exp.Anonymous):
        return list(call.expressions)
    return [each for each in (call.this, *(call.args.get("expressions") or [])) if each is not None]


def _replace(call: exp.Func, macro: Macro) -> None:
    arguments = _arguments(call)
    odd = (exp.PropertyEQ, exp.Kwarg, exp.Distinct, exp.Order)
    if len(arguments) != len(macro.parameters) or any(isinstance(each, odd) for each in arguments):
        refuse(f"the macro {macro.name} with named or default arguments", call)
    body = _body(call, macro)
    given = dict(zip(macro.parameters, arguments, strict=True))
    for column in list(body.find_all(exp.Column)):
        value = None if column.table else given.get(column.name.lower())
        if value is not None:
            column.replace(exp.paren(value.copy()))
    for node in body.walk():
        node.meta.update({key: call.meta[key] for key in PLACE if key in call.meta})
    if macro.table:
        table = call.find_ancestor(exp.Table)
        assert table is not None
        alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(macro.name))
        table.replace(exp.Subquery(this=body, alias=alias, joins=table.args.get("joins")))
    else:
        whole = call.parent if isinstance(call.parent, exp.Dot) else call  # with a schema
        whole.replace(exp.paren(body))


def _body(call: exp.Func, macro: Macro) -> Any:
    try:
        (tree,) = read(macro.text if macro.table else f"SELECT {macro.text}")
    except (SqlglotError, ValueError):
        refuse(f"the macro {macro.name}, because its text cannot be read", call)
    return tree if macro.table else tree.expressions[0].unalias()
