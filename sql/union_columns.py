"""The branches of set operations, and the positions of their hidden columns."""

from sqlglot import exp

from . import blocks
from .blocks import named
from .node_marks import VISIBLE
from .not_covered import refuse
from .quoting import RESERVED

HIDDEN = f"{RESERVED}_h"
"""The prefix of the names of hidden columns."""
BRANCH = f"{RESERVED}_b"
"""The alias of a branch that was moved into a derived table."""


def leaves(query: exp.Expr) -> list[exp.Select]:
    """Return all SELECTs in a set operation."""
    query = blocks.unwrapped(query)
    if isinstance(query, exp.SetOperation):
        return leaves(query.left) + leaves(query.right)
    if not isinstance(query, exp.Select):
        refuse(f"{type(query).__name__.upper()} in a set operation", query)
    return [query]


def leftmost(query: exp.Expr) -> exp.Select:
    """Return the SELECT that determines the column names of a set operation."""
    return leaves(query)[0]


def branches(query: exp.Expr) -> list[exp.Expr]:
    """Return the branches of nested UNION ALLs."""
    query = blocks.unwrapped(query)
    plain = not (query.args.get("limit") or query.args.get("order"))
    if isinstance(query, exp.Union) and not query.args.get("distinct"):
        parts = [blocks.unwrapped(query.left), blocks.unwrapped(query.right)]
        return [
            leaf
            for part in parts
            for leaf in (branches(part) if isinstance(part, exp.Union) and plain else [part])
        ]
    return [query]


def as_select(branch: exp.Expr) -> exp.Select:
    """Return a branch of UNION ALL as a SELECT to which columns can be added.

    If needed, replace the branch by a SELECT over it.
    """
    distinct = branch.args.get("distinct")
    if isinstance(branch, exp.Select) and (distinct is None or distinct.args.get("on")):
        return branch
    names = [each.alias_or_name for each in leftmost(branch).expressions]
    columns = [
        exp.alias_(exp.column(name, BRANCH, quoted=True), name, quoted=True) for name in names
    ]
    outer = exp.Select(expressions=columns)
    branch.replace(outer)
    alias = exp.TableAlias(this=exp.to_identifier(BRANCH))
    outer.set("from_", exp.From(this=exp.Subquery(this=branch, alias=alias)))
    return outer


def spread(branch: exp.Select, number: int, places: list[list[int]]) -> None:
    """Put a branch's hidden columns at their positions among the hidden columns of all branches."""
    visible = VISIBLE.of(branch)
    hidden = [each.this for each in branch.expressions[visible:]]
    cells: list[exp.Expr] = [exp.Literal.number(number)]
    for other, place in enumerate(places):
        cells += hidden if other == number else [exp.null() for _ in place]
    added = [named(cell, f"{HIDDEN}{at}") for at, cell in enumerate(cells)]
    branch.set("expressions", branch.expressions[:visible] + added)
