"""Read DuckDB's SQL, and keep the name that the text gives to each function.

sqlglot rewrites many functions: it writes ``len`` as ``length``, and ``log2`` as ``log`` with two
arguments. DuckDB could then resolve another function. So provhouse gives all functions, except the
few that it examines, names that sqlglot does not know.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.tokenizer_core import Token, TokenType

UNKNOWN = "__provhouse_f_"
KNOWN = {
    "COUNT",
    "SUM",
    "AVG",
    "MIN",
    "MAX",
    "RANK",
    "UNNEST",
    "PERCENTILE_CONT",
    "PERCENTILE_DISC",
}
SYNTAX = {"CAST", "TRY_CAST", "EXTRACT", "TRIM", "SUBSTRING", "POSITION", "OVERLAY", "MAP", "ARRAY"}
"""Functions whose arguments have a special syntax."""
OPERATORS = {"AND", "OR", "CASE", "COLLATE", "EXISTS", "LIKE", "FILTER", "STRUCT", "VALUES"}
RENAMED = {*DuckDB.Parser.FUNCTIONS, *DuckDB.Parser.FUNCTION_PARSERS} - KNOWN - SYNTAX - OPERATORS
NOT_CALLED = {TokenType.ALIAS, TokenType.DCOLON, TokenType.STAR, TokenType.R_PAREN}
"""Tokens after which a name is a type or a clause such as ``* replace (...)``, not a function."""


PIVOTS = {TokenType.PIVOT, TokenType.UNPIVOT}
READS = {TokenType.SELECT, TokenType.FROM}
"""Tokens after which a PIVOT is a clause of a table, not a query of its own."""
AFTER_PIVOT = {TokenType.ORDER_BY, TokenType.LIMIT, TokenType.OFFSET}


class Verbatim(DuckDB):
    """DuckDB's dialect, except that paths of ``->`` stay as they are written."""

    def to_json_path(self, path: exp.Expr | None) -> exp.Expr | None:
        """Return a path unchanged."""
        return path


class Meta(dict[str, Any]):
    """Metadata of a node.

    Copying a node makes only a shallow copy of its metadata. A deep copy would take three times as
    long.
    """

    def __deepcopy__(self, memo: object) -> "Meta":
        return Meta(self)


def meta(node: exp.Expr) -> Mapping[str, Any]:
    """Return a node's metadata, but do not create any, because copies of the node would copy it."""
    found: Mapping[str, Any] | None = node._meta
    return found or {}


def text(tree: exp.Expr) -> str:
    """Return the SQL text of a tree without PIVOT."""
    return DuckDB().generator(unsupported_level=ErrorLevel.RAISE).generate(tree, copy=False)


def key(node: exp.Expr) -> str:
    """Return a string that is the same only for equal expressions."""
    if isinstance(node, exp.Column):
        return "\0".join(part.name for part in node.parts)
    return DuckDB().generator().generate(node, copy=False)


def text_with_pivots(tree: exp.Expr, unsupported: ErrorLevel = ErrorLevel.IGNORE) -> str:
    """Return a tree as SQL; columns in PIVOT keep their table names, which sqlglot would omit."""
    if tree.find(exp.Pivot) is not None:
        tree = tree.copy()
        for pivot in tree.find_all(exp.Pivot):
            for column in list(pivot.find_all(exp.Column)):
                if column.table:
                    column.replace(column.to_dot())
    return tree.sql("duckdb", copy=False, unsupported_level=unsupported)


def read(sql: str) -> list[Any]:
    """Return the trees of the statements in SQL text; raise sqlglot's errors."""
    dialect = Verbatim()
    tokens = dialect.tokenize(sql)
    for at, (token, after) in enumerate(pairwise(tokens)):
        if after.token_type is not TokenType.L_PAREN or token.text.upper() not in RENAMED:
            continue
        if token.token_type is TokenType.IDENTIFIER or (
            at and tokens[at - 1].token_type in NOT_CALLED
        ):
            continue
        tokens[at] = Token(
            TokenType.VAR, UNKNOWN + token.text, token.line, token.col, token.start, token.end,
            token.comments,
        )  # fmt: skip
    trees = [tree for tree in dialect.parser().parse(_in_from(tokens), sql) if tree is not None]
    for tree in trees:
        for node in list(tree.walk()):
            if node._meta:
                node._meta = Meta(node._meta)
            if isinstance(node, (exp.Anonymous, exp.Identifier)):
                name = node.this
                if isinstance(name, str) and name.startswith(UNKNOWN):
                    node.set("this", name.removeprefix(UNKNOWN))
            elif isinstance(node, (exp.IgnoreNulls, exp.RespectNulls)):
                _keep_nulls(node)
            elif isinstance(node, exp.Not):
                _negate(node)
    return trees


def _in_from(tokens: list[Token]) -> list[Token]:
    """Write ``PIVOT ... LIMIT 2`` as ``FROM (PIVOT ...) LIMIT 2``, which sqlglot also reads."""
    found: list[Token] = []
    started: list[int | None] = [None]  # for each parenthesis, the start of a PIVOT in it
    reading = [False]  # for each parenthesis, whether it has SELECT or FROM
    for token in tokens:
        kind = token.token_type
        if started[-1] is not None and kind in AFTER_PIVOT:
            found.insert(started[-1], _like(tokens[0], TokenType.L_PAREN, "("))
            found.insert(started[-1], _like(tokens[0], TokenType.FROM, "FROM"))
            found.append(_like(token, TokenType.R_PAREN, ")"))
            started[-1] = None
        if kind in PIVOTS and not reading[-1]:
            started[-1] = len(found)
        elif kind is TokenType.L_PAREN:
            started.append(None)
            reading.append(False)
        elif kind is TokenType.R_PAREN and len(started) > 1:
            started.pop()
            reading.pop()
        reading[-1] = kind is not TokenType.SEMICOLON and (reading[-1] or kind in READS)
        found.append(token)
    return found


def _like(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end, [])


def _negate(negated: exp.Not) -> None:
    """Write ``x IS NOT NULL`` as one comparison, as DuckDB reads it."""
    if isinstance(negated.this, exp.Is) and isinstance(
        value := negated.this.expression, (exp.Null, exp.Boolean)
    ):
        value.replace(exp.Not(this=value.copy()))
        negated.replace(negated.this)


def _keep_nulls(nulls: exp.Expr) -> None:
    """Keep IGNORE NULLS in the argument of a function, where sqlglot would omit it.

    The words are put into a node for an ORDER BY item, because sqlglot writes any words after such
    a node.
    """
    if isinstance(nulls.parent, exp.Anonymous):
        words = "IGNORE NULLS" if isinstance(nulls, exp.IgnoreNulls) else "RESPECT NULLS"
        nulls.replace(
            exp.Ordered(this=nulls.this, nulls_first=False, with_fill=exp.Var(this=words))
        )
