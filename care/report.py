"""The result of a check, and the remedies it names."""

from dataclasses import dataclass

REPAIR = "Run `provhouse repair`"
ERASE_AGAIN = "Run `provhouse repair`, which repeats the erasure"
RESTORE_FILE = "Restore the file from a backup"
RESTORE_FOLDER = "Restore the folder from a backup"


@dataclass(frozen=True)
class Damage:
    """One thing that is wrong; its sentences have no final full stop."""

    where: str
    """The part of the warehouse: a commit, a table, names, a partition, Neo4j."""
    wanted: str
    found: str
    remedy: str


@dataclass(frozen=True)
class Report:
    """What was checked in which generation, and every damage found."""

    generation: int | None
    deep: bool
    """Whether every triple and every name was read."""
    looked_at: dict[str, int]
    """How many of each kind were checked."""
    damages: tuple[Damage, ...]
    seconds: float
