"""Replace rows used as values, as in ``select q from (select 1 a) q``, by explicit structs.

DuckDB replaces such a name by a struct of all visible columns. An explicit struct does not include
the hidden columns that are added to a query later.
"""

from collections.abc import Callable, Iterator

from sqlglot import exp

from .node_marks import NAMES, WRITTEN
from .not_covered import refuse


def spell_out(nodes: list[exp.Expr], columns: Callable[[exp.Table], list[str]]) -> None:
    """Replace each table name that is used as a value by an explicit struct.

    ``columns`` returns the columns of a table.
    """
    for row in nodes:
        if not isinstance(row, exp.TableColumn):
            continue
        source = next((each for each in _around(row) if each.alias_or_name == row.name), None)
        names = _columns(source, columns) if source is not None else []
        if source is None or not names:
            refuse(f"the row {row.name} as a value", row)
        fields = [
            exp.PropertyEQ(
                this=exp.to_identifier(name, quoted=True),
                expression=exp.column(name, source.alias_or_name, quoted=True),
            )
            for name in names
        ]
        row.replace(exp.Anonymous(this="struct_pack", expressions=fields))


def keep_names(nodes: list[exp.Expr]) -> None:
    """Record the spelling of names, because qualification writes all names in lower case."""
    for name in nodes:
        if isinstance(name, exp.Identifier) and name.name != name.name.lower():
            WRITTEN.put(name, name.name)
        elif isinstance(name, exp.CTE):
            given = [each.name for each in name.args["alias"].columns]
            NAMES.put(name, [*given, *name.this.named_selects[len(given) :]])


def restore_fields(tree: exp.Expr) -> None:
    """Restore the spelling of struct field names, because these are part of values."""
    for node in tree.find_all(exp.PropertyEQ, exp.Dot):
        name = node.this if isinstance(node, exp.PropertyEQ) else node.expression
        if isinstance(name, exp.Identifier) and (written := WRITTEN.get(name)):
            name.set("this", written)


def _columns(source: exp.Expr, columns: Callable[[exp.Table], list[str]]) -> list[str]:
    if (named := source.args.get("alias")) and named.columns:
        return [_written(column) for column in named.columns]
    if isinstance(source, exp.Table):
        return columns(source)
    if isinstance(source, exp.Subquery) and isinstance(source.this, exp.Query):
        return [_written(each.args.get("alias") or each) for each in source.this.selects]
    return []


def _written(name: exp.Expr) -> str:
    """Return a name in its original spelling; qualification has changed it to lower case."""
    return str(WRITTEN.get(name) or name.name)


def _around(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the sources of the blocks around a node, innermost first."""
    select = node.find_ancestor(exp.Select)
    while select is not None:
        start = select.args.get("from_")
        yield from ([start.this] if start is not None else [])
        yield from (join.this for join in select.find_all(exp.Join))
        select = select.find_ancestor(exp.Select)
