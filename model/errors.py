"""The errors of provhouse, one tree with one root.

ProvhouseError            exit status
├── UsageError            2   the question or the options make no sense
├── NotFound              3   no such item, or nothing ingested yet
├── BadInput              4   a file is not what it should be
├── Unavailable           5   Java, Spark, Neo4j or the disk is missing or down
│   └── TooSlow           5   an answer took longer than was allowed
├── Busy                  6   another writer is at work
└── Damaged               7   what is held does not agree with itself

Anything else that reaches a user is a defect of ours (exit status 1).
"""

from typing import ClassVar


class ProvhouseError(Exception):
    """What was wanted, what was found, and what to do next, each one sentence without a full stop.

    ``found`` and ``remedy`` may be empty where there is nothing to add.
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
    """The question or the options make no sense."""

    exit_status = 2


class NotFound(ProvhouseError):
    """The warehouse does not hold what was asked for."""

    exit_status = 3


class BadInput(ProvhouseError):
    """An input is not what it should be; nothing of it was committed."""

    exit_status = 4


class Unavailable(ProvhouseError):
    """Something outside provhouse is missing, unreachable or down."""

    exit_status = 5


class TooSlow(Unavailable):
    """An answer took longer than was allowed; nothing of it goes on."""


class Busy(ProvhouseError):
    """Another writer is at work on this warehouse."""

    exit_status = 6


class Damaged(ProvhouseError):
    """Two parts of a warehouse do not agree; ``repair`` or a backup is needed."""

    exit_status = 7
