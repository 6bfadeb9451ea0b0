"""The columns of VALUES, with the names that DuckDB gives them."""

from sqlglot import exp


def name_columns(tree: exp.Expr) -> None:
    """Name the unnamed columns of VALUES in FROM: ``col0``, ``col1``, ...."""
    for values in tree.find_all(exp.Values):
        alias = values.args.get("alias")
        if not alias:
            continue
        first = values.expressions[0]
        width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
        given = alias.columns
        names = [exp.to_identifier(f"col{at}") for at in range(len(given), width)]
        alias.set("columns", [*given, *names])
