"""The types of the results that `capture_overhead.py` writes."""

from typing import TypedDict

from benchmarks.shared.results import ResultsFile, Run


class Cost(TypedDict):
    """The costs of one write: time, processor time, and the bytes that Spark wrote for shuffles."""

    seconds: float
    cpu_seconds: float
    shuffle_bytes: int


class Landing(TypedDict):
    """The size and the costs of the landing of one write.

    ``entries`` are the slots in association files, and ``associations`` the pairs that remain of
    them in the warehouse. ``numbered_seconds`` are those from the files to numbered triples.
    """

    entries: int
    associations: int
    file_bytes: int
    warehouse_bytes: int
    seconds: float
    cpu_seconds: float
    numbered_seconds: float
    peak_mb: int
    """The largest anonymous memory of the driver's Python process, in megabytes."""


class Query(TypedDict):
    """The medians of one query. ``nodes`` is the size of its optimised plan."""

    query: str
    nodes: int
    plain: Cost
    captured: Cost
    rewriting_seconds: float
    landing: Landing


class Results(Run):
    """The queries at one scale factor, and the program that made the tables."""

    data: str
    repeats: int
    queries: list[Query]


RESULTS = ResultsFile[dict[str, Results]]("capture.json")
