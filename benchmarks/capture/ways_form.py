"""The types of the results that `capture_ways.py` writes."""

from typing import TypedDict

from benchmarks.capture.overhead_form import Cost
from benchmarks.shared.results import ResultsFile, Run


class Way(TypedDict):
    """The costs of one way, and the bytes that it writes beyond those of the plain result."""

    cost: Cost
    bytes: int


class Query(TypedDict):
    """The medians of one query by way, and the pairs of group and source row of all tables."""

    query: str
    pairs: int
    ways: dict[str, Way]


class Results(Run):
    """All queries at one scale factor."""

    data: str
    scale: str
    repeats: int
    queries: list[Query]


RESULTS: ResultsFile[Results] = ResultsFile("capture_ways.json")
