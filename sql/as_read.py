"""Corrections to the parts of a query that sqlglot reads or writes differently from DuckDB."""

from sqlglot import exp


def put_right(nodes: list[exp.Expr]) -> None:
    """Correct SEMI joins, joins with UNNEST, ``count()``, and LIMIT with a computed percentage."""
    for node in nodes:
        if isinstance(node, exp.Join):
            _join(node)
        elif isinstance(node, exp.Limit):
            _share(node)
        elif isinstance(node, exp.Count) and node.this is None:
            node.set("this", exp.Star())


def _join(join: exp.Join) -> None:
    if isinstance(join.this, exp.Unnest) and not (join.side or join.args.get("on")):
        join.set("kind", "CROSS")  # sqlglot writes a comma as a join on TRUE
    elif (join.kind or join.side or "").upper() in ("SEMI", "ANTI"):
        _semi(join)


def _semi(join: exp.Join) -> None:
    """Read ``b.k`` as column k of the joined table b, not as a field of a column b."""
    name, on = join.this.alias_or_name, join.args.get("on")
    for field in list(on.find_all(exp.Dot)) if on is not None else []:
        if isinstance(field.this, exp.Column) and field.this.name.lower() == name.lower():
            field.replace(exp.column(field.expression.name, name, quoted=True))


def _share(limit: exp.Limit) -> None:
    """Write a computed percentage with ``%``; DuckDB accepts PERCENT only after numbers."""
    options = limit.args.get("limit_options")
    if options is None or not options.args.get("percent"):
        return
    if not isinstance(limit.expression, exp.Literal):
        text = limit.expression.sql("duckdb")
        limit.set("expression", exp.Var(this=f"{text}%"))
        limit.set("limit_options", None)
