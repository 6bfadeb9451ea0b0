"""Queries that find the rows behind a group, a subquery, a window or equal rows.

A witness query joins a block, to which ``Exposer`` has added hidden columns, with a table of
questions. This table has the values to ask about in the columns ``c0``, ``c1``, ..., and the number
of the question in ``eid``. If the block refers to columns of enclosing queries, the join is
LATERAL: the block reads the asked values in place of these columns.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlglot import exp

from provhouse.sql import blocks, dialect
from provhouse.sql.blocks import named
from provhouse.sql.from_clause import chooses
from provhouse.sql.limit_clause import take_ties
from provhouse.sql.node_marks import (
    CTE,
    EXPOSED,
    GROUPED,
    ITSELF,
    KEPT_AT,
    OUTER_NAME,
    REF,
    VISIBLE,
    copy_marks,
)
from provhouse.sql.quoting import RESERVED, quoted
from provhouse.sql.subqueries import Subquery, outer_columns, window_values

if TYPE_CHECKING:
    from .row_identity import Exposer, Identity

ASKED = "__provhouse_asked"
OUTER = "__provhouse_outer"
"""The alias of the table ``ASKED`` within blocks that refer to columns of enclosing queries."""


@dataclass
class Body:
    """The block of a witness query.

    Item i of ``conditions`` is a visible column of the block, and an operator that compares it with
    the asked column ``ci``. If ``failing``, the witnesses are the rows that do not meet the
    conditions.
    """

    query: exp.Query
    conditions: list[tuple[int, type[exp.Expr]]]
    failing: Literal["", "IS NOT TRUE", "IS FALSE"] = ""


class Witness:
    """A witness query, which is built when it is first needed.

    The asked columns are those that the conditions compare, followed by those of ``outer``.
    """

    def __init__(
        self,
        exposer: "Exposer",
        source: exp.Expr,
        build: Callable[[], Body],
        certain: bool = False,
        sure: bool = False,
        outer: dict[str, exp.Expr] | None = None,
    ) -> None:
        self.collations: dict[int, str] = {}
        """The collations of asked values, by column number, since Arrow does not record them."""
        self._exposer = exposer
        self._build = build
        self._body: Body | None = None
        self._identity: Identity | None = None
        self._sql: dict[frozenset[int], str] = {}
        self.outer = exposer.outer(source) if outer is None else outer
        self.sure = sure and not self.outer
        """Whether it is certain that DuckDB can run the query."""
        self.certain = certain and self.sure
        """Whether it is also certain that the query reaches all its references."""
        self.refs = references(exposer, source)

    @property
    def body(self) -> exp.Query:
        """The block whose rows are the witnesses."""
        return self._body_now().query

    @property
    def identity(self) -> "Identity":
        """The meaning of the hidden columns of the block."""
        self._body_now()
        assert self._identity is not None
        return self._identity

    def _body_now(self) -> Body:
        if self._body is None:
            self._body = self._build()
            for column in outer_columns(self._body.query) if self.outer else []:
                column.replace(asked_column(OUTER_NAME.of(column)))
            visible_columns(self._body.query)
            self._identity = self._exposer.expose(self._body.query, derived=False)
        return self._body

    def sql(self, nullable: frozenset[int]) -> str:
        """Return the SQL text of the query. ``nullable`` are the asked columns with NULLs."""
        if nullable not in self._sql:
            self._sql[nullable] = self._text(nullable)
        return self._sql[nullable]

    def rows(self) -> str:
        """Return the SQL for all rows of the block, without any condition.

        The block must not refer to columns of enclosing queries.
        """
        hidden, inner = self._parts()
        clause = with_clause(self._exposer, self.body)
        return f"{clause}SELECT {', '.join(['0 AS eid', *hidden])} FROM {inner}"

    def _parts(self) -> tuple[list[str], str]:
        """Return the hidden columns, and the FROM item that contains them."""
        body = self.body
        number = len(blocks_leaf(body).expressions)
        visible = VISIBLE.of(blocks_leaf(body))
        same = visible == number  # rows are identified by their visible columns
        names = [f"x{at}" for at in range(visible)] + [f"h{at}" for at in range(number - visible)]
        hidden = names[: len(self.identity.names)] if same else names[visible:]
        inner = f"({dialect.text(body)}) AS d({', '.join(names)})"
        return [f"d.{name}" for name in hidden], inner

    def _text(self, nullable: frozenset[int]) -> str:
        body = self._body_now()
        hidden, inner = self._parts()
        asked = OUTER if self.outer else "e"
        columns = [f"{asked}.eid", *(f"{asked}.{name}" for name in self.identity.outer)]
        text = f"SELECT {', '.join([*columns, *hidden])} FROM "
        tests = _tests(body, asked, nullable)
        if self.outer:
            given = [f"c{at}" for at in range(len(body.conditions))] + [*self.outer, "eid"]
            source = self._asked(len(given) - 1)
            text += f"{source} AS {OUTER}({', '.join(given)}), LATERAL {inner} WHERE {tests}"
        else:
            text += f"{inner} JOIN {self._asked(len(body.conditions))} AS e ON {tests}"
        return with_clause(self._exposer, body.query) + text

    def _asked(self, number: int) -> str:
        """Return the table of asked values, with their collations if they have any."""
        if not self.collations:
            return ASKED
        columns = [
            f"c{at} COLLATE {quoted(self.collations[at])} AS c{at}"
            if at in self.collations
            else f"c{at}"
            for at in range(number)
        ]
        return f"(SELECT {', '.join([*columns, 'eid'])} FROM {ASKED})"


def _tests(body: Body, asked: str, nullable: frozenset[int]) -> str:
    tests = " AND ".join(
        _test(f"{asked}.c{at}", operator, f"d.x{own}", at in nullable)
        for at, (own, operator) in enumerate(body.conditions)
    )
    return f"({tests}) {body.failing}" if body.failing and tests else tests or "TRUE"


def _test(left: str, operator: type[exp.Expr], right: str, nullable: bool) -> str:
    if operator is exp.NullSafeEQ and not nullable:
        operator = exp.EQ
    return f"{left} {SYMBOLS[operator]} {right}"


SYMBOLS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
}  # fmt: skip


def asked_column(name: str) -> exp.Column:
    """Return the column of an asked value, for a block that refers to queries around it."""
    column = exp.column(name, OUTER)
    OUTER_NAME.put(column, name)
    return column


def blocks_leaf(query: exp.Expr) -> exp.Select:
    """Return the SELECT that determines a query's column names: the leftmost one."""
    query = blocks.unwrapped(query)
    while isinstance(query, exp.SetOperation):
        query = blocks.unwrapped(query.left)
    assert isinstance(query, exp.Select)
    return query


def visible_columns(query: exp.Expr) -> None:
    """Record the number of columns of each SELECT in a query, before hidden columns are added."""
    query = blocks.unwrapped(query)
    if isinstance(query, exp.SetOperation):
        visible_columns(query.left)
        visible_columns(query.right)
    else:
        VISIBLE.keep(query, len(query.expressions))


def references(exposer: "Exposer", query: exp.Expr) -> frozenset[int]:
    """Return the references in a query and in the WITH queries that it uses."""
    found: set[int] = set()
    todo, seen = [query], set()
    while todo:
        for table in todo.pop().find_all(exp.Table):
            if REF.on(table):
                found.add(REF.of(table))
            elif (cte := CTE.get(table)) is not None and cte not in seen:
                seen.add(cte)
                todo.append(exposer.parsed.ctes[cte].this)
            elif (kept := KEPT_AT.get(table)) is not None:
                todo.append(exposer.parsed.kept[kept])
            elif (itself := ITSELF.get(table)) is not None:
                found.add(itself)
    return frozenset(found)


def with_clause(exposer: "Exposer", query: exp.Expr) -> str:
    """Return the WITH clause that a query needs, as SQL text. Its queries are NOT MATERIALIZED."""
    used: set[int] = set()
    todo = [query]
    while todo:
        for table in todo.pop().find_all(exp.Table):
            if (cte := CTE.get(table)) is not None and cte not in used:
                used.add(cte)
                todo.append(exposer.parsed.ctes[cte].this)
    if not used:
        return ""
    parts = [
        f'"{RESERVED}_cte{at}" AS NOT MATERIALIZED ({dialect.text(exposer.parsed.ctes[at].this)})'
        for at in sorted(used)
    ]
    return f"WITH {', '.join(parts)} "


def pristine(query: exp.Expr) -> exp.Query:
    """Return a copy of a block without its hidden columns; its derived tables keep theirs."""
    copied: exp.Query = query.copy()  # type: ignore[assignment]
    for leaf in _leaves(copied):
        leaf.set("expressions", leaf.expressions[: VISIBLE.get(leaf)])
        EXPOSED.drop(leaf)
        VISIBLE.drop(leaf)
    EXPOSED.drop(copied)
    copied.set("with_", None)
    return copied


def _leaves(query: exp.Expr) -> list[exp.Select]:
    query = blocks.unwrapped(query)
    if isinstance(query, exp.SetOperation):
        EXPOSED.drop(query)
        return _leaves(query.left) + _leaves(query.right)
    return [query] if isinstance(query, exp.Select) else []


def projected(select: exp.Select, expressions: list[exp.Expr], *without: str) -> exp.Select:
    """Return a copy of a block with the given columns, and without the clauses ``without``."""
    columns = [named(each.copy(), f"x{at}") for at, each in enumerate(expressions)]
    copied = exp.Select(expressions=columns or [named(exp.Literal.number(1), "x0")])
    copy_marks(select, copied)
    EXPOSED.drop(copied)
    VISIBLE.drop(copied)
    left_out = ("expressions", "with_", "order", "limit", "offset", "distinct", *without)
    for clause, value in select.args.items():
        if value and clause not in left_out:
            listed = isinstance(value, list)
            copied.set(clause, [each.copy() for each in value] if listed else value.copy())
    return copied


def _matching(number: int) -> list[tuple[int, type[exp.Expr]]]:
    return [(at, exp.NullSafeEQ) for at in range(number)]


def core(
    exposer: "Exposer", select: exp.Select, keys: list[exp.Expr], outer: dict[str, exp.Expr]
) -> Witness:
    """Return the witness query of a group: its rows before they are grouped."""

    def build() -> Body:
        inner = projected(select, keys, "group", "having", "qualify", "windows")
        GROUPED.drop(inner)
        return Body(inner, _matching(len(keys)))

    plain = blocks.plain_blocks(select)
    certain = plain == sum(1 for _ in select.find_all(exp.Select, exp.SetOperation))
    sure = plain > 0 and blocks.is_resolved(select)
    return Witness(exposer, select, build, certain, sure, outer)


def partition(
    exposer: "Exposer", select: exp.Select, keys: list[exp.Expr], outer: dict[str, exp.Expr]
) -> Witness:
    """Return the witness query of a window: all rows of its partition."""

    def build() -> Body:
        columns = [*keys, *window_values(select)]
        return Body(projected(select, columns, "qualify", "windows"), _matching(len(keys)))

    return Witness(exposer, select, build, outer=outer)


def matching(exposer: "Exposer", query: exp.Query, number: int) -> Witness:
    """Return the witness query for the rows whose first columns equal the asked values."""
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


def subquery(exposer: "Exposer", found: Subquery, compared: bool) -> Witness:
    """Return the witness query of a subquery: the rows that match, or all unless ``compared``."""

    def build() -> Body:
        inner = pristine(found.query)
        if not chooses(inner):
            inner.set("order", None)
        take_ties(inner)
        if not compared:
            return Body(inner, [])
        conditions = [(at, found.operator) for at in range(len(found.left))]
        if found.kind != "all":
            return Body(inner, conditions)
        return Body(inner, conditions, "IS FALSE" if found.valued else "IS NOT TRUE")

    equal = len(found.left) == 1 and found.kind == "in"
    sure = (equal or not compared) and blocks.is_plain(found.query)
    return Witness(exposer, found.query, build, sure=sure)


def comparable(found: Subquery) -> bool:
    """Return whether comparing row by row finds the rows that decide a subquery's comparison."""
    single = len(found.left) == 1 and found.operator in SYMBOLS
    return single or (len(found.left) > 1 and found.operator is exp.EQ)
