"""Wrong rows of a table, and the records to blame."""

from dataclasses import dataclass

from .records import Record, TableRecords


@dataclass(frozen=True)
class Blamed:
    """Wrong rows of a table, the lineage of the first one, and the smallest part of that."""

    table: str
    rows: tuple[Record, ...]
    """Some of the wrong rows."""
    more: bool
    """Whether there are more of them."""
    lineage: tuple[TableRecords, ...] = ()
    """The records that the first wrong row was derived from, by table."""
    smallest: tuple[TableRecords, ...] | None = None
    """Those with which the program still goes wrong; None without a program."""
    runs: int = 0
    """The number of runs of the program."""
