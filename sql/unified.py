"""Cast the sides of a set operation if their types differ, as DuckDB does.

A row of UNION, INTERSECT or EXCEPT is derived from the equal rows of a side. Rows are compared in
the type and collation of the result: 1 and 'a' are compared as strings.
"""

import json
from collections.abc import Iterable
from typing import Any

import duckdb
from sqlglot import exp

from . import blocks
from .blocks import sources
from .bound import Bound, NotBound, bound
from .not_covered import refuse
from .parse import Parsed
from .quoting import RESERVED
from .subqueries import outer_columns

SIDE = f"{RESERVED}_side"


def unify(con: duckdb.DuckDBPyConnection, parsed: Parsed, nodes: Iterable[exp.Expr]) -> None:
    """Cast the sides of all set operations except UNION ALL, the innermost first.

    ``nodes`` are the nodes of the query.
    """
    found = [each for each in nodes if isinstance(each, exp.SetOperation) and _compares(each)]
    for each in reversed(found):
        sides = [each.this, each.expression]
        texts = [_text(query, parsed.query) for query in (each, *sides)]
        try:
            whole, *own = map(_types, bound(con, *texts))
        except NotBound:
            refuse("this set operation, whose types depend on an outer query,", each)
        if any(types != whole for types in own):
            names = list(map(str, con.sql(texts[0]).types))
            for side, types in zip(sides, own, strict=True):
                if types != whole:
                    _cast(side, names, list(map(_collation, whole)))


def _text(query: exp.Expr, root: exp.Query) -> str:
    """Return SQL text for the columns of a query, in the scope of the blocks around it."""
    text = f"SELECT q.* FROM ({query.sql('duckdb')}) AS q"
    around = query.find_ancestor(exp.Select) if outer_columns(query) else None
    while around is not None:
        beside = [each.sql("duckdb") for each in sources(around) if not _has(each, query)]
        text = f"SELECT q.* FROM {', '.join([*beside, f'LATERAL ({text}) AS q'])}"
        around = around.find_ancestor(exp.Select)
    clause = root.args.get("with_")
    return f"{clause.sql('duckdb')} {text}" if clause and query is not root else text


def _has(node: exp.Expr, part: exp.Expr) -> bool:
    return any(each is part for each in node.walk())


def _compares(node: exp.SetOperation) -> bool:
    return not isinstance(node, exp.Union) or bool(node.args.get("distinct"))


def _types(plan: Bound) -> list[Any]:
    """Return the types of the columns of a plan, with their collations."""
    (root,) = json.loads(plan.text)["plans"]
    while "expressions" not in root:  # WITH queries are above the query that reads them
        root = root["children"][-1]
    return [each.get("return_type") for each in root["expressions"]]


def _collation(kind: Any) -> str:
    found = (kind or {}).get("type_info", {}).get("collation", "")
    return str(found)


def _cast(side: exp.Expr, types: list[str], collations: list[str]) -> None:
    """Replace a side by a query that casts its columns."""
    leaf = blocks.unwrapped(side)
    while isinstance(leaf, exp.SetOperation):
        leaf = blocks.unwrapped(leaf.this)
    listed = [exp.to_identifier(f"c{at}", quoted=True) for at in range(len(types))]
    columns = []
    for at, each in enumerate(leaf.expressions):
        value: exp.Expr = exp.column(listed[at].copy(), SIDE, quoted=True)
        value = exp.cast(value, types[at], dialect="duckdb")
        if collations[at]:
            value = exp.Collate(this=value, expression=exp.Var(this=collations[at]))
        columns.append(exp.alias_(value, each.alias_or_name, quoted=True))
    outer = exp.Select(expressions=columns)
    side.replace(outer)
    alias = exp.TableAlias(this=exp.to_identifier(SIDE, quoted=True), columns=listed)
    outer.set("from_", exp.From(this=exp.Subquery(this=blocks.unwrapped(side), alias=alias)))
