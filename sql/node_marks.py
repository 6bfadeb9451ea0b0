"""Facts about the nodes of a parsed query, each declared once.

A mark is stored in sqlglot's ``meta``, because a copy of a node keeps that. `parse` sets the marks
of tables and CTEs, `settle` and `recursion` those of stored blocks, and the planning of hidden
columns (`provhouse.interactive.planning`) the last three.
"""

from typing import Final, Generic, TypeVar

from sqlglot import exp

from .dialect import meta

T = TypeVar("T")


class NodeMark(Generic[T]):
    """A fact about a node, stored under a name."""

    def __init__(self, name: str) -> None:
        self.name: Final = name

    def on(self, node: exp.Expr) -> bool:
        """Return whether a node has the mark."""
        return self.name in meta(node)

    def of(self, node: exp.Expr) -> T:
        """Return the mark of a node, which must have it."""
        found: T = meta(node)[self.name]
        return found

    def get(self, node: exp.Expr) -> T | None:
        """Return the mark of a node, or None."""
        found: T | None = meta(node).get(self.name)
        return found

    def put(self, node: exp.Expr, value: T) -> None:
        """Set the mark of a node."""
        node.meta[self.name] = value

    def keep(self, node: exp.Expr, value: T) -> None:
        """Set the mark of a node that does not have it yet."""
        node.meta.setdefault(self.name, value)

    def drop(self, node: exp.Expr) -> T | None:
        """Remove the mark of a node, and return it if there is one."""
        found: T | None = node.meta.pop(self.name, None)
        return found


def copy_marks(source: exp.Expr, target: exp.Expr) -> None:
    """Give a node all marks of another node, with that node's place in the text."""
    target.meta.update(meta(source))


USE: Final = NodeMark[int]("use")
"""The number of a use of a table; copies of an expression share it."""
REF: Final = NodeMark[int]("ref")
"""The position of a base table's use in ``Parsed.references``."""
CTE: Final = NodeMark[int]("cte")
"""The position of the CTE that a table names in ``Parsed.ctes``."""
CTE_ID: Final = NodeMark[int]("of")
"""The identity of the CTE that a table names, until the CTEs have positions."""
KEPT_AT: Final = NodeMark[int]("kept")
"""The position in ``Parsed.kept`` of the block whose stored rows a table reads."""
ITSELF: Final = NodeMark[int]("self")
"""True for a recursive CTE's use of itself; once it is stored, the position of its reference."""
RECURSION: Final = NodeMark[int]("recursion")
"""The position in ``Parsed.recursions`` of the recursive CTE whose rows a table reads."""
STORED: Final = NodeMark[bool]("stored")
"""Whether a derived table stands for the stored rows of a recursion."""
TYPES: Final = NodeMark[list[str]]("types")
"""The types of a recursive CTE's columns."""
NAMES: Final = NodeMark[list[str]]("names")
"""The names that a CTE gives to its columns."""
WRITTEN: Final = NodeMark[str]("written")
"""An identifier as the user has written it."""
GROUPED: Final = NodeMark[bool]("grouped")
"""A query without GROUP BY whose rows are groups, because of a subquery's aggregate."""
OF_OUTER: Final = NodeMark[bool]("of_outer")
"""An aggregate in a subquery that aggregates the rows of an outer query."""
AGGREGATED: Final = NodeMark[str]("aggregated")
"""The name of a table of the query whose rows an aggregate in a subquery aggregates."""
TIES: Final = NodeMark[bool]("ties")
"""A window that ranks rows for LIMIT WITH TIES; its partition has no part in the lineage."""
VISIBLE: Final = NodeMark[int]("visible")
"""The number of a query's own columns; hidden columns come after them."""
EXPOSED: Final = NodeMark[int]("exposed")
"""The position of a query's row identity among those that are known."""
OUTER_NAME: Final = NodeMark[str]("outer")
"""The name of the hidden column that gives a column of an outer query."""
