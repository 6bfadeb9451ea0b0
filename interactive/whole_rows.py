"""Rows as values, as in ``select q from (select 1 a) q``, spelled out as structs.

A struct of the visible columns is what DuckDB makes of such a name. Spelled out, it stays without
the hidden columns that are added to a query later.
"""

from collections.abc import Callable, Iterator

from sqlglot import exp

from .refusal import refuse

ROW = "__provhouse_row"


def mark(tree: exp.Expr) -> None:
    """Replace each name that only means a table, not a column, by a call that names the table."""
    for column in list(tree.find_all(exp.Column)):
        if column.table or not isinstance(column.this, exp.Identifier):
            continue
        if any(source.alias_or_name.lower() == column.name.lower() for source in _around(column)):
            name = exp.Literal.string(column.name.lower())
            call = exp.Anonymous(this=ROW, expressions=[name])
            call.meta.update(column.this.meta)
            item = column.parent
            plain = isinstance(item, exp.Select) and column.arg_key == "expressions"
            column.replace(exp.alias_(call, column.name, quoted=True) if plain else call)


def spell_out(tree: exp.Expr, columns: Callable[[exp.Table], list[str]]) -> None:
    """Replace the calls of ``mark`` by structs; ``columns`` returns those of a table."""
    for call in [node for node in tree.find_all(exp.Anonymous) if node.name == ROW]:
        wanted = call.expressions[0].name
        source = next(each for each in _around(call) if each.alias_or_name.lower() == wanted)
        names = _columns(source, columns)
        if not names:
            refuse(f"the row of {wanted} as a value", call)
        fields = [
            exp.PropertyEQ(
                this=exp.to_identifier(name, quoted=True),
                expression=exp.column(name, source.alias_or_name, quoted=True),
            )
            for name in names
        ]
        call.replace(exp.Anonymous(this="struct_pack", expressions=fields))


def _columns(source: exp.Expr, columns: Callable[[exp.Table], list[str]]) -> list[str]:
    if named := source.args.get("alias"):
        if named.columns:
            return [column.name for column in named.columns]
    if isinstance(source, exp.Table):
        return columns(source)
    if isinstance(source, exp.Subquery) and isinstance(source.this, exp.Query):
        return list(source.this.named_selects)
    return []


def _around(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield what the blocks around a node read, innermost first."""
    select = node.find_ancestor(exp.Select)
    while select is not None:
        start = select.args.get("from_")
        yield from ([start.this] if start is not None else [])
        yield from (join.this for join in select.find_all(exp.Join))
        select = select.find_ancestor(exp.Select)
