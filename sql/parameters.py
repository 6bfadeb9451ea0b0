"""Put the values of parameters into a query: ``?``, ``$1`` and ``$name`` become typed literals."""

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
from sqlglot.tokenizer_core import Token, TokenType

from provhouse.model.errors import UsageError

from .dialect import Verbatim
from .quoting import text_of

Parameters = Sequence[Any] | Mapping[str, Any]


def with_parameters(con: duckdb.DuckDBPyConnection, sql: str, parameters: Parameters) -> str:
    """Return a query with literals in place of its parameters.

    Raises UsageError for a parameter without a value.
    """
    values = parameters if isinstance(parameters, Mapping) else None
    listed = [] if isinstance(parameters, Mapping) else list(parameters)
    taken = 0
    pieces, end = [], 0
    for first, last, name in _found(Verbatim().tokenize(sql)):
        if not name:
            taken += 1
            name = str(taken)
        value = _value(name, values, listed)
        pieces += [sql[end : first.start], _literal(con, value)]
        end = last.end + 1
    return "".join([*pieces, sql[end:]])


def _found(tokens: list[Token]) -> list[tuple[Token, Token, str]]:
    """Return the first and last token of each parameter, and the parameter's name or number."""
    found = []
    for at, token in enumerate(tokens):
        if token.token_type is TokenType.PLACEHOLDER:
            found.append((token, token, ""))
        elif token.token_type is TokenType.PARAMETER and at + 1 < len(tokens):
            found.append((token, tokens[at + 1], tokens[at + 1].text))
    return found


def _value(name: str, values: Mapping[str, Any] | None, listed: list[Any]) -> Any:
    if values is not None and name in values:
        return values[name]
    if values is None and name.isdigit() and 0 < int(name) <= len(listed):
        return listed[int(name) - 1]
    raise UsageError(
        f"The query has a parameter {name} without a value",
        f"Values are given for {', '.join(values) if values is not None else len(listed)}",
        "Give one in params",
    )


def _literal(con: duckdb.DuckDBPyConnection, value: Any) -> str:
    if value is None:
        return "NULL"
    (found,) = con.execute("select $1::varchar, typeof($1)", [value]).fetchall()
    return f"CAST({text_of(found[0])} AS {found[1]})"
