"""The query that finds all derivations of a row: each derivation is one combination of records.

Filters, projections, inner joins, UNION, DISTINCT, WITH, views, derived tables, and an outermost
GROUP BY are supported. The query omits DISTINCT and GROUP BY, and replaces UNION by UNION ALL, so
that each of its rows is one derivation of a row of the result.
"""

from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from provhouse.sql import blocks, from_clause
from provhouse.sql.node_marks import CTE, ITSELF, REF
from provhouse.sql.not_covered import refuse
from provhouse.sql.parse import Parsed
from provhouse.sql.quoting import RESERVED
from provhouse.sql.subqueries import outer_columns

RID = f"{RESERVED}_w"


@dataclass
class QueryWithRids:
    """A query whose last columns contain rids, and the reference to which each of them belongs."""

    query: exp.Query
    refs: list[int] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The names of the visible columns."""
        number = len(_leaf(self.query).expressions) - len(self.refs)
        return [each.alias_or_name for each in _leaf(self.query).expressions[:number]]


class Deriver:
    """A rewriter for one query. If ``how``, repeated derivations are counted (how-provenance)."""

    def __init__(self, parsed: Parsed, how: bool) -> None:
        self._parsed = parsed
        self._how = how
        self._sets = False
        """Whether the outermost operator removes duplicates, so their count does not matter."""

    def outermost(self) -> QueryWithRids:
        """Return the query for the derivations of the result's rows. Groups are identified by keys.

        Raises NotCovered for unsupported operators.
        """
        query = blocks.unwrapped(self._parsed.query)
        for clause in ("order", "limit", "offset", "with_"):
            query.set(clause, None)
        distinct = query.args.get("distinct")
        if not isinstance(query, exp.Select) or not blocks.is_grouped(query):
            self._sets = bool(distinct)
            return self._query(query)
        if distinct:
            refuse("derivations of DISTINCT with GROUP BY", query)
        keys = blocks.group_keys(query)
        if keys.sets:
            refuse("derivations of GROUPING SETS", query.args["group"])
        counted = self._aggregates(query)
        self._sets = not counted
        self._plain(query, query.expressions)
        query.set("group", None)
        listed = keys.expressions or [exp.Literal.number(1)]
        query.set(
            "expressions", [exp.alias_(key.copy(), f"k{at}") for at, key in enumerate(listed)]
        )
        return self._query(query)

    def _aggregates(self, select: exp.Select) -> bool:
        """Return whether a block has aggregates.

        Refuse clauses whose value does not follow from a single derivation.
        """
        roots = [*select.expressions, select.args.get("having")]
        found = [
            node for root in roots if root for node in blocks.own(root, exp.Func)
            if blocks.is_aggregate(node)
        ]  # fmt: skip
        if having := select.args.get("having"):
            refuse("derivations of HAVING (it depends on all rows of a group)", having)
        for node in found if self._how else []:
            counts = isinstance(node, exp.Count) and isinstance(node.this, exp.Star)
            if not counts or isinstance(node.parent, exp.Filter):
                refuse(f"the polynomial of {node.sql('duckdb')} (it is no count(*))", node)
        return bool(found)

    def _query(self, query: exp.Expr) -> QueryWithRids:
        query = blocks.unwrapped(query)
        if query.args.get("limit") or query.args.get("offset"):
            refuse("derivations of LIMIT in a subquery", query)
        query.set("order", None)
        if isinstance(query, exp.Union):
            if query.args.get("by_name"):
                refuse("BY NAME", query)
            if query.args.get("distinct"):
                self._removes("UNION", query)
            return self._union(query)
        if not isinstance(query, exp.Select):
            refuse(f"derivations of {type(query).__name__.upper()}", query)
        return self._select(query)

    def _removes(self, what: str, node: exp.Expr) -> None:
        if self._how and not self._sets:
            refuse(f"the polynomial of {what} below an operator that keeps duplicates", node)

    def _union(self, query: exp.Union) -> QueryWithRids:
        """Return the rows of both branches, with NULL for the rids of the other branch."""
        left, right = self._query(query.left), self._query(query.right)
        before, after = len(left.refs), len(right.refs)
        names = left.names
        branches = [_padded(left, names, 0, after), _padded(right, names, before, 0)]
        union = exp.Union(this=branches[0], expression=branches[1], distinct=False)
        return QueryWithRids(union, left.refs + right.refs)

    def _select(self, select: exp.Select) -> QueryWithRids:
        if distinct := select.args.get("distinct"):
            if distinct.args.get("on"):
                refuse("derivations of DISTINCT ON", select)
            self._removes("DISTINCT", select)
            select.set("distinct", None)
        if blocks.is_grouped(select):
            if self._aggregates(select) or blocks.group_keys(select).sets:
                refuse("derivations of aggregates in a subquery", select)
            self._removes("GROUP BY", select)
            select.set("group", None)
        self._plain(select, select.expressions)
        refs: list[int] = []
        rids: list[exp.Expr] = []
        for source in blocks.sources(select):
            for ref, rid in self._source(source):
                refs.append(ref)
                rids.append(rid)
        for at, rid in enumerate(rids):
            select.append("expressions", exp.alias_(rid, f"{RID}{at}", quoted=True))
        return QueryWithRids(select, refs)

    def _plain(self, select: exp.Select, expressions: list[exp.Expr]) -> None:
        """Refuse clauses that make a row depend on rows other than the rows joined in it."""
        joins: list[exp.Expr] = select.args.get("joins") or []
        if from_clause.reads_choice(select):
            refuse("derivations of a sample, or of a join by position or order", select)
        for join in select.find_all(exp.Join):
            if join.find_ancestor(exp.Select) is select and join.args.get("side"):
                refuse("derivations of an outer join, which depends on absent rows", join)
        if qualify := select.args.get("qualify"):
            refuse("derivations of QUALIFY", qualify)
        ons = [on for join in joins if (on := join.args.get("on"))]
        for root in [*expressions, select.args.get("where"), *ons]:
            if root is None:
                continue
            if found := root.find(exp.Query):
                refuse("derivations of a subquery in an expression", found)
            if found := root.find(exp.Window):
                refuse("derivations of a window function", found)

    def _source(self, source: exp.Expr) -> list[tuple[int, exp.Expr]]:
        """Return a source's references and rid columns; rewrite a subquery to its derivations."""
        name = source.alias_or_name
        if isinstance(source, exp.Table) and REF.on(source):
            return [(REF.of(source), exp.column("rowid", name, quoted=True))]
        if outer_columns(source):
            refuse("derivations of LATERAL", source)
        if isinstance(source, exp.Table) and ITSELF.on(source):
            refuse("derivations of a recursive WITH query", source)
        if isinstance(source, exp.Table) and CTE.on(source):
            inner = self._query(self._parsed.ctes[CTE.of(source)].this.copy())
        elif isinstance(source, exp.Subquery) and isinstance(
            blocks.unwrapped(source), (exp.Select, exp.SetOperation)
        ):
            inner = self._query(source.this)
        else:
            refuse(f"derivations of {type(source).__name__} in FROM", source)
        listed = [*inner.names, *(f"{RID}{at}" for at in range(len(inner.refs)))]
        derived = exp.Subquery(this=inner.query, alias=_alias(name, listed))
        derived.set("joins", source.args.get("joins"))
        source.replace(derived)
        return [
            (ref, exp.column(f"{RID}{at}", name, quoted=True)) for at, ref in enumerate(inner.refs)
        ]


def _alias(name: str, columns: list[str]) -> exp.TableAlias:
    listed = [exp.to_identifier(each, quoted=True) for each in columns]
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True), columns=listed)


def _padded(derived: QueryWithRids, names: list[str], before: int, after: int) -> exp.Select:
    """Return a branch of UNION ALL, with NULL for the rids of the branches before and after it."""
    listed = [f"x{at}" for at in range(len(names))]
    rids = [f"{RID}{at}" for at in range(len(derived.refs))]
    cells: list[Any] = [exp.column(each, "d", quoted=True) for each in listed]
    cells += [exp.null() for _ in range(before)]
    cells += [exp.column(each, "d", quoted=True) for each in rids]
    cells += [exp.null() for _ in range(after)]
    named = [*names, *(f"{RID}{at}" for at in range(before + len(rids) + after))]
    columns = [exp.alias_(cell, name, quoted=True) for cell, name in zip(cells, named, strict=True)]
    inner = exp.Subquery(this=derived.query, alias=_alias("d", [*listed, *rids]))
    return exp.Select(expressions=columns, from_=exp.From(this=inner))


def _leaf(query: exp.Expr) -> exp.Select:
    while isinstance(query, exp.SetOperation):
        query = query.left
    assert isinstance(query, exp.Select)
    return query
