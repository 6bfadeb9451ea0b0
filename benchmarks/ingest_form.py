"""The form of `results/ingest.json`, which one script writes and another makes tables from."""

from typing import TypedDict

from form import Run


class Ingested(TypedDict):
    """One ingest: seconds of each step and of all (``total``), and of the whole command."""

    triples: int
    items: int
    sets: int
    set_dependencies: int
    duplicates: int
    seconds: dict[str, float]
    wall_seconds: float
    peak_memory_mb: int


class FirstAnswer(TypedDict):
    """The first question after the ingest, by a new command that starts all it needs."""

    items: int
    method: str
    triples_read: int
    wall_seconds: float


class IngestRun(Run):
    """One size of the trace. ``load`` is the machine's mean load over the minute before it began.

    ``floors`` are seconds that a step takes if it does nothing but what it cannot do without.
    """

    csv_bytes: int
    ingest: Ingested
    bytes: dict[str, int]
    first_answer: FirstAnswer
    floors: dict[str, float]
    appends: dict[str, Ingested]


Results = dict[str, IngestRun]
"""By the number of copies."""
