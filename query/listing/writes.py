"""List the captured writes of a warehouse, without their paths."""

from dataclasses import dataclass

from provhouse.store.tables.written import read_since
from provhouse.store.warehouse.layout import Layout


@dataclass(frozen=True)
class CapturedWrite:
    """One captured write of a table."""

    table: str
    version: int
    """The number at the end of the row names, if the rows are named by a key."""
    run: str
    key: tuple[str, ...]
    """The key columns by which the rows are named; empty if they are named by row ids."""
    files: int
    bytes: int
    """The size of the write's files in bytes at the time of the capture; 0 if unknown."""
    replaces: bool
    """Whether the write has removed all other rows of the table."""
    bare: int
    """The number of written rows that do not derive from any other row."""
    after: int
    """The generation that was current before the first one that shows the write."""


def list_writes(layout: Layout) -> list[CapturedWrite]:
    """Return all captured writes in order. Raises Damaged if their table is unreadable."""
    return [
        CapturedWrite(
            each.table, each.version, each.run, each.key, len(each.files),
            sum(size for size, _ in each.states), each.replaces, each.bare, each.after,
        )
        for each in read_since(layout, 0)
    ]  # fmt: skip
