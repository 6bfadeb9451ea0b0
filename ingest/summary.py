"""The result of an ingest: what it added, and what the warehouse stores now."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Reject:
    """A rejected row, and the reason."""

    file: str
    row: int
    reason: str


@dataclass(frozen=True)
class Summary:
    """The counts of one ingest; those up to ``partitions`` count the whole warehouse after it."""

    generation: int
    triples: int
    """Distinct triples stored now."""
    items: int
    components: int
    sets: int
    set_dependencies: int
    partitions: int
    rejected: int
    duplicates: int
    two_tables: int
    ended: int
    """Triples that ended: the run brought them before, and not this time."""
    new_triples: int
    new_items: int
    tables: tuple[str, ...]
    """The names of all stored tables, sorted."""
    rejects: Path | None
    """The table of rejected rows, if this ingest rejected any."""
    first_rejects: tuple[Reject, ...]
    bytes_on_disk: int
    committed: bool
    """False if the ingest brought nothing new; ``generation`` is then the one before."""
    seconds: dict[str, float]
    peak_memory_mb: int
