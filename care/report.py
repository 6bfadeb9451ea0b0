"""What a check found."""

from dataclasses import dataclass

REPAIR = "Run `provhouse repair`"
ERASE_AGAIN = "Run `provhouse repair`, which erases again what was erased"
RESTORE_FILE = "Bring the file back from a backup"
RESTORE_FOLDER = "Bring the folder back from a backup"


@dataclass(frozen=True)
class Damage:
    """Something that is not as it should be; sentences without a full stop."""

    where: str
    """The part of the warehouse: a commit, a table, names, a partition, Neo4j."""
    wanted: str
    found: str
    remedy: str


@dataclass(frozen=True)
class Report:
    """What was looked at in which generation, and every damage."""

    generation: int | None
    deep: bool
    """Whether every triple and every name was read."""
    looked_at: dict[str, int]
    """How many of what."""
    damages: tuple[Damage, ...]
    seconds: float
