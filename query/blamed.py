"""Wrong rows of a table, and the records to blame."""

from dataclasses import dataclass

from .source_records import Record, TableRecords


@dataclass(frozen=True)
class Blamed:
    """Wrong rows of a table, and for the first wrong row, its lineage and the records to blame."""

    table: str
    rows: tuple[Record, ...]
    """A selection of the wrong rows."""
    more: bool
    """Whether the table has more wrong rows than ``rows``."""
    lineage: tuple[TableRecords, ...] = ()
    """The records that the first wrong row was derived from, by table."""
    smallest: tuple[TableRecords, ...] | None = None
    """The part of ``lineage`` with which the program still fails the test.

    It is None if no program was given.
    """
    runs: int = 0
    """The number of times that the program was run."""
