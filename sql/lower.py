"""Move subqueries out of group keys and aggregates, to a derived table below the GROUP BY.

After this change, all keys and all arguments of aggregates are columns, to which the hidden columns
of a group can refer.
"""

from collections.abc import Iterator

from sqlglot import exp

from . import blocks
from .blocks import named
from .quoting import RESERVED
from .subqueries import outer_columns, subqueries

ROWS = f"{RESERVED}_rows"
PARTS = ("having", "qualify", "order", "group", "windows", "distinct")


def lower(query: exp.Expr) -> None:
    """Rewrite all blocks of a query whose keys or aggregates contain subqueries."""
    if query.find(exp.Subquery, exp.In, exp.Exists, exp.Any, exp.All, exp.Array) is None:
        return
    found = [each for each in query.find_all(exp.Select) if blocks.is_grouped(each)]
    for at, select in enumerate(reversed(found)):  # inner ones first
        _lower(select, Below(select, f"{ROWS}{at}"))


class Below:
    """The derived table with the rows of a grouped block before they are grouped."""

    def __init__(self, select: exp.Select, name: str) -> None:
        self.select = select
        self.name = name
        self._names: dict[str, str] = {}
        self._columns: list[exp.Expr] = []

    def column(self, expression: exp.Expr) -> exp.Column:
        """Return a column of the derived table for the value of an expression."""
        text = expression.sql("duckdb")
        if text not in self._names:
            self._names[text] = f"x{len(self._names)}"
            self._columns.append(named(expression.copy(), self._names[text]))
        return exp.column(self._names[text], self.name, quoted=True)

    def insert(self) -> None:
        """Insert the derived table between the block and the sources of the block."""
        bound = {source.alias_or_name for source in blocks.sources(self.select)}
        for column in list(_block_columns(self.select, bound)):
            column.replace(self.column(column))
        inner = exp.Select(expressions=self._columns or [named(exp.Literal.number(1), "x")])
        for clause in ("from_", "joins", "where", "laterals"):
            inner.set(clause, self.select.args.get(clause))
            self.select.set(clause, None)
        alias = exp.TableAlias(this=exp.to_identifier(self.name, quoted=True))
        self.select.set("from_", exp.From(this=exp.Subquery(this=inner, alias=alias)))


def _roots(select: exp.Select) -> list[exp.Expr]:
    found = [select.args.get(name) for name in PARTS if name != "windows"]
    found += select.args.get("windows") or []
    return [*select.expressions, *(each for each in found if each is not None)]


def _block_columns(select: exp.Select, bound: set[str]) -> Iterator[exp.Expr]:
    """Yield the columns that a block evaluates after WHERE, including those in nested queries."""
    for root in _roots(select):
        for node in blocks.own(root, exp.Column, exp.Select, exp.SetOperation):
            inside = [node] if isinstance(node, exp.Column) else outer_columns(node)
            for each in inside:
                for column in each.find_all(exp.Column):
                    if column.table in bound:
                        yield column


def _lower(select: exp.Select, below: Below) -> None:
    keys = [key for key in blocks.group_keys(select).expressions if subqueries([key])]
    texts = {key.sql("duckdb") for key in keys}
    found = [node for node in _nodes(select) if texts and node.sql("duckdb") in texts]
    for node in found:
        node.replace(below.column(node))
    inside = [
        each.value
        for root in _roots(select)
        for each in subqueries([root])
        if _in_aggregate(each.node)
    ]
    for node in inside:
        node.replace(below.column(node))
    if found or inside:
        below.insert()


def _nodes(select: exp.Select) -> Iterator[exp.Expr]:
    return (node for root in _roots(select) for node in blocks.own(root, exp.Expr))


def _in_aggregate(node: exp.Expr) -> bool:
    """Return whether a node is in an aggregate of its block, or in the aggregate's FILTER."""
    above = node.parent
    while above is not None and not isinstance(above, exp.Select):
        call = above.this if isinstance(above, (exp.Filter, exp.WithinGroup)) else above
        if isinstance(call, exp.Func) and blocks.is_aggregate(call):
            return True
        above = above.parent
    return False
