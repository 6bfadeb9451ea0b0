"""The form of `results/soak.json`, which one script writes and another makes a table from."""

from typing import TypedDict

from form import Machine


class Soaked(TypedDict):
    """What `tests/fire/test_soak.py` saw: a server under mixed load, beside writers and kills."""

    minutes: float
    answers: int
    """All of them compared with what networkx says."""
    statuses: dict[str, int]
    commands: dict[str, int]
    """How many changed what is held, by name."""
    neo4j_killed: int
    p95_ms: dict[str, float]
    """Of the answers in the first and in the last tenth of the time."""
    megabytes: list[int]
    """Of server, Spark and Neo4j together: when it began, halfway, and at the end."""
    files: list[int]
    """Open files, at the same times."""


class Results(TypedDict):
    """The last run."""

    date: str
    machine: Machine
    soaked: Soaked
