"""The form of `results/ingest.json`."""

from typing import TypedDict

from form import Run


class Ingested(TypedDict):
    """One ingest: seconds of each step, of all steps (``total``), and of the complete command."""

    triples: int
    items: int
    sets: int
    set_dependencies: int
    duplicates: int
    seconds: dict[str, float]
    wall_seconds: float
    peak_memory_mb: int


class FirstAnswer(TypedDict):
    """The first question after the ingest, by a new command, which starts Spark and Neo4j."""

    items: int
    method: str
    triples_read: int
    wall_seconds: float


class IngestRun(Run):
    """One size of the trace. ``floors`` are the seconds of a step's indispensable work alone."""

    csv_bytes: int
    ingest: Ingested
    bytes: dict[str, int]
    first_answer: FirstAnswer
    floors: dict[str, float]
    appends: dict[str, Ingested]


Results = dict[str, IngestRun]
"""Runs by the number of copies."""
