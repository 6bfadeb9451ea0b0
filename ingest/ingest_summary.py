"""The result of an ingest: its additions, and the totals of the warehouse."""

from dataclasses import dataclass, field
from pathlib import Path

SHOWN = 5
"""The largest number of rejected rows, and also of passed-over files, that a summary lists."""


@dataclass(frozen=True)
class Reject:
    """A rejected row, and the reason for its rejection."""

    file: str
    row: int
    reason: str


@dataclass(frozen=True)
class Hub:
    """An item with at least a million neighbours in several tables. It may join unrelated rows."""

    item: str
    neighbours: int
    tables: int
    """The number of different tables that the neighbours belong to."""


@dataclass(frozen=True)
class Summary:
    """The counts of one ingest.

    The fields from ``triples`` to ``partitions`` count the whole warehouse after the ingest.
    """

    generation: int
    triples: int
    """The number of live triples."""
    items: int
    components: int
    sets: int
    set_dependencies: int
    partitions: int
    rejected: int
    duplicates: int
    two_tables: int
    ended: int
    """The number of triples that ended because this ingest of the run no longer contains them."""
    new_triples: int
    new_items: int
    tables: tuple[str, ...]
    """The names of all stored tables, sorted."""
    rejects: Path | None
    """The folder of the Delta table of rejected rows; None if this ingest rejected no row."""
    first_rejects: tuple[Reject, ...]
    passed_over: int
    """The number of files in the given folders that were not read because of the files' names."""
    first_passed_over: tuple[str, ...]
    bytes_on_disk: int
    committed: bool
    """Whether the ingest made a generation. It does not if the input contains nothing new."""
    seconds: dict[str, float]
    peak_memory_mb: int
    operations: int = 0
    """The number of ops whose description is new or has changed."""
    modules: int = 0
    """The number of modules whose declaration is new or has changed."""
    hubs: tuple[Hub, ...] = ()
    """Items that may stand for a missing value. The option ``null`` leaves them out."""
    unread: dict[str, int] = field(default_factory=dict)
    """The number of document parts that did not become triples, by kind of part."""
