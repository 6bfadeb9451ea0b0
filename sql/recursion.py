"""Recursive WITH queries: their rows are stored once, numbered, and the query reads these rows.

The lineage of a row includes the lineage of all rows that it was derived from. If each row of the
recursion is derived from single rows of the previous step, these rows are found by running the
recursive branch over the stored rows. Otherwise, for example if that branch has an aggregate, the
lineage of a row contains all records that the recursion reads.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from . import blocks, from_clause
from .node_marks import CTE, ITSELF, KEPT_AT, RECURSION, REF, STORED, TYPES
from .not_covered import refuse

NUMBER = "__provhouse_number"
"""The name of the column with the number of a stored row, counted from 0."""


@dataclass
class Recursion:
    """A recursive WITH query; its rows are in the columns ``columns`` of the table ``name``.

    ``ref`` is a negative number that identifies this table, as the numbers of references identify
    other tables.
    """

    name: str
    ref: int
    columns: list[str]
    types: list[str]
    union: exp.Union
    linear: bool


def refuse_keys(tree: exp.Expr) -> None:
    """Refuse USING KEY, by which later rows replace stored rows."""
    for cte in tree.find_all(exp.CTE):
        if cte.args.get("key_expressions"):
            refuse("USING KEY", cte)


def store(cte: exp.CTE, name: str, ref: int) -> tuple[Recursion, exp.Select]:
    """Return the recursion of a WITH query, and the query that fills the table ``name``.

    From now on, the references of the WITH query to itself read that table. Raises NotCovered for
    an unsupported kind of WITH query.
    """
    union = blocks.unwrapped(cte.this)
    if not isinstance(union, exp.Union):
        refuse("a recursive WITH query that is not a UNION", cte)
    if _reads_itself(union.left):
        refuse("a recursive WITH query that reads itself in its first branch", cte)
    columns = [each.alias_or_name for each in _leaf(union).expressions]
    alias = exp.TableAlias(
        this=exp.to_identifier(cte.alias, quoted=True),
        columns=[exp.to_identifier(each, quoted=True) for each in columns],
    )
    copied = exp.CTE(this=union.copy(), alias=alias)
    for table in copied.find_all(exp.Table):
        ITSELF.drop(table)
    rows = _select(columns, cte.alias)
    rows.set("with_", exp.With(expressions=[copied], recursive=True))
    source = exp.Subquery(this=rows, alias=exp.TableAlias(this=exp.to_identifier("__r")))
    stored = _select(columns, source)
    number = exp.Sub(
        this=exp.Window(this=exp.Anonymous(this="row_number")), expression=exp.Literal.number(1)
    )
    stored.append("expressions", exp.alias_(number, NUMBER, quoted=True))
    RECURSION.put(stored, True)
    for table in union.find_all(exp.Table):
        if ITSELF.on(table):
            ITSELF.put(table, ref)
            table.set("this", exp.to_identifier(name, quoted=True))
    types = TYPES.of(cte)
    return Recursion(name, ref, columns, types, union, _is_linear(union.right)), stored


def _select(columns: list[str], source: str | exp.Expr) -> exp.Select:
    listed = [exp.alias_(exp.column(each, quoted=True), each, quoted=True) for each in columns]
    table = exp.to_identifier(source, quoted=True) if isinstance(source, str) else None
    return exp.Select(expressions=listed).from_(
        exp.Table(this=table) if table is not None else source, copy=False
    )


def _leaf(query: exp.Expr) -> exp.Expr:
    query = blocks.unwrapped(query)
    return _leaf(query.left) if isinstance(query, exp.SetOperation) else query


def _reads_itself(node: exp.Expr) -> bool:
    return any(ITSELF.on(table) for table in node.find_all(exp.Table))


def _is_linear(query: exp.Expr) -> bool:
    """Return whether each row depends only on the stored rows that are joined to make it."""
    query = blocks.unwrapped(query)
    if not _reads_itself(query):
        return True
    if isinstance(query, exp.Union) and not query.args.get("distinct"):
        return not _is_cut(query) and all(map(_is_linear, (query.left, query.right)))
    if not isinstance(query, exp.Select) or _is_cut(query) or from_clause.reads_choice(query):
        return False
    if query.args.get("distinct") or blocks.is_grouped(query) or blocks.windows(query):
        return False
    start, joins = query.args.get("from_"), query.args.get("joins") or []
    outside = [part for clause, part in query.args.items() if clause not in ("from_", "joins")]
    ons = [join.args.get("on") for join in joins]
    if start is None or any(map(_reads_itself, _nodes([*outside, *ons]))):
        return False
    items = [start.this, *(join.this for join in joins)]
    sides = ["", *(join.side for join in joins)]
    for at, item in enumerate(items):
        if not _reads_itself(item):
            continue
        if sides[at] in ("LEFT", "FULL") or {"RIGHT", "FULL"} & set(sides[at + 1 :]):
            return False
        if item.args.get("joins") or not (
            isinstance(item, exp.Table) or (isinstance(item, exp.Subquery) and _is_linear(item))
        ):
            return False
    return True


def _is_cut(query: exp.Expr) -> bool:
    return bool(query.args.get("limit") or query.args.get("offset"))


def _nodes(parts: list[object]) -> list[exp.Expr]:
    flat = [each for part in parts for each in (part if isinstance(part, list) else [part])]
    return [each for each in flat if isinstance(each, exp.Expr)]


def sources(recursion: Recursion) -> exp.Select:
    """Return a query that joins each stored row's number with the equal rows of both branches.

    The second branch reads all stored rows. Its values get the types of the stored columns.
    """
    union = recursion.union
    second = blocks.unwrapped(union.right).copy()
    for leaf in _leaves(second):
        cells = zip(leaf.expressions, recursion.types, recursion.columns, strict=True)
        named = [
            exp.alias_(exp.cast(each.unalias(), kind, dialect="duckdb"), name, quoted=True)
            for each, kind, name in cells
        ]
        leaf.set("expressions", named)
    first = blocks.unwrapped(union.left).copy()
    rows = exp.Union(this=first, expression=second, distinct=False)
    derived = exp.Subquery(this=rows, alias=exp.TableAlias(this=exp.to_identifier("__d", True)))
    stored = exp.Table(this=exp.to_identifier(recursion.name, quoted=True))
    stored.set("alias", exp.TableAlias(this=exp.to_identifier("__r", quoted=True)))
    STORED.put(stored, True)
    equal = [
        exp.NullSafeEQ(
            this=exp.column(each, "__r", quoted=True),
            expression=exp.column(each, "__d", quoted=True),
        )
        for each in recursion.columns
    ]
    number = exp.alias_(exp.column(NUMBER, "__r", quoted=True), NUMBER, quoted=True)
    found = exp.Select(expressions=[number]).from_(stored, copy=False)
    return found.join(derived, on=exp.and_(*equal), copy=False)


def _leaves(query: exp.Expr) -> list[exp.Expr]:
    query = blocks.unwrapped(query)
    if isinstance(query, exp.SetOperation):
        return _leaves(query.left) + _leaves(query.right)
    return [query]


def everything(
    recursion: Recursion, ctes: Sequence[exp.Expr], kept: Sequence[exp.Expr]
) -> list[exp.Select]:
    """Return queries for all records that a recursion reads, directly or through other queries.

    ``ctes`` and ``kept`` are the WITH queries and the stored blocks of the whole query.
    """
    found: dict[int, exp.Select] = {}
    todo: list[exp.Expr] = [recursion.union]
    seen: set[int] = set()
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        for table in node.find_all(exp.Table):
            if (ref := REF.get(table)) is not None:
                plain = table.copy()
                for clause in ("joins", "sample"):
                    plain.set(clause, None)
                one = exp.alias_(exp.Literal.number(1), "x0", quoted=True)
                found[ref] = exp.Select(expressions=[one]).from_(plain, copy=False)
            elif (cte := CTE.get(table)) is not None:
                todo.append(ctes[cte].this)
            elif (block := KEPT_AT.get(table)) is not None:
                todo.append(kept[block])
    return list(found.values())
