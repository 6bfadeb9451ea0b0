"""The types of the results that `ingest.py` writes to `results/ingest.json`."""

from typing import NotRequired, TypedDict

from benchmarks.shared.results import Run


class Ingested(TypedDict):
    """The figures of one ingest.

    ``seconds`` has the time of each step, and of all steps as ``total``. ``wall_seconds`` is the
    time of the complete command.
    """

    triples: int
    items: int
    sets: int
    set_dependencies: int
    duplicates: int
    seconds: dict[str, float]
    wall_seconds: float
    peak_memory_mb: int


class FirstAnswer(TypedDict):
    """The first question after the ingest. A new command asks it, and starts Spark and Neo4j."""

    items: int
    method: str
    triples_read: int
    wall_seconds: float


class IngestRun(Run):
    """The results for one number of copies of the trace.

    ``memory`` has the peak of one process of each kind, in megabytes. ``cut_mb`` is the limit for
    the step cut, if there was one.
    """

    csv_bytes: int
    cut_mb: NotRequired[int | None]
    memory: NotRequired[dict[str, int]]
    ingest: Ingested
    bytes: dict[str, int]
    first_answer: FirstAnswer
    appends: dict[str, Ingested]


Results = dict[str, IngestRun]
"""The last run for each number of copies of the trace, by that number."""
