"""The error for SQL whose lineage is not supported; it names the construct and its position."""

from typing import NoReturn

from sqlglot import exp

from provhouse.model.errors import UsageError

from .dialect import meta


class NotCovered(UsageError):
    """The error for a query with a construct whose lineage is not supported."""


REWRITE = "Rewrite the query, or run it without lineage=True"
LOAD = "Make a table of it with register(name, data), and read that"


PLACE = ("line", "col", "start", "end")
"""The keys in a node's metadata whose values give the node's position in the query."""


def refuse(what: str, node: exp.Expr, remedy: str = REWRITE) -> NoReturn:
    """Raise NotCovered for a construct, with its line and column in the query."""
    raise NotCovered(
        f"Lineage of {what} is not supported",
        f"It is {place(node)}" if place(node) else "",
        remedy,
    )


def place(node: exp.Expr) -> str:
    """Return the position of a node's first named token, such as "in line 2, column 8"."""
    found = [meta(child) for child in node.walk() if "line" in meta(child)]
    if not found and node.parent is not None:
        return place(node.parent)
    if not found:
        return ""
    first = min(found, key=lambda meta: meta["start"])
    column = first["col"] - (first["end"] - first["start"])
    return f"in line {first['line']}, column {column}"
