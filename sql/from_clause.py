"""Blocks and FROM clauses that may return different rows when they run again."""

from collections.abc import Iterator

from sqlglot import exp

from . import blocks
from .limit_clause import distinct_on
from .node_marks import copy_marks
from .not_covered import refuse
from .subqueries import outer_columns

METHODS = ("POSITIONAL", "ASOF")
"""Joins that match rows by their order, which is not unique if rows tie."""


def reads_choice(select: exp.Select) -> bool:
    """Return whether the FROM clause of a block may return different rows when it runs again.

    Derived tables that can be stored separately do not count, because they are already stored.
    """
    joins = select.args.get("joins") or []
    if select.args.get("sample") or any(each.method in METHODS for each in joins):
        return True
    return any(each.args.get("sample") or _depends(each) for each in blocks.sources(select))


def _depends(source: exp.Expr) -> bool:
    """Return whether a derived table chooses rows depending on values of earlier items in FROM."""
    return (
        isinstance(source, exp.Subquery)
        and bool(outer_columns(source))
        and any(map(chooses, source.find_all(exp.Select, exp.SetOperation)))
    )


def chooses(query: exp.Expr) -> bool:
    """Return whether a block may return different rows, or another order, when it runs again."""
    if query.args.get("limit") or query.args.get("offset"):
        return True
    if not isinstance(query, exp.Select):
        return False
    return bool(distinct_on(query)) or any(map(_depends_on_order, blocks.windows(query)))


def _depends_on_order(window: exp.Window) -> bool:
    return window.args.get("order") is not None and not isinstance(window.this, exp.Rank)


def apart(select: exp.Select) -> exp.Select:
    """Move the FROM clause of a block into a derived table, and return that table's query."""
    sources = blocks.sources(select)
    names = {source.alias_or_name for source in sources}
    name = f"__from_{sources[0].alias_or_name}"
    found: dict[str, exp.Column] = {}
    for column in _columns(select):
        if column.table in names:
            at = list(found).index(text) if (text := column.sql()) in found else len(found)
            found.setdefault(text, column.copy())
            moved = exp.column(f"c{at}", name, quoted=True)
            copy_marks(column.this, moved.this)
            column.replace(moved)
    columns = [
        exp.alias_(column, f"c{at}", quoted=True) for at, column in enumerate(found.values())
    ]
    inner = exp.Select(
        expressions=columns or [exp.alias_(exp.Literal.number(1), "c0", quoted=True)]
    )
    for clause in MOVED:
        inner.set(clause, select.args.get(clause))
        select.set(clause, None)
    if outer_columns(inner):
        what = "a sample" if inner.args.get("sample") else "a join by position"
        refuse(f"{what} of rows that depend on the outer query", inner)
    alias = exp.TableAlias(this=exp.to_identifier(name, quoted=True))
    select.set("from_", exp.From(this=exp.Subquery(this=inner, alias=alias)))
    return inner


MOVED = ("from_", "joins", "sample")


def _columns(select: exp.Select) -> Iterator[exp.Column]:
    """Yield the columns that a block uses outside of FROM, including those in its subqueries."""
    for clause, found in list(select.args.items()):
        if clause in MOVED:
            continue
        for part in found if isinstance(found, list) else [found]:
            if isinstance(part, exp.Expr):
                for each in outer_columns(part):
                    yield from list(each.find_all(exp.Column))
