"""Parse SQL text into a qualified tree in which each use of a base table has a number."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import duckdb
from sqlglot import exp
from sqlglot.errors import OptimizeError, ParseError, TokenError
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from provhouse.model.errors import UsageError

from . import dialect, judge, scoped, whole_rows
from . import star_columns as stars
from .as_read import put_right
from .blocks import is_parenthesised_join, named
from .catalog import Catalog, TablePlace
from .ctes import cte_of
from .full_names import name_tables
from .lateral import mark, unmark
from .lower import lower
from .named_keys import expand_all, expand_named, name_all, refuse_large, refuse_outer_keys
from .node_marks import CTE, CTE_ID, ITSELF, NAMES, REF, TYPES, USE, copy_marks
from .not_covered import place, refuse
from .outputs import Output, listed, outputs
from .parentheses import clauses_inside
from .pivot_values import list_values
from .plain import plain, rewritten
from .quoting import RESERVED
from .recursion import Recursion, refuse_keys
from .subqueries import mark_outer_aggregates, outer_columns
from .values_clause import name_columns


@dataclass(frozen=True)
class Reference:
    """One use of a base table in a query. Its name is the name of the table, or ``table#2``."""

    name: str
    table: TablePlace
    where: str
    """The position of the use in the SQL text, such as "in line 2, column 8"."""


@dataclass
class Parsed:
    """A qualified query.

    Marks of each table node (``node_marks.py``) are positions in this object's lists: ``REF`` in
    ``references``, ``CTE`` in ``ctes``, and ``KEPT_AT`` in ``kept``, which lists the blocks that
    are stored before the query runs.
    """

    query: exp.Query
    collated: bool = False
    """Whether the query compares strings with a collation."""
    outputs: list[Output] | None = None
    """The columns of the result; empty if they are not certain."""
    references: list[Reference] = field(default_factory=list)
    ctes: list[exp.CTE] = field(default_factory=list)
    kept: list[exp.Expr] = field(default_factory=list)
    kept_names: list[str] = field(default_factory=list)
    recursions: list[Recursion] = field(default_factory=list)


def parse(con: duckdb.DuckDBPyConnection, sql: str, catalog: Catalog) -> Parsed:
    """Return a query ready for planning.

    Raises UsageError if the text is not exactly one query, or if a column's name cannot be
    resolved. Raises NotCovered for an unsupported construct, for an unknown table, and if DuckDB
    reads the text differently from provhouse.
    """
    tree, text, names = _qualified(con, sql, catalog, False)
    nodes = list(tree.walk())
    _refuse_stars(nodes)
    put_right(nodes)
    plan = judge.check(con, text, tree, catalog)
    _refuse_reserved(nodes)
    _semi_joins(nodes)
    parsed = Parsed(tree, collated=plan.collated, outputs=outputs(names, plan) if names else None)
    if any(isinstance(node, exp.With) for node in nodes):
        _hoist(con, parsed)
    mark_outer_aggregates(tree)
    lower(tree)
    uses = _number(parsed, catalog)
    judge.check_scans(plan.scans, [parsed.references[ref].table for ref in uses])
    return parsed


def _qualified(
    con: duckdb.DuckDBPyConnection, query: str, catalog: Catalog, lateral: bool
) -> tuple[Any, str, list[str]]:
    """Return a tree in which each column has a table, and each row used as a value is a struct.

    Also returns the SQL text that DuckDB must read in the same way, and the names of the query's
    columns if they are certain. ``lateral`` states whether derived tables may refer to earlier
    items in FROM.
    """
    tree = _query(query)
    name_columns(tree)
    clauses_inside(tree)
    if "recursive" in query.lower():
        refuse_keys(tree)
    tree, sql = list_values(con, tree, query)
    name_tables(tree, catalog, 0)
    nodes = list(tree.walk())
    _flatten(nodes)
    if rewritten(nodes):
        _mark_aggregates(nodes, catalog)
        judge.check(con, sql, tree.copy(), catalog)  # before PIVOT is replaced
        tree = plain(tree, con)
        sql = dialect.text(tree)
    stars.spell_out(tree, partial(_columns, catalog), con)
    name_all(tree)
    nodes = list(tree.walk())
    _mark_aggregates(nodes, catalog)
    for at, table in enumerate(node for node in nodes if isinstance(node, exp.Table)):
        USE.put(table, at)  # copies of an expression keep it
    names = listed(tree, nodes, catalog) if sql is query else []
    if lateral:
        mark(tree)
    _name_subqueries(nodes)
    refuse_large(nodes)
    whole_rows.keep_names(nodes)
    schema = _schema(nodes, catalog)
    try:
        tree = qualify(tree, schema=schema, dialect=schema.dialect, identify=True)
    except OptimizeError as error:
        if not lateral:
            return _qualified(con, query, catalog, True)
        raise UsageError(
            "The names in the query cannot be resolved",
            str(error),
            "Qualify columns by their table",
        ) from None
    unmark(list(tree.walk()))
    whole_rows.restore_fields(tree)
    nodes = list(tree.walk())
    whole_rows.spell_out(nodes, partial(_columns, catalog))
    expand_all(nodes)
    expand_named(nodes)
    refuse_outer_keys(nodes)
    return tree, sql, names


def _refuse_reserved(nodes: list[exp.Expr]) -> None:
    """Refuse names that could be confused with the names of hidden columns."""
    for name in nodes:
        if isinstance(name, exp.Identifier) and name.this.lower().startswith(RESERVED):
            refuse(f"{name.name}, which is a name that provhouse reserves,", name, RENAME)


def _columns(catalog: Catalog, table: exp.Table) -> list[str]:
    if cte := cte_of(table):
        return list(NAMES.of(cte))
    found = catalog.find(table)
    return list(found.columns) if found else []


def _refuse_stars(nodes: list[exp.Expr]) -> None:
    """Refuse stars that were not replaced by columns, because they would include hidden columns."""
    for star in nodes:
        if isinstance(star, exp.Anonymous) and star.name.lower() == "columns":
            refuse("* or COLUMNS here", star.parent or star)
        if not isinstance(star, (exp.Star, exp.Columns)):
            continue
        if isinstance(star, exp.Columns) or not isinstance(star.parent, exp.Count):
            refuse("* or COLUMNS here", star.parent or star)


def _query(sql: str) -> Any:
    """Return the tree of SQL text that must be a single query."""
    try:
        trees = dialect.read(sql)
    except ParseError as error:
        found = error.errors[0] if error.errors else {}
        raise UsageError(
            "The query cannot be parsed for lineage",
            f"{found.get('description', error)} in line {found.get('line')}, "
            f"column {found.get('col')}",
            "Rewrite it, or run it without lineage=True",
        ) from None
    except TokenError as error:
        raise UsageError(
            "The query cannot be parsed for lineage",
            str(error),
            "Rewrite it, or run it without lineage=True",
        ) from None
    if len(trees) != 1 or not isinstance(trees[0], (exp.Query, exp.Pivot)):
        raise UsageError(
            "Only one query at a time can have lineage", "", "Run other statements with execute()"
        )
    return trees[0]


RENAME = "Rename the column, or make a table of it without this name"


def _schema(nodes: list[exp.Expr], catalog: Catalog) -> MappingSchema:
    """Return the columns of the tables in a query, with lower-case names."""
    found: dict[str, Any] = {}
    for table in nodes:
        if not isinstance(table, exp.Table) or not table.catalog:
            continue
        if relation := catalog.find(table):
            database, schema, name = map(str.lower, relation.place)
            columns = {column.lower(): kind for column, kind in relation.columns.items()}
            if "rowid" in columns:
                refuse(f"{relation.place.name}, a table with a column rowid", table, RENAME)
            found.setdefault(database, {}).setdefault(schema, {})[name] = columns
    visible: dict[str, object] | None = None
    if any(isinstance(node, exp.Column) and node.name.lower() == "rowid" for node in nodes):
        visible = {
            database: {
                schema: {name: list(columns) for name, columns in tables.items()}
                for schema, tables in schemas.items()
            }
            for database, schemas in found.items()
        }
        for tables in (each for schemas in found.values() for each in schemas.values()):
            for columns in tables.values():
                columns["rowid"] = "BIGINT"  # a column that ``*`` leaves out
    return MappingSchema(found, visible=visible, dialect="duckdb", normalize=False)


def _name_subqueries(nodes: list[exp.Expr]) -> None:
    """Name scalar subqueries in SELECT, so that ORDER BY can refer to them by position."""
    for select in nodes:
        if isinstance(select, exp.Select):
            unnamed = [
                isinstance(each, exp.Subquery) and not each.alias for each in select.expressions
            ]
            listed = [
                named(each, f"_col_{at}") if unnamed[at] else each
                for at, each in enumerate(select.expressions)
            ]
            select.set("expressions", listed)


def _flatten(nodes: list[exp.Expr]) -> None:
    """Remove parentheses around joins in FROM, which DuckDB writes in views.

    The joins of the first item go before the joins of the block, and the joins of any other item
    stay with that item: ``a JOIN (b JOIN c ON p) ON q`` is ``a JOIN b JOIN c ON p ON q``.
    """
    for holder in nodes:
        if not isinstance(holder, (exp.From, exp.Join)):
            continue
        while is_parenthesised_join(holder.this) and not holder.this.alias:
            outer = holder.this
            inner = outer.this
            own_joins = [*_take_joins(inner), *_take_joins(outer)]
            holder.set("this", inner)
            block = holder.parent if isinstance(holder, exp.From) else inner
            assert block is not None
            block.set("joins", [*own_joins, *_take_joins(block)])
        if isinstance(holder, exp.From) and holder.parent is not None:  # FROM is before SELECT
            joins = [*_take_joins(holder.this), *_take_joins(holder.parent)]
            holder.parent.set("joins", joins)


def _take_joins(node: exp.Expr) -> list[exp.Expr]:
    return node.args.pop("joins", None) or []


def _mark_aggregates(nodes: list[exp.Expr], catalog: Catalog) -> None:
    """Replace calls that DuckDB reads as aggregates by aggregate nodes."""
    for node in nodes:
        if isinstance(node, exp.Anonymous) and node.name.lower() in catalog.functions.aggregates:
            marked = exp.AnonymousAggFunc(this=node.name, expressions=node.expressions)
            copy_marks(node, marked)
            node.replace(marked)


def _semi_joins(nodes: list[exp.Expr]) -> None:
    """Replace SEMI and ANTI joins by EXISTS and NOT EXISTS, the innermost first.

    Replacing an outer join copies its operands, so the joins inside of them must already be
    replaced.
    """
    for join in reversed([node for node in nodes if isinstance(node, exp.Join)]):
        kind = (join.args.get("kind") or join.args.get("side") or "").upper()
        if kind not in ("SEMI", "ANTI") or not isinstance(join.parent, exp.Select):
            continue
        select = join.parent
        joins = select.args["joins"]
        if any(each.side in ("RIGHT", "FULL") for each in joins[joins.index(join) :]):
            refuse(f"a {kind} JOIN before a RIGHT or FULL JOIN", join)  # the later join adds rows
        inner = exp.Select(expressions=[exp.Literal.number(1)]).from_(join.this.copy())
        if on := join.args.get("on"):
            inner = inner.where(on.copy(), copy=False)
        exists: exp.Expr = exp.Exists(this=inner)
        joins.remove(join)
        select.where(exp.Not(this=exists) if kind == "ANTI" else exists, copy=False)


def _hoist(con: duckdb.DuckDBPyConnection, parsed: Parsed) -> None:
    """Move all WITH queries to the top, with distinct names, each after the queries it reads."""
    for table in list(parsed.query.find_all(exp.Table)):
        if isinstance(table.this, exp.Identifier) and (cte := cte_of(table)):
            CTE_ID.put(table, id(cte))
            if table.find_ancestor(exp.CTE) is not cte:
                inner = table.find_ancestor(exp.CTE)
                while inner is not None and inner is not cte:
                    inner = inner.find_ancestor(exp.CTE)
                if inner is cte:
                    refuse("a WITH query that reads the outer recursive query", table)
                continue
            ITSELF.put(table, True)
            if not TYPES.on(cte):
                asked = scoped.ask(
                    con, cte.find_ancestor(exp.Query) or cte, f"FROM {cte.alias}", "WITH"
                )
                TYPES.put(cte, list(map(str, asked.types)))
    _collect(parsed.query, parsed.ctes)
    numbers = {id(cte): at for at, cte in enumerate(parsed.ctes)}
    for cte in parsed.ctes:
        if outer_columns(cte.this):
            refuse("a WITH query that refers to the outer query", cte)
    for node in [parsed.query, *(cte.this for cte in parsed.ctes)]:
        for table in node.find_all(exp.Table):
            if (of := CTE_ID.drop(table)) is not None:
                at = numbers[of]
                if not ITSELF.on(table):
                    CTE.put(table, at)
                if not table.alias:
                    table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, True)))
                table.set("this", exp.to_identifier(f"{RESERVED}_cte{at}", True))
    for at, cte in enumerate(parsed.ctes):
        cte.set("alias", exp.TableAlias(this=exp.to_identifier(f"{RESERVED}_cte{at}", True)))
    if parsed.ctes:
        recursive = any(TYPES.on(cte) for cte in parsed.ctes)
        parsed.query.set("with_", exp.With(expressions=parsed.ctes, recursive=recursive))


def _collect(node: exp.Expr, found: list[exp.CTE]) -> None:
    """Remove the WITH clauses from a tree; append their queries to ``found``, innermost first."""
    with_ = node.args.get("with_")
    if with_ is not None:
        for cte in with_.expressions:
            _collect(cte.this, found)
            found.append(cte)
        node.set("with_", None)
    for child in list(node.iter_expressions()):
        _collect(child, found)


def _number(parsed: Parsed, catalog: Catalog) -> list[int]:
    """Number the uses of base tables in text order; copies of a use have the same number.

    Returns the numbers of all uses, including the copies that arose when names in SELECT were
    resolved.
    """
    found = [table for table in parsed.query.find_all(exp.Table) if table.catalog]
    found.sort(key=lambda table: table.this.meta.get("start", 0))
    uses = {USE.of(table): table for table in reversed(found)}
    firsts = [table for table in found if uses[USE.of(table)] is table]
    numbers = {USE.of(table): at for at, table in enumerate(firsts)}
    for table in found:
        REF.put(table, numbers[USE.of(table)])
    names = [table.name for table in firsts]
    for at, table in enumerate(firsts):
        earlier = names[:at].count(table.name)
        name = table.name if names.count(table.name) == 1 else f"{table.name}#{earlier + 1}"
        relation = catalog.find(table)
        assert relation
        parsed.references.append(Reference(name, relation.place, place(table)))
    return [numbers[USE.of(table)] for table in found]
