"""The report of a check: each damage that was found, and its remedy."""

from dataclasses import dataclass

REPAIR = "Run `provhouse check --repair`"
ERASE_AGAIN = "Run `provhouse check --repair`, which repeats the erasure"
RESTORE_FILE = "Restore the file from a backup"
RESTORE_FOLDER = "Restore the folder from a backup"


@dataclass(frozen=True)
class Damage:
    """One fault that a check found. Its strings lack the final period, which is added in output."""

    where: str
    """The part of the warehouse: a commit, a table, names, a partition, Neo4j."""
    wanted: str
    found: str
    remedy: str


@dataclass(frozen=True)
class Report:
    """The result of a check: the generation, the checked objects, and every damage found."""

    generation: int | None
    deep: bool
    """Whether every triple and every name was read."""
    looked_at: dict[str, int]
    """The number of checked objects of each kind."""
    damages: tuple[Damage, ...]
    seconds: float
