"""The form of `results/reliability.json`, which one script writes and another makes tables from."""

from typing import TypedDict

from form import Machine


class Rounds(TypedDict):
    """Rounds of one kind: how many were run, and how many left the new generation."""

    rounds: int
    new: int


class Results(TypedDict):
    """What the long suite has recorded so far; a round is recorded when all held after it."""

    date: str
    machine: Machine
    points: dict[str, dict[str, Rounds]]
    """By the command that was cut off at a fault point, and by who was killed."""
    moments: dict[str, dict[str, Rounds]]
    """The same for kills at random moments."""
    points_planned: int
    moments_planned: int
