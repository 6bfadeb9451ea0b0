"""Queries that find the rows behind a group, a subquery, a window or equal rows.

A witness query joins a block, with the hidden columns of ``Exposer``, with the values that are
asked about. These are in a table with the columns ``eid`` (what asks) and ``c0``, ``c1``, ....
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from . import blocks
from .names import RESERVED
from .refusal import refuse

if TYPE_CHECKING:
    from .identity import Exposer, Identity

ASKED = "__provhouse_asked"
OUTER = "__provhouse_outer"
"""The name of the table inside a correlated subquery, with a number."""


@dataclass
class Body:
    """The block of a witness query.

    ``conditions`` are pairs of a visible column of the block and an asked one, with the comparison.
    ``inside``: the table of asked values that the block itself reads; its first column is ``eid``.
    """

    query: exp.Query
    conditions: list[tuple[int, int, type[exp.Binary], bool]]
    inside: str = ""


class Witness:
    """A witness query, which is built when it is first needed."""

    def __init__(self, exposer: "Exposer", source: exp.Expr, build: Callable[[], Body]) -> None:
        self._exposer = exposer
        self._build = build
        self._body: Body | None = None
        self._identity: Identity | None = None
        self._sql: dict[frozenset[int], str] = {}
        self.refs = references(exposer, source)

    @property
    def body(self) -> exp.Query:
        """The block whose rows are witnesses."""
        return self._body_now().query

    @property
    def asked(self) -> str:
        """The name of the table that the query reads the asked values from."""
        return self._body_now().inside or ASKED

    @property
    def identity(self) -> "Identity":
        """The meaning of the hidden columns of the block."""
        self._body_now()
        assert self._identity is not None
        return self._identity

    def _body_now(self) -> Body:
        if self._body is None:
            self._body = self._build()
            visible_columns(self._body.query)
            self._identity = self._exposer.expose(self._body.query, derived=False)
        return self._body

    def sql(self, nullable: frozenset[int]) -> str:
        """Return the text of the query. ``nullable`` are the asked columns that have NULLs."""
        if nullable not in self._sql:
            self._sql[nullable] = self._text(nullable)
        return self._sql[nullable]

    def _text(self, nullable: frozenset[int]) -> str:
        body = self._body_now()
        identity = self.identity
        number = len(blocks_leaf(body.query).expressions)
        visible = blocks_leaf(body.query).meta["visible"]
        same = visible == number  # rows are identified by their visible columns
        names = [f"x{at}" for at in range(visible)] + [f"h{at}" for at in range(number - visible)]
        hidden = names[: len(identity.names)] if same else names[visible:]
        tests = " AND ".join(self._test(*each, nullable) for each in body.conditions)
        eid = "d.x0 AS eid" if body.inside else "e.eid"
        columns = ", ".join([eid, *(f"d.{name}" for name in hidden)])
        inner = f"({body.query.sql('duckdb')}) AS d({', '.join(names)})"
        text = f"SELECT {columns} FROM {inner}"
        if body.inside:
            text += f" WHERE {tests}" if tests else ""
        else:
            text += f" JOIN {ASKED} AS e ON {tests or 'TRUE'}"
        return with_clause(self._exposer, body.query) + text

    def _test(
        self,
        own: int,
        asked: int,
        operator: type[exp.Binary],
        negated: bool,
        nullable: frozenset[int],
    ) -> str:
        assert self._body is not None
        left = f"d.x{asked}" if self._body.inside else f"e.c{asked}"
        if operator is exp.NullSafeEQ and asked not in nullable and not self._body.inside:
            operator = exp.EQ
        symbol = {
            exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
            exp.NullSafeEQ: "IS NOT DISTINCT FROM",
        }[operator]  # fmt: skip
        text = f"{left} {symbol} d.x{own}"
        return f"({text}) IS NOT TRUE" if negated else text


def blocks_leaf(query: exp.Expr) -> exp.Select:
    """Return the SELECT that gives a query its columns."""
    query = blocks.unwrapped(query)
    while isinstance(query, exp.SetOperation):
        query = blocks.unwrapped(query.left)
    assert isinstance(query, exp.Select)
    return query


def visible_columns(query: exp.Expr) -> None:
    """Record how many columns the SELECTs of a query have before any is added."""
    query = blocks.unwrapped(query)
    if isinstance(query, exp.SetOperation):
        visible_columns(query.left)
        visible_columns(query.right)
    else:
        query.meta.setdefault("visible", len(query.expressions))


def references(exposer: "Exposer", query: exp.Expr) -> frozenset[int]:
    """Return the references of tables in a query, also through WITH."""
    found: set[int] = set()
    todo, seen = [query], set()
    while todo:
        for table in todo.pop().find_all(exp.Table):
            if "ref" in table.meta:
                found.add(table.meta["ref"])
            elif (cte := table.meta.get("cte")) is not None and cte not in seen:
                seen.add(cte)
                todo.append(exposer.parsed.ctes[cte].this)
            elif (kept := table.meta.get("kept")) is not None:
                todo.append(exposer.parsed.kept[kept])
            elif (itself := table.meta.get("self")) is not None:
                found.add(itself)
    return frozenset(found)


def with_clause(exposer: "Exposer", query: exp.Expr) -> str:
    """Return the WITH queries that a query uses, as text, not to be materialised."""
    used: set[int] = set()
    todo = [query]
    while todo:
        for table in todo.pop().find_all(exp.Table):
            if (cte := table.meta.get("cte")) is not None and cte not in used:
                used.add(cte)
                todo.append(exposer.parsed.ctes[cte].this)
    if not used:
        return ""
    parts = [
        f'"{RESERVED}_cte{at}" AS NOT MATERIALIZED ({exposer.parsed.ctes[at].this.sql("duckdb")})'
        for at in sorted(used)
    ]
    return f"WITH {', '.join(parts)} "


def pristine(query: exp.Expr) -> exp.Query:
    """Return a copy of a block without its own hidden columns; derived tables in it keep theirs."""
    copied: exp.Query = query.copy()  # type: ignore[assignment]
    for leaf in _leaves(copied):
        leaf.set("expressions", leaf.expressions[: leaf.meta.get("visible")])
        leaf.meta.pop("exposed", None)
        leaf.meta.pop("visible", None)
    copied.meta.pop("exposed", None)
    copied.set("with_", None)
    return copied


def _leaves(query: exp.Expr) -> list[exp.Select]:
    query = blocks.unwrapped(query)
    if isinstance(query, exp.SetOperation):
        query.meta.pop("exposed", None)
        return _leaves(query.left) + _leaves(query.right)
    return [query] if isinstance(query, exp.Select) else []


def projected(select: exp.Select, expressions: list[exp.Expr], *without: str) -> exp.Select:
    """Return a copy of a block with other columns, and without some of its clauses."""
    copied = select.copy()
    for mark in ("exposed", "visible"):
        copied.meta.pop(mark, None)
    for each in ("with_", "order", "limit", "offset", "distinct", *without):
        copied.set(each, None)
    named = [exp.alias_(each.copy(), f"x{at}", quoted=True) for at, each in enumerate(expressions)]
    copied.set("expressions", named or [exp.alias_(exp.Literal.number(1), "x0", quoted=True)])
    return copied


def _matching(number: int) -> list[tuple[int, int, type[exp.Binary], bool]]:
    return [(at, at, exp.NullSafeEQ, False) for at in range(number)]


def core(exposer: "Exposer", select: exp.Select, keys: list[exp.Expr]) -> Witness:
    """Return the witness query of a group: its rows before they are grouped."""

    def build() -> Body:
        roots = select.expressions[: select.meta["visible"]]
        roots += [each for name in ("having", "qualify") if (each := select.args.get(name))]
        found = blocks.subqueries(roots)
        arguments = [each.node for each in found if blocks.in_aggregate(each.node)]
        inner = projected(select, [*keys, *arguments], "group", "having", "qualify", "windows")
        return Body(inner, _matching(len(keys)))

    return Witness(exposer, select, build)


def partition(exposer: "Exposer", select: exp.Select, keys: list[exp.Expr]) -> Witness:
    """Return the witness query of a window: all rows of its partition."""

    def build() -> Body:
        return Body(projected(select, keys, "qualify", "windows"), _matching(len(keys)))

    return Witness(exposer, select, build)


def matching(exposer: "Exposer", query: exp.Query, number: int) -> Witness:
    """Return the witness query of the rows of a query with the asked values in their columns."""
    return Witness(exposer, query, lambda: Body(query, _matching(number)))


def same_rows(exposer: "Exposer", query: exp.Expr) -> Witness:
    """Return the witness query of DISTINCT and set operations: the rows with equal values."""

    def build() -> Body:
        inner = pristine(query)
        select = isinstance(inner, exp.Select)
        for clause in ("order", "distinct", "limit", "offset") if select else ("order",):
            inner.set(clause, None)
        number = len(blocks_leaf(inner).expressions)
        return Body(inner, _matching(number))

    return Witness(exposer, query, build)


def subquery(exposer: "Exposer", found: blocks.Subquery, outer: list[exp.Column]) -> Witness:
    """Return the witness query of a subquery: the rows that match, or that it aggregates."""

    def build() -> Body:
        negated = found.kind == "all"
        inner = pristine(found.query)
        inner.set("order", None) if not inner.args.get("limit") else None
        if not outer:
            tests = [(at, at, found.operator, negated) for at in range(len(found.left))]
            return Body(inner, tests)
        name = exposer.new_name(OUTER)
        return correlated(inner, [column.sql() for column in outer], found, name)

    return Witness(exposer, found.query, build)


def correlated(inner: exp.Query, outer: list[str], found: blocks.Subquery, table: str) -> Body:
    """Return a subquery that reads asked values, instead of those of the row around it."""
    for each in inner.find_all(exp.SetOperation):
        if each.args.get("limit") or each.args.get("offset"):
            refuse("LIMIT of a set operation in a correlated subquery", each)
    for column in list(blocks.outer_columns(inner)):
        column.replace(exp.column(f"c{outer.index(column.sql())}", table))
    left = len(found.left)
    extra: list[exp.Expr] = [exp.column("eid", table)]
    extra += [exp.column(f"c{len(outer) + at}", table) for at in range(left)]
    for leaf in _leaves(inner):
        read_asked(leaf, extra, [exp.column(f"c{at}", table) for at in range(len(outer))], table)
    negated = found.kind == "all"
    tests = [(1 + left + at, 1 + at, found.operator, negated) for at in range(left)]
    return Body(inner, tests, inside=table)


def read_asked(
    select: exp.Select, extra: list[exp.Expr], outer: list[exp.Column], table: str
) -> None:
    """Add the table with the values asked about to a block, and its columns ``extra``."""
    for join in select.args.get("joins") or []:
        if join.side in ("RIGHT", "FULL"):
            refuse(f"a {join.side} JOIN in a correlated subquery", join)
    if (start := select.args.get("from_")) is not None:
        first = exp.Join(this=start.this, kind="CROSS")
        select.set("joins", [first, *(select.args.get("joins") or [])])
    select.set("from_", exp.From(this=exp.to_table(table)))
    if distinct := select.args.get("distinct"):
        if distinct.args.get("on"):
            refuse("DISTINCT ON in a correlated subquery", select)
        select.set("distinct", None)  # the matching rows are the same
    if blocks.is_grouped(select):
        group = select.args.get("group") or exp.Group(expressions=[])
        if blocks.group_keys(select).sets:
            refuse("GROUPING SETS in a correlated subquery", select)
        group.set("expressions", [each.copy() for each in (*extra, *outer)] + group.expressions)
        select.set("group", group)
    select.set("expressions", [each.copy() for each in extra] + select.expressions)
    for window in blocks.windows(select):
        window.set("partition_by", [extra[0].copy(), *(window.args.get("partition_by") or [])])
    limit_each(select, extra[0])


def limit_each(select: exp.Select, eid: exp.Expr) -> None:
    """Replace LIMIT by a condition that holds for each value asked about; ties are all taken."""
    limit = select.args.get("limit")
    if limit is None and select.args.get("offset") is None:
        return
    order = select.args.get("order")
    if order is None or limit is None or select.args.get("offset") or select.args.get("distinct"):
        refuse("LIMIT without ORDER BY, or with OFFSET, in a correlated subquery", select)
    rank = exp.Window(
        this=exp.Anonymous(this="rank"), partition_by=[eid.copy()], order=order.copy()
    )
    within = exp.LTE(this=rank, expression=limit.expression.copy())
    before = select.args.get("qualify")
    select.set("qualify", exp.Qualify(this=exp.and_(before.this, within) if before else within))
    select.set("limit", None)
    select.set("order", None)
