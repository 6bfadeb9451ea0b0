"""What one ingest brought, and what the warehouse holds after it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Reject:
    """A row that is no triple, and why."""

    file: str
    row: int
    reason: str


@dataclass(frozen=True)
class Summary:
    """Counts of one ingest; those up to ``partitions`` speak of the whole warehouse after it."""

    generation: int
    triples: int
    """Distinct triples held now."""
    items: int
    components: int
    sets: int
    set_dependencies: int
    partitions: int
    rejected: int
    duplicates: int
    two_tables: int
    ended: int
    """Triples that the run had brought before and did not bring again."""
    new_triples: int
    new_items: int
    tables: tuple[str, ...]
    """Names of the tables held, in order of name."""
    rejects: Path | None
    """Where the rejected rows lie, if there are any."""
    first_rejects: tuple[Reject, ...]
    bytes_on_disk: int
    committed: bool
    """False where the ingest brought nothing, so that the generation is the one from before."""
    seconds: dict[str, float]
    peak_memory_mb: int
