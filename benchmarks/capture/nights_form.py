"""The types of the results that `capture_nights.py` writes."""

from typing import TypedDict

from benchmarks.shared.results import ResultsFile, SeededRun


class Night(TypedDict):
    """One night: the job with capture, its landing, and the inserts into DuckDB.

    ``entries`` are the slots in association files.
    """

    entries: int
    job_seconds: float
    landing_seconds: float
    duckdb_seconds: float


class Question(TypedDict):
    """The medians of the lineage of rows of one table, after the last night."""

    table: str
    asked: int
    items: int
    read_per_item: float
    """Triples that were read for each item of the answer."""
    seconds: float
    duckdb_seconds: float


class Results(SeededRun):
    """All nights. ``facts`` are the sales of each night."""

    facts: int
    nights: list[Night]
    questions: list[Question]


RESULTS: ResultsFile[Results] = ResultsFile("capture_nights.json")
