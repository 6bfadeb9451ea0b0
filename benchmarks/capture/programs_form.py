"""The types of the results that `programs.py` writes."""

from typing import TypedDict

from benchmarks.capture.overhead_form import Cost
from benchmarks.shared.results import ResultsFile, Run


class Way(TypedDict):
    """The median costs of one way, and the bytes of lineage that it writes."""

    cost: Cost
    bytes: int
    repeats: int


class Program(TypedDict):
    """A program by interface (``RDD`` or ``data frame``), and by way."""

    program: str
    ways: dict[str, dict[str, Way]]


class Results(Run):
    """All programs at one size, in gigabytes."""

    code: str
    """A digest of the code that was measured."""
    programs: list[Program]


RESULTS: ResultsFile[dict[str, Results]] = ResultsFile("programs.json")
"""Results by size."""
