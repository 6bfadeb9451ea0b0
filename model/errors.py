"""The errors of provhouse, in one tree, and the exit status of the command for each error.

ProvhouseError            exit status
├── UsageError            2   the question, an option or a setting is invalid
├── NotFound              3   the item does not exist, or the warehouse is empty
├── BadInput              4   an input file is invalid
├── Unavailable           5   Java, Spark, Neo4j or the disk is missing or down
│   └── TooSlow           5   an answer took longer than allowed
│       └── StillFilling  5   a method needs a copy of all triples, which is not complete yet
├── Busy                  6   another process is writing
└── Damaged               7   parts of the warehouse disagree

Any other exception that reaches a user is a bug in provhouse (exit status 1).
"""

from typing import ClassVar


class ProvhouseError(Exception):
    """An error in three parts: the problem, the cause that was found, and the remedy.

    Each part is one sentence without a full stop, which the printer adds. ``found`` and ``remedy``
    may be empty. ``wanted`` is the problem.
    """

    exit_status: ClassVar[int] = 1

    def __init__(self, wanted: str, found: str = "", remedy: str = "") -> None:
        super().__init__(wanted, found, remedy)
        self.wanted = wanted
        self.found = found
        self.remedy = remedy

    def __str__(self) -> str:
        return "\n".join(part for part in (self.wanted, self.found, self.remedy) if part)


class UsageError(ProvhouseError):
    """The question, an option or a setting is invalid."""

    exit_status = 2


class NotFound(ProvhouseError):
    """The warehouse does not have the named item, generation or run."""

    exit_status = 3


class BadInput(ProvhouseError):
    """An input file is invalid; nothing from it was committed."""

    exit_status = 4


class Unavailable(ProvhouseError):
    """Something outside of provhouse is missing, unreachable or down."""

    exit_status = 5


class TooSlow(Unavailable):
    """An answer took longer than allowed; all work on it has stopped."""


class StillFilling(TooSlow):
    """A method needs a copy of all triples, and this copy is still being filled.

    ``seconds`` is the estimated remaining time.
    """

    def __init__(self, wanted: str, found: str = "", remedy: str = "", seconds: int = 1) -> None:
        super().__init__(wanted, found, remedy)
        self.seconds = seconds


class Busy(ProvhouseError):
    """Another process is writing to this warehouse."""

    exit_status = 6


class Damaged(ProvhouseError):
    """Two parts of a warehouse disagree; run ``repair`` or restore a backup."""

    exit_status = 7
