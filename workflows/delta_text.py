"""The SQL of a query for the rows that a stored result lacks.

The SQL is that of the new query with an additional condition. The rewriting itself is not trusted:
the caller binds the SQL, and compares the bound conditions.
"""

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from .parts import NotContained

DIALECT = "duckdb"


def lacking(text: str, stored: str) -> tuple[str, str]:
    """Return two versions of the new query: its rows that the stored query excludes, or includes.

    Raises NotContained unless both queries are SELECTs that differ only in conditions of WHERE or
    of HAVING.
    """
    query, other = _select(text), _select(stored)
    for clause in ("where", "having"):
        mine, theirs = _conditions(query, clause), _conditions(other, clause)
        left = [each for each in theirs if each not in mine]
        if left:
            rest = exp.and_(*left, copy=True).sql(DIALECT)
            return tuple(_with(query, clause, f"({rest}) is {word}true") for word in ("not ", ""))  # type: ignore[return-value]
    raise NotContained


def branches(text: str) -> tuple[str, str]:
    """Return the SQL of both sides of a UNION ALL; raise NotContained for other queries."""
    query = _parsed(text)
    if not isinstance(query, exp.Union) or query.args.get("distinct") or query.args.get("with_"):
        raise NotContained
    return query.left.sql(DIALECT), query.right.sql(DIALECT)


def _with(query: exp.Select, clause: str, condition: str) -> str:
    made = query.copy()
    add = made.where if clause == "where" else made.having
    return add(condition, dialect=DIALECT, copy=False).sql(DIALECT)


def _conditions(query: exp.Select, clause: str) -> list[exp.Expr]:
    found = query.args.get(clause)
    if found is None:
        return []
    return list(found.this.flatten()) if isinstance(found.this, exp.And) else [found.this]


def _select(text: str) -> exp.Select:
    found = _parsed(text)
    if not isinstance(found, exp.Select):
        raise NotContained
    return found


def _parsed(text: str) -> exp.Expr:
    try:
        return parse_one(text, dialect=DIALECT)
    except SqlglotError as error:
        raise NotContained from error
