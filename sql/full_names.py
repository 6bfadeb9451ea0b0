"""Give tables in a query their full names, and replace views by their queries."""

from sqlglot import exp

from .catalog import Catalog, view_query
from .ctes import cte_of
from .macros import unfold
from .node_marks import copy_marks
from .not_covered import LOAD, PLACE, refuse
from .unused import drop_unused


def name_tables(tree: exp.Expr, catalog: Catalog, depth: int) -> None:
    """Give tables their full names, and replace views by their queries."""
    if depth > 50:
        refuse("views nested more than 50 deep", tree)
    nodes = list(tree.walk())
    if any(isinstance(node, exp.With) for node in nodes):
        drop_unused(tree)
        nodes = list(tree.walk())
    if unfold(tree, nodes, catalog.functions):
        nodes = list(tree.walk())
    for table in [node for node in nodes if isinstance(node, exp.Table)]:
        if not isinstance(table.this, exp.Identifier) or cte_of(table):
            continue
        relation = catalog.find(table)
        if relation is None:
            refuse(f"{table.sql('duckdb')} (not a table or view)", table, LOAD)
        if relation.view is None:
            name = exp.to_identifier(table.alias_or_name)
            if not table.alias:
                table.set("alias", exp.TableAlias(this=name))
            for part, text in zip(("catalog", "db", "this"), relation.place, strict=True):
                identifier = exp.to_identifier(text, quoted=True)
                copy_marks(table.this, identifier)
                table.set(part, identifier)
            continue
        query, columns = view_query(relation)
        name_tables(query, catalog, depth + 1)
        alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(table.name))
        if columns and not alias.columns:
            alias.set("columns", columns)
        for node in query.walk():
            node.meta.update({k: table.this.meta[k] for k in PLACE if k in table.this.meta})
        derived = exp.Subquery(this=query, alias=alias)
        for kept in ("joins", "pivots", "sample"):
            if table.args.get(kept):
                derived.set(kept, table.args[kept])
        table.replace(derived)
