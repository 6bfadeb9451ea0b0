"""Shorten a failing query: parts are dropped one by one, as long as the failure stays the same."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from .marks import MARK
from .queries import Text

NAMED = re.compile('"(«[^»]*»)"')


def shrunk(text: Text, fails: Callable[[Text], bool], most: int = 400) -> Text:
    """Return a query that still fails, shortened as far as ``most`` attempts allow."""
    tries = 0
    while True:
        for candidate in _smaller(text):
            tries += 1
            if tries > most:
                return text
            if fails(candidate):
                text = candidate
                break
        else:
            return text


def _smaller(text: Text) -> Iterator[Text]:
    if text.tail:
        yield replace(text, tail="")
    try:
        tree = sqlglot.parse_one(
            MARK.sub(lambda found: f'"{found[0]}"', text.body), dialect="duckdb"
        )
    except SqlglotError:
        return
    length = len(text.body)
    for number in range(len(list(tree.walk()))):
        for step in range(3):
            copied = tree.copy()
            node = list(copied.walk())[number]
            try:
                changed = _changed(copied, node, step)
                body = NAMED.sub(r"\1", changed.sql("duckdb")) if changed is not None else ""
            except (SqlglotError, AttributeError, ValueError, TypeError):
                continue
            if body and len(body) < length:
                yield replace(text, body=body)


def _changed(tree: exp.Expr, node: exp.Expr, step: int) -> exp.Expr | None:
    """Drop a node, or replace it by one of its children; return the changed tree."""
    if step == 0:
        if node is tree or node.parent is None:
            return None
        if node.arg_key in ("this", "expression") and not isinstance(node.parent, exp.Select):
            return None
        node.pop()
        return tree
    inner = [child for child in node.iter_expressions() if not isinstance(child, exp.Identifier)]
    if len(inner) < step:
        return None
    child = inner[step - 1]
    if isinstance(child, (exp.From, exp.Where, exp.With, exp.Group, exp.TableAlias)):
        return None
    if node is tree:
        return child if isinstance(child, exp.Query) else None
    node.replace(child)
    return tree
